package engine

import (
	"math"

	"github.com/trowel-project/trowel/internal/dig"
)

// weights keeps the sums that weight rules need (control K806). Each is made when it is first asked for,
// and holds for ever: a group retry inserts tasks of its own.
type weights struct {
	subtrees map[*task]int64
	own      map[*dig.Options]int64 // many tasks share theirs
	flows    map[flow]int64
}

// flow names the sum of the weights of all that is downstream or upstream of a task among its siblings,
// or of what a gate opens or waits for.
type flow struct {
	of   *task
	at   *gate
	rule dig.WeightRule
}

// weight returns the effective weight of a task by a rule other than the absolute one: its own and those
// of all operator tasks downstream, or upstream, at any distance, among its siblings and those of its
// ancestors. Generated tasks have the weight of the task that generated them; handler trees, which
// inherit nothing, have their own.
func (img *Image) weight(t *task, own int, rule dig.WeightRule) int {
	var generator *task
	for p := t; p != nil; p = p.parent {
		if p.handler() {
			return own
		}
		if p.generated() {
			generator = p.parent
		}
	}
	if generator != nil {
		return generator.Needs.PriorityWeight()
	}
	if img.weights.subtrees == nil {
		img.weights = weights{subtrees: map[*task]int64{}, own: map[*dig.Options]int64{}, flows: map[flow]int64{}}
	}
	sum := int64(own)
	for p := t; p.parent != nil; p = p.parent {
		sum += img.weights.along(flow{of: p, rule: rule})
	}
	return int(min(max(sum, math.MinInt32), math.MaxInt32))
}

// subtree returns the weights of all static operator tasks below a task, or its own. One whose weight is
// still to be evaluated counts as 1.
func (w *weights) subtree(t *task) int64 {
	if !t.Group {
		o := t.options()
		own, ok := w.own[o]
		if !ok {
			own = int64(o.Weight())
			w.own[o] = own
		}
		return own
	}
	if sum, ok := w.subtrees[t]; ok {
		return sum
	}
	var sum int64
	for _, c := range t.children {
		if c.ParentRound == t.Round && !c.generated() {
			sum += w.subtree(c)
		}
	}
	w.subtrees[t] = sum
	return sum
}

// along returns a flow. Where every task leads to one gate at most, as in sequences and chunks, each flow
// is made of the next one; only where ways part and may meet again all tasks on them are walked.
func (w *weights) along(f flow) int64 {
	stack := []flow{f}
	for len(stack) > 0 {
		f := stack[len(stack)-1]
		if _, ok := w.flows[f]; ok {
			stack = stack[:len(stack)-1]
			continue
		}
		next, single := f.next()
		if !single {
			w.flows[f] = w.walk(f)
			continue
		}
		if next == (flow{}) {
			w.flows[f] = w.direct(f)
			continue
		}
		if rest, ok := w.flows[next]; ok {
			w.flows[f] = w.direct(f) + rest
			continue
		}
		stack = append(stack, next)
	}
	return w.flows[f]
}

// direct returns the weights of what a gate leads to at once; a task leads to gates only.
func (w *weights) direct(f flow) (sum int64) {
	for _, t := range f.tasks() {
		sum += w.subtree(t)
	}
	return sum
}

// tasks returns what a gate leads to, each once.
func (f flow) tasks() []*task {
	switch {
	case f.at == nil:
		return nil
	case f.rule == dig.WeightDownstream:
		return f.at.opens
	default:
		return byID(f.at.upstreams)
	}
}

// gates returns what a task leads to.
func (f flow) gates(t *task) []*gate {
	if f.rule == dig.WeightDownstream {
		return t.feeds
	}
	if t.gate == nil {
		return nil
	}
	return []*gate{t.gate}
}

// next returns the one gate to which a flow goes on, or none. It is not single if there are more, or if
// some of the upstreams of a gate wait for another gate and some for none: these may come before those.
func (f flow) next() (next flow, single bool) {
	tasks := f.tasks()
	if f.of != nil {
		tasks = []*task{f.of}
	}
	var only *gate
	ends := false
	for _, t := range tasks {
		gates := f.gates(t)
		ends = ends || len(gates) == 0
		for _, g := range gates {
			if only != nil && g != only {
				return flow{}, false
			}
			only = g
		}
	}
	if only == nil {
		return flow{}, true
	}
	return flow{at: only, rule: f.rule}, !ends || f.rule == dig.WeightDownstream
}

// walk adds up all tasks that a flow reaches, each once.
func (w *weights) walk(f flow) (sum int64) {
	seen := map[*gate]bool{}
	met := map[*task]bool{}
	queue := []*gate{f.at}
	if f.of != nil {
		queue = append([]*gate(nil), f.gates(f.of)...)
	}
	for len(queue) > 0 {
		g := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[g] {
			continue
		}
		seen[g] = true
		for _, t := range (flow{at: g, rule: f.rule}).tasks() {
			if met[t] {
				continue
			}
			met[t] = true
			sum += w.subtree(t)
			queue = append(queue, f.gates(t)...)
		}
	}
	return sum
}
