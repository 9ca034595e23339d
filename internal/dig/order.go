package dig

import "github.com/trowel-project/trowel/internal/param"

// Texts of C22 and C23.
const (
	afterMissing      = "Dependency task '%s' does not exist"
	afterSequential   = `Setting "_after" option is invalid if its parent task doesn't have "_parallel: true" option`
	backgroundInvalid = `Setting "_background: true" option is invalid (unnecessary) if its parent task has "_parallel: true" option`
)

// order gives the children of a group their upstreams (language 2.5).
func (c *compiler) order(group int, children []int) {
	parallel, ok := c.checkParallel(group)
	switch {
	case !ok:
	case parallel.On:
		c.orderParallel(children, parallel.Limit)
	default:
		c.orderSequence(children)
	}
}

func (c *compiler) checkParallel(group int) (Parallel, bool) {
	parallel, err := ParseParallel(c.tasks[group].Local)
	if err != nil {
		c.throw(group, asError(err), keyParallel)
		return parallel, false
	}
	return parallel, true
}

// orderSequence makes each child wait for the one before it and for the background children in
// between (C17). Children may share a slice of upstreams, so there is at most one slice per child.
func (c *compiler) orderSequence(children []int) {
	single := make([]int, len(children)) // memory for the usual lists of one
	var before []int
	for i, child := range children {
		t := &c.tasks[child]
		if t.Local.Has(keyAfter) {
			c.throw(child, configError(afterSequential), keyAfter)
		}
		background := c.flag(child, t.Local, keyBackground)
		t.Local = without(t.Local, keyBackground)
		if background {
			before = append(before, child)
			continue
		}
		t.Upstreams = before
		single[i] = child
		before = single[i : i+1 : i+1]
	}
}

// orderParallel makes children wait only for those that _after names and, with a limit, for the
// chunk before theirs (C19, C20, C22, C25).
func (c *compiler) orderParallel(children []int, limit int) {
	if limit <= 0 {
		limit = len(children)
	}
	siblings := make(map[string]int, len(children))
	var before []int
	for start := 0; start < len(children); start += limit {
		chunk := children[start:min(start+limit, len(children))]
		for _, child := range chunk {
			c.orderBranch(child, siblings, before)
		}
		before = chunk
	}
}

func (c *compiler) orderBranch(child int, siblings map[string]int, before []int) {
	t := &c.tasks[child]
	if c.flag(child, t.Local, keyBackground) {
		c.throw(child, configError(backgroundInvalid), keyBackground)
	}
	t.Upstreams = before
	if value, _ := t.Local.Get(keyAfter); value != nil {
		t.Upstreams = append(c.named(child, value, siblings), before...)
	}
	t.Local = without(t.Local, keyAfter)
	siblings[t.Name] = child
}

// named returns the siblings that _after names.
func (c *compiler) named(child int, after param.Value, siblings map[string]int) (found []int) {
	wrong := func() { c.throw(child, asError(param.WrongType(keyAfter, param.TypeList, after)), keyAfter) }
	list, ok := after.(param.List)
	if !ok {
		wrong()
	}
	for _, element := range list {
		name, ok := param.AsString(element)
		switch {
		case element == nil:
			name = "null"
		case !ok:
			wrong()
			return found
		}
		sibling, ok := siblings[name]
		if !ok {
			c.throw(child, configErrorf(afterMissing, name), keyAfter)
			continue
		}
		found = append(found, sibling)
	}
	return found
}

// without returns a copy of the map without a key.
func without(m *param.Map, key string) *param.Map {
	if !m.Has(key) {
		return m
	}
	m = m.Clone()
	m.Delete(key)
	return m
}
