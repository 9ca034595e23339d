package model

import (
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Scope returns the parameters of a task by the letter of P3, up to the built-ins. base are those of
// revision and session.
func (m *Model) Scope(id trowel.TaskID, base *param.Map) *param.Map {
	t := m.Task(id)
	p := base.Clone()
	for _, w := range m.walk(t) {
		if m.ancestor(w, t) {
			p.Merge(param.Merged(w.Export, w.Result.Export))
		}
		for _, key := range w.Result.ResetKeys {
			p.DeletePath(key)
		}
		p.Merge(w.Result.Store)
	}
	p.Merge(t.Export)
	p.Delete("_check")
	p.Delete("_error")
	return p
}

func (m *Model) ancestor(a, of *Task) bool {
	for p := m.Task(of.Parent); p != nil; p = m.Task(p.Parent) {
		if p == a {
			return true
		}
	}
	return false
}

// walk is WALK of P4.
func (m *Model) walk(t *Task) []*Task {
	line := []*Task{t}
	for p := m.Task(t.Parent); p != nil; p = m.Task(p.Parent) {
		line = append(line, p)
	}
	slices.Reverse(line)
	var list []*Task
	for _, a := range line {
		list = append(list, m.closure(a, map[*Task]bool{})...)
		if a != t {
			list = append(list, a)
		}
	}
	return list
}

// closure is the upstream closure of P4.
func (m *Model) closure(a *Task, listed map[*Task]bool) []*Task {
	var list []*Task
	for _, id := range slices.Sorted(slices.Values(a.Upstreams)) {
		s := m.Task(id)
		if listed[s] {
			continue
		}
		listed[s] = true
		list = append(list, m.closure(s, listed)...)
		list = append(list, s)
		list = append(list, m.descendants(s)...)
	}
	return list
}
