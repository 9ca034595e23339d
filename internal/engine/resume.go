package engine

import (
	"errors"
	"fmt"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// Resuming begins a new attempt in which tasks of an earlier one, the source, count as done: tasks of the same full name
// are inserted in state SUCCESS with the results from the source (language 3.14). This file decides which tasks these
// are; insert in start.go and everything that generates tasks takes them over.

// Texts of language X65 and X66.
const (
	resumeSuccess    = "Resuming successfully completed attempts is not supported"
	resumeNotSuccess = "Resuming non-successful tasks is not allowed: task_id=%d"
)

// ResumeFailed returns the tasks of a source that count as done when it is resumed after a failure: all that succeeded,
// generated ones too (language X65). Of several tasks of one name the last counts (differs from X71). rows are all tasks
// of the source ordered by id; the source may still be running. A source that has succeeded cannot be resumed, which is
// an ErrInvalid.
func ResumeFailed(rows []*trowel.Task) ([]*trowel.Task, error) {
	s := newSource(rows)
	if s.root != nil && s.root.State == trowel.TaskSuccess {
		return nil, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: resumeSuccess, Hint: "start the workflow again under another attempt name",
		}
	}
	last := make(map[string]*trowel.Task, len(rows))
	for _, row := range rows {
		last[row.FullName] = row
	}
	var list []*trowel.Task
	for _, row := range rows {
		if row.State == trowel.TaskSuccess && last[row.FullName] == row {
			list = append(list, s.resumed(row))
		}
	}
	return list, nil
}

// ResumeFrom returns the tasks of a source that count as done when it is resumed from the task that matches the pattern:
// the tasks before it and before its ancestors, with their subtrees (language X65, X72). If one of them has not
// succeeded, it is an ErrInvalid (language X66). Resuming from the root takes over nothing.
func ResumeFrom(rows []*trowel.Task, pattern string) ([]*trowel.Task, error) {
	s := newSource(rows)
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.FullName
	}
	at, err := dig.MatchName(pattern, names)
	if err != nil {
		return nil, patternError(err)
	}
	before := map[trowel.TaskID]bool{}
	for t := rows[at]; t != nil; t = s.rows[t.ParentID] {
		s.markUpstreams(t, before)
	}
	var list []*trowel.Task
	for _, row := range rows {
		if parent := s.rows[row.ParentID]; parent != nil && before[parent.ID] && presentIn(row, parent) {
			before[row.ID] = true
		}
		if !before[row.ID] {
			continue
		}
		if row.State != trowel.TaskSuccess {
			return nil, &trowel.Error{
				Kind: trowel.ErrInvalid, Message: fmt.Sprintf(resumeNotSuccess, row.ID),
				Hint: row.FullName + " did not succeed: resume from it, or from a task before it",
			}
		}
		list = append(list, s.resumed(row))
	}
	return list, nil
}

// patternError gives an error of dig about a pattern the form that it has over REST: with the name of a class in front
// (server 2.5).
func patternError(err error) error {
	const class = "io.digdag.core.workflow.TaskMatchPattern$"
	message := err.Error()
	if known, ok := errors.AsType[*dig.Error](err); ok {
		switch known.Kind {
		case dig.KindNoMatch:
			message = class + "NoMatchException: " + known.Message
		case dig.KindMultipleMatch:
			message = class + "MultipleTaskMatchException: " + known.Message
		}
	}
	return &trowel.Error{
		Kind: trowel.ErrInvalid, Message: message,
		Hint: "give the end of the full name of one task of the attempt that is resumed, such as +load+fetch",
	}
}

// StillNeeded returns the resumed tasks that are still needed later: those that are generated while the attempt runs
// (language X69).
func StillNeeded(resumed []*trowel.Task) []*trowel.Task {
	var list []*trowel.Task
	for _, row := range resumed {
		if strings.Contains(row.FullName, "^") {
			list = append(list, row)
		}
	}
	return list
}

// source is the tree of an earlier attempt.
type source struct {
	root     *trowel.Task
	rows     map[trowel.TaskID]*trowel.Task
	children map[trowel.TaskID][]*trowel.Task // ordered by id
}

func newSource(rows []*trowel.Task) *source {
	s := &source{rows: make(map[trowel.TaskID]*trowel.Task, len(rows)), children: map[trowel.TaskID][]*trowel.Task{}}
	for _, row := range rows {
		s.rows[row.ID] = row
		if row.ParentID == 0 {
			s.root = row
			continue
		}
		s.children[row.ParentID] = append(s.children[row.ParentID], row)
	}
	return s
}

func (s *source) markUpstreams(t *trowel.Task, marked map[trowel.TaskID]bool) {
	for _, id := range t.Upstreams {
		if !marked[id] {
			marked[id] = true
			s.markUpstreams(s.rows[id], marked)
		}
	}
}

// resumed is what a task gives to the new task that takes over its success, without its reset keys (language X68). The
// subtree of an operator task is not generated again, so the stores of the subtree are kept here (differs from X70).
func (s *source) resumed(row *trowel.Task) *trowel.Task {
	kept := *row
	kept.Result.ResetKeys = nil
	if !row.Group {
		g := gathering{at: row.Result.Store}
		s.gatherBelow(row, &g)
		kept.Result.Store = g.at
		kept.Masked = row.Masked.With(s.maskedBelow(row, kept.Result.Store)...)
	}
	return &kept
}

// maskedBelow are the hidden places of what was stored below a task.
func (s *source) maskedBelow(row *trowel.Task, stores *param.Map) trowel.Masked {
	var all trowel.Masked
	for _, c := range s.children[row.ID] {
		all = all.With(c.Masked.Still(trowel.AreaStore, c.Result.Store, stores)...).With(s.maskedBelow(c, stores)...)
	}
	return all
}

func (s *source) gatherBelow(row *trowel.Task, g *gathering) {
	for _, c := range s.children[row.ID] {
		if presentIn(c, row) {
			g.result(&task{Task: *c})
			s.gatherBelow(c, g)
		}
	}
}

// SetResumed sets the tasks of an earlier attempt that count as done when tasks of their names are generated. It is for
// a task tree that was read from the store; Begin does the same by itself.
func (img *TaskTree) SetResumed(tasks []*trowel.Task) { img.resume(tasks) }

func (img *TaskTree) resume(tasks []*trowel.Task) {
	img.resumed = make(map[string]*trowel.Task, len(tasks))
	for _, row := range tasks {
		img.resumed[row.FullName] = row
	}
}

// takeOver turns a task that is about to be inserted into the success of an earlier attempt, if it is a resumed one
// (language X67).
func (img *TaskTree) takeOver(t *task) {
	row := img.resumed[t.FullName]
	if row == nil || t.ParentID == 0 {
		return
	}
	t.Group, t.Local, t.Export = row.Group, row.Local, row.Export
	t.State, t.Result, t.Error, t.Masked = trowel.TaskSuccess, row.Result, row.Error, row.Masked
	t.UpdatedAt, t.ResumingID = row.UpdatedAt, row.ID
}

// tookOver follows the insertion of tasks: children of resumed tasks run if they were not resumed themselves (language
// X77), unless the attempt waits for its admission.
func (a *applying) tookOver(added []*task, parent *task) {
	stored := false
	for _, t := range added {
		if t.ResumingID != 0 && len(t.children) > 0 && a.img.Attempt.WaitReason == "" {
			a.then(t, opened)
		}
		stored = stored || t.storing() > 0
	}
	if stored && parent != nil {
		a.img.storedLate(parent)
	}
}

// storedLate clears the cached scopes if t left parameters after a later task had already gathered its own. That can
// happen because a resumed task waits for nothing, nor do the tasks below it or behind it (language P4, X76, X77).
func (img *TaskTree) storedLate(t *task) {
	for ; t != nil; t = t.parent {
		if t.walked {
			img.forgetScopes()
			return
		}
	}
}

// forgetScopes clears all cached scopes.
func (img *TaskTree) forgetScopes() {
	img.scopes.last.before, img.scopes.last.scope = nil, nil
	for _, t := range img.tasks {
		t.inside, t.walked = nil, false
		if t.barrier != nil {
			t.barrier.before, t.barrier.walked = nil, false
		}
	}
}
