package dig

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// WeightRule says which tasks' weights a task adds to its own (control K806).
type WeightRule uint8

// Weight rules.
const (
	WeightAbsolute   WeightRule = iota // only its own
	WeightDownstream                   // those of all tasks downstream, direct or indirect
	WeightUpstream                     // those of all tasks upstream, direct or indirect
)

// Bounds of options (control K802, K806).
const (
	maxPools  = 4
	maxWeight = 1_000_000
	maxCount  = 1_000_000_000
)

// optionReader reads the values of options and collects what is wrong with them.
type optionReader struct {
	// unevaluated skips texts with ${, whose values are known when the task is ready.
	unevaluated bool
	errs        []optionError
}

// optionError is an error with the keys that lead to its place.
type optionError struct {
	path  []string
	id    string // of the finding
	err   *Error
	lacks string   // the missing key that the value must have
	takes []string // the keys that are allowed instead of the last one in path
}

// problem returns the error as a problem of a task, or of the workflow if task is -1.
func (e *optionError) problem(task int) problem {
	return problem{task: task, path: e.path, id: e.id, err: e.err, lacks: e.lacks, takes: e.takes}
}

// open reports whether a value is not known yet.
func (r *optionReader) open(value param.Value) bool { return r.unevaluated && hasTemplate(value) }

func (r *optionReader) wrong(err *Error, path ...string) {
	r.errs = append(r.errs, optionError{path: slices.Clone(path), id: findingValue, err: err})
}

func (r *optionReader) wrongf(path []string, format string, args ...any) {
	r.wrong(configErrorf("Parameter '%s' %s", strings.Join(path, "."), fmt.Sprintf(format, args...)), path...)
}

// lacking refuses the object of an option that lacks a required key.
func (r *optionReader) lacking(option, key string) {
	r.wrongf([]string{option}, "needs the key '%s'", key)
	r.errs[len(r.errs)-1].lacks = key
}

// needs reads options without null.
func (r *optionReader) needs(values *param.Map, fullName string) (*trowel.Requirements, WeightRule) {
	n := &trowel.Requirements{}
	slots := 1
	if value, ok := values.Get(keyPoolSlots); ok {
		slots = r.integer(value, 1, maxCount, keyPoolSlots)
	}
	if value, ok := values.Get(keyPool); ok {
		n.Pools = r.pools(value, slots)
	} else if slots != 1 {
		n.Pools = []trowel.PoolRequirement{{Name: trowel.DefaultPool, Slots: slots}}
	}
	if value, ok := values.Get(keyPriorityWeight); ok {
		weight := r.integer(value, -maxWeight, maxWeight, keyPriorityWeight)
		n.Weight = &weight
	}
	rule := WeightAbsolute
	if value, ok := values.Get(keyWeightRule); ok {
		rule = r.weightRule(value)
	}
	if value, ok := values.Get(keyConcurrency); ok {
		n.Concurrency = r.concurrency(value, fullName)
	}
	if value, ok := values.Get(keyQueue); ok {
		r.queue(value, n)
	}
	if value, ok := values.Get(keyLimits); ok {
		n.Limits = r.commandLimits(value)
	}
	return n, rule
}

// pools reads _pool. slots is the value of _pool_slots.
func (r *optionReader) pools(value param.Value, slots int) []trowel.PoolRequirement {
	list, isList := value.(param.List)
	if !isList {
		return []trowel.PoolRequirement{r.pool(value, slots)}
	}
	if len(list) == 0 || len(list) > maxPools {
		r.wrongf([]string{keyPool}, "must name 1 to %d pools, but names %d", maxPools, len(list))
		return nil
	}
	needs := make([]trowel.PoolRequirement, len(list))
	for i, item := range list {
		needs[i] = r.pool(item, 1)
		named := func(n trowel.PoolRequirement) bool { return n.Name == needs[i].Name }
		if needs[i].Name != "" && slices.ContainsFunc(needs[:i], named) {
			r.wrongf([]string{keyPool}, "names the pool %q twice", needs[i].Name)
		}
	}
	slices.SortFunc(needs, func(a, b trowel.PoolRequirement) int { return cmp.Compare(a.Name, b.Name) })
	return needs
}

func (r *optionReader) pool(value param.Value, slots int) trowel.PoolRequirement {
	object, ok := value.(*param.Map)
	if !ok {
		return trowel.PoolRequirement{Name: r.text(value, keyPool), Slots: slots}
	}
	need := trowel.PoolRequirement{Slots: 1}
	r.known(without(object, "scope"), keyPool, "name", "slots")
	if name, ok := object.Get("name"); ok {
		need.Name = r.text(name, keyPool, "name")
	} else {
		r.lacking(keyPool, "name")
	}
	if n, _ := object.Get("slots"); n != nil {
		need.Slots = r.integer(n, 1, maxCount, keyPool, "slots")
	}
	if scope, _ := object.Get("scope"); scope != nil {
		r.later("each task takes its own slots", keyPool, "scope")
	}
	return need
}

// weightRules returns the names of weight rules, in their order.
func weightRules() []string { return []string{"absolute", "downstream", "upstream"} }

func (r *optionReader) weightRule(value param.Value) WeightRule {
	names := weightRules()
	return WeightRule(max(0, slices.Index(names, r.choice(value, names, keyWeightRule)))) //nolint:gosec // one of three
}

func (r *optionReader) concurrency(value param.Value, fullName string) *trowel.Concurrency {
	c := &trowel.Concurrency{Per: trowel.PerWorkflow, Key: fullName}
	object, ok := value.(*param.Map)
	if !ok {
		c.Limit = r.integer(value, 1, maxCount, keyConcurrency)
		return c
	}
	r.known(object, keyConcurrency, "limit", "per", "key", "on_limit", "include_waiting")
	if limit, ok := object.Get("limit"); ok {
		c.Limit = r.integer(limit, 1, maxCount, keyConcurrency, "limit")
	} else {
		r.lacking(keyConcurrency, "limit")
	}
	if per, _ := object.Get("per"); per != nil {
		scopes := []string{trowel.PerWorkflow, trowel.PerAttempt, trowel.PerProject, trowel.PerSite}
		c.Per = r.choice(per, scopes, keyConcurrency, "per")
	}
	if key, _ := object.Get("key"); key != nil {
		c.Key = r.text(key, keyConcurrency, "key")
	}
	if full, _ := object.Get("on_limit"); full != nil {
		c.Fail = r.missing([]string{keyConcurrency, "on_limit"}, full, "wait", "fail") == "fail"
	}
	if waiting, _ := object.Get("include_waiting"); waiting != nil {
		c.RunningOnly = !r.boolean(waiting, keyConcurrency, "include_waiting")
	}
	return c
}

// queue reads _queue into needs.
func (r *optionReader) queue(value param.Value, n *trowel.Requirements) {
	object, ok := value.(*param.Map)
	if !ok {
		n.Queue = r.text(value, keyQueue)
	} else {
		r.known(object, keyQueue, "name", "labels")
		if name, _ := object.Get("name"); name != nil {
			n.Queue = r.text(name, keyQueue, "name")
		}
		if labels, _ := object.Get("labels"); labels != nil {
			n.Labels = r.labels(labels)
		}
	}
	if n.Queue == trowel.DefaultQueue {
		n.Queue = ""
	}
}

func (r *optionReader) labels(value param.Value) []string {
	list, ok := value.(param.List)
	if !ok {
		if !r.open(value) {
			r.wrong(asError(param.WrongType(keyQueue+".labels", param.TypeList, value)), keyQueue, "labels")
		}
		return nil
	}
	labels := make([]string, len(list))
	for i, item := range list {
		labels[i] = r.text(item, keyQueue, "labels")
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}
