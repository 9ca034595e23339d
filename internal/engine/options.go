package engine

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// options returns the options that apply to a task: those of its own body and of the bodies above it, also through
// generated trees (control K105, K106). It is nil for most tasks.
func (t *task) options() *dig.Options {
	if !t.optionsKnown {
		var above *dig.Options
		if t.parent != nil {
			above = t.parent.options()
		}
		if t.handler() {
			above = above.Handler()
		}
		t.ownOptions, t.optionsKnown = above.Below(t.Local), true
	}
	return t.ownOptions
}

// handler reports whether the task is the root of a tree that inherits only the queue, such as ^error (control K111).
func (t *task) handler() bool {
	if !t.generated() {
		return false
	}
	name := t.FullName[len(t.parent.FullName):]
	return name != "^sub" && name != "^check"
}

// read is the result of Options.Needs for options that need no evaluation.
type read struct {
	needs *trowel.Requirements
	rule  dig.WeightRule
	err   error
}

// read reads options. Those without expressions are read once for all tasks that share them.
func (img *TaskTree) read(o *dig.Options, evaluated *param.Map) read {
	known, ok := img.needs[o]
	if ok && o.Templated() == nil {
		return known
	}
	r := read{}
	r.needs, r.rule, r.err = o.Needs(evaluated, "")
	if o.Templated() == nil {
		if img.needs == nil {
			img.needs = map[*dig.Options]read{}
		}
		img.needs[o] = r
	}
	return r
}

// needsOf returns the needs of an operator task. evaluated has the values of its options with expressions.
func (img *TaskTree) needsOf(t *task, evaluated *param.Map) (*trowel.Requirements, error) {
	o := t.options()
	if o == nil {
		return nil, nil
	}
	r := img.read(o, evaluated)
	if r.err != nil || r.needs == nil {
		return nil, r.err
	}
	needs := r.needs
	if c := needs.Concurrency; c != nil {
		own := *c
		if own.Key == "" {
			own.Key = t.FullName
		}
		n := *needs
		n.Concurrency = &own
		if t.heldAbove(&own) {
			n.Concurrency = nil
		}
		needs = &n
	}
	if r.rule != dig.WeightAbsolute {
		weight := img.weight(t, needs.PriorityWeight(), r.rule)
		n := *needs
		n.Weight = &weight
		needs = &n
	}
	if needs.Limits != nil && img.wantsContainer(t) {
		n := *needs
		n.Container = true
		needs = &n
	}
	if n := needs; n.Queue == "" && n.Labels == nil && n.Pools == nil && n.Weight == nil && n.Concurrency == nil && n.Limits == nil {
		return nil, nil
	}
	return needs, nil
}

// keyDocker is the parameter with which a task asks for a container (operators 4.2).
const keyDocker = "docker"

// wantsContainer reports whether a task asks for a container.
func (img *TaskTree) wantsContainer(t *task) bool {
	value, own := t.Local.Get(keyDocker)
	if !own {
		value, _ = img.Scope(t.ID).Get(keyDocker)
	}
	return value != nil
}

// heldAbove reports whether an ancestor that generated this task holds a place under the same key until it is done.
// Otherwise the two would wait for each other.
func (t *task) heldAbove(c *trowel.Concurrency) bool {
	for p := t.parent; p != nil; p = p.parent {
		if p.Requirements == nil || p.Requirements.Concurrency == nil || p.Requirements.Concurrency.RunningOnly {
			continue
		}
		if above := p.Requirements.Concurrency; above.Per == c.Per && above.Key == c.Key {
			return true
		}
	}
	return false
}

// own returns the task's own keys without options, as templates and operators see them (control K109).
func (t *task) own() *param.Map {
	own := t.Local
	for key := range t.Local.All() {
		if dig.IsOption(key) {
			own = without(own, t.Local, key)
		}
	}
	return own
}

// addDefaults adds the _retry that the task gets from _defaults to what it sees (control K107). It is a parameter and
// not an own key, so no operator has to read it.
func (t *task) addDefaults(scope *param.Map) {
	if retry, ok := t.options().Retry(); ok && !t.Local.Has("_retry") && !t.Export.Has("_retry") {
		scope.Set("_retry", retry)
	}
}

// without deletes a key of m, or of a copy of it if m is still shared.
func without(m, shared *param.Map, key string) *param.Map {
	if m == shared {
		m = m.Clone()
	}
	m.Delete(key)
	return m
}

// holding returns what a task keeps holding in a state, and what it gives back. It keeps its place under a concurrency
// limit until it is done, unless waiting does not count; all else it keeps while it runs (control K804, K810).
func (t *task) holding(to trowel.TaskState) (kept, given trowel.Acquired) {
	if t.Acquired == nil || to == trowel.TaskRunning {
		return t.Acquired, nil
	}
	given = trowel.Acquired{}
	place := t.Requirements != nil && t.Requirements.Concurrency != nil && !t.Requirements.Concurrency.RunningOnly &&
		!to.Done() && to != trowel.TaskBlocked // the next evaluation may give another key
	for name, n := range t.Acquired {
		if !place || trowel.KindOfCounter(name) != trowel.CounterConcurrency {
			given[name] = n
			continue
		}
		if kept == nil {
			kept = trowel.Acquired{}
		}
		kept[name] = n
	}
	return kept, given
}
