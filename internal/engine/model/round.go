package model

import (
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// rounds repeats the loop of X8 until a round changes nothing, for an event that comes before the root
// is done. If that ends the root, what follows below is still settled.
func (m *Model) rounds() {
	root := m.Tasks[0]
	for goOn := m.Wait == ""; goOn; {
		goOn = m.round()
	}
	m.giveBack()
	if root.State.Done() {
		m.Flags |= trowel.AttemptDone
	}
	if root.State == trowel.TaskSuccess {
		m.Flags |= trowel.AttemptSuccess
	}
}

func (m *Model) round() bool {
	before := m.picture()
	for _, t := range m.Tasks {
		m.unblock(t)
	}
	for _, t := range slices.Clone(m.Tasks) {
		if t.State == trowel.TaskReady && t.Group {
			m.restart(t)
		}
	}
	for _, t := range slices.Clone(m.Tasks) {
		m.finish(t)
	}
	return !slices.Equal(before, m.picture())
}

// picture is what a round may change.
func (m *Model) picture() []uint16 {
	list := make([]uint16, len(m.Tasks))
	for i, t := range m.Tasks {
		list[i] = uint16(t.State)<<8 | uint16(t.Flags)
		if t.Waits {
			list[i] |= 1 << 15
		}
	}
	return list
}

// unblock is X9.
func (m *Model) unblock(t *Task) {
	if t.State != trowel.TaskBlocked || t.Waits || !m.upstreamsSucceeded(t) {
		return
	}
	if parent := m.Task(t.Parent); parent.State != trowel.TaskPlanned && parent.State != trowel.TaskSuccess {
		return
	}
	switch {
	case t.Group:
		t.State = trowel.TaskPlanned
	case t.Flags&trowel.TaskCancelRequested != 0:
		t.State = trowel.TaskCanceled
	default:
		m.ready(t)
	}
}

func (m *Model) upstreamsSucceeded(t *Task) bool {
	for _, id := range t.Upstreams {
		if m.Task(id).State != trowel.TaskSuccess {
			return false
		}
	}
	return true
}

// restart is X37: what is copied is what the group began with, so of each name among its children
// the first (X39 is mended: the same holds below copies).
func (m *Model) restart(group *Task) {
	copies := map[trowel.TaskID]*Task{group.ID: group}
	for _, old := range m.original(group) {
		t := &Task{
			ID: trowel.TaskID(len(m.Tasks) + 1), Parent: copies[old.Parent].ID, Name: old.Name, Group: old.Group,
			Local: old.Local, Export: old.Export, Flags: old.Flags & trowel.TaskInitial,
		}
		copies[old.ID] = t
		m.Tasks = append(m.Tasks, t)
	}
	for id, t := range copies {
		if t == group {
			continue
		}
		for _, up := range m.Task(id).Upstreams {
			t.Upstreams = append(t.Upstreams, copies[up].ID)
		}
	}
	group.Result = trowel.Result{}
	group.State = trowel.TaskPlanned
}

// original lists what a group began with, in the order of the ids.
func (m *Model) original(group *Task) []*Task {
	var list []*Task
	seen := map[string]bool{}
	for _, c := range m.children(group) {
		if seen[c.Name] || strings.HasPrefix(strings.TrimPrefix(c.Name, group.Name), "^") {
			continue
		}
		seen[c.Name] = true
		list = append(list, c)
		if c.Group {
			list = append(list, m.original(c)...)
		}
	}
	return list
}

// finish is X12 and X13.
func (m *Model) finish(t *Task) {
	if t.State != trowel.TaskPlanned || m.progressible(t) {
		return
	}
	switch {
	case t.Flags&trowel.TaskCancelRequested != 0:
		t.State = trowel.TaskCanceled
	case t.Flags&trowel.TaskDelayedError != 0:
		t.State = trowel.TaskError
	case t.Flags&trowel.TaskDelayedGroupError != 0:
		t.State = trowel.TaskGroupError
	case !m.childFailed(t):
		t.State = trowel.TaskSuccess
	case m.retry(t):
	case m.addFailureTasks(t):
		t.Flags |= trowel.TaskDelayedGroupError
	default:
		t.State = trowel.TaskGroupError
	}
}

// progressible reports whether a child goes on or may go on (X12).
func (m *Model) progressible(t *Task) bool {
	for _, c := range m.children(t) {
		if c.State == trowel.TaskBlocked && m.upstreamsSucceeded(c) {
			return true
		}
		if progressing := []trowel.TaskState{
			trowel.TaskReady, trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting, trowel.TaskRunning, trowel.TaskPlanned,
		}; slices.Contains(progressing, c.State) {
			return true
		}
	}
	return false
}

// childFailed is X14: of each name the newest child counts.
func (m *Model) childFailed(t *Task) bool {
	newest := map[string]*Task{}
	for _, c := range m.children(t) {
		if !c.Forgotten {
			newest[c.Name] = c
		}
	}
	for _, c := range newest {
		if c.State == trowel.TaskError || c.State == trowel.TaskGroupError {
			return true
		}
	}
	return false
}

// retry is X34 and X35.
func (m *Model) retry(t *Task) bool {
	value, present := directive(t, "_retry")
	if !present {
		return false
	}
	retry, err := dig.ParseRetry(value)
	if err != nil {
		return false
	}
	count := int64(0)
	if value, ok := t.StateParams.Get("retry_count"); ok {
		n, isNumber := value.(int64)
		if !isNumber {
			return false
		}
		count = n
	}
	if count >= int64(retry.Limit) {
		return false
	}
	params := t.StateParams.Clone()
	params.Set("retry_count", count+1)
	t.StateParams = params
	t.RetryAt = m.now.Add(retry.Delay(int(count)))
	t.State = trowel.TaskGroupRetryWaiting
	return true
}

// directive reads _retry, _error or _check: _export overlaid with the own keys (C3).
func directive(t *Task, key string) (param.Value, bool) {
	return param.Merged(t.Export, t.Local).Get(key)
}
