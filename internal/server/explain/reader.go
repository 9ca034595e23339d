package explain

import (
	"errors"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Limits of what is read to explain one task.
const (
	maxSiblings = 64   // upstreams that are read one by one; with more, the outlines of all siblings are
	maxReady    = 5000 // ready tasks among which a position is counted
	maxBusy     = 1000 // running tasks among which those with slots are searched
	maxActive   = 5    // attempts that are named
)

// rules are the settings by which the flusher chooses tasks.
type rules struct {
	queue      queue.Rules
	maxRunning int // zero for no limit

	// competitors are the ready and running tasks of all attempts; nil to read them each time.
	competitors *competitors
}

// reader reads the facts about tasks of one attempt: the tasks themselves, their groups and what they wait for. Only of an
// ended attempt it reads all tasks, which are in one archive. It is for one transaction.
type reader struct {
	*rest.Call

	rules   *rules
	tx      trowel.Tx
	summary *trowel.AttemptSummary
	facts   *reason.Facts
	rows    map[trowel.TaskID]*trowel.Task // tasks that were read
	ended   bool                           // the attempt has an archive, which is in rows
	listed  map[trowel.TaskID]bool         // tasks whose children were listed
	counted map[trowel.TaskID]bool         // tasks whose children were counted
	limited bool                           // the workflow's own limits are in facts
	whole   bool                           // all tasks of the attempt are in facts
}

// newReader finds the attempt of the path, and reads what is needed to explain tasks of it.
func newReader(c *rest.Call, tx trowel.Tx, by *rules) (*reader, error) {
	r, err := attemptReader(c, tx, by)
	switch {
	case err != nil:
		return nil, err
	case r.summary.Attempt.Flags&trowel.AttemptDone != 0:
		return r, r.readArchive()
	}
	return r, r.readAdmission()
}

// attemptReader finds the attempt of the path.
func attemptReader(c *rest.Call, tx trowel.Tx, by *rules) (*reader, error) {
	s, err := find.Attempt(c, tx)
	if err != nil {
		return nil, err
	}
	r := &reader{
		Call: c, rules: by, tx: tx, summary: s, rows: map[trowel.TaskID]*trowel.Task{}, listed: map[trowel.TaskID]bool{}, counted: map[trowel.TaskID]bool{},
	}
	r.facts = &reason.Facts{
		Now: c.Now, Attempt: &s.Attempt, Project: s.Project.Name, Tree: reason.NewTree(),
		Workflow: trowel.WorkflowName{ProjectID: s.Project.ID, Name: s.Session.Workflow},
	}
	return r, nil
}

func (r *reader) readArchive() error {
	tasks, err := r.tx.ListArchivedTasks(r.Ctx(), r.summary.Attempt.ID)
	if errors.Is(err, trowel.ErrNotFound) {
		return nil // it ended before it had tasks
	}
	r.ended = true
	outlines := make([]trowel.TaskOutline, len(tasks))
	for i, t := range tasks {
		r.rows[t.ID] = t
		outlines[i] = t.Outline()
	}
	r.facts.Tree.Add(outlines...)
	return err
}

// task returns a task of the attempt; nil if there is none.
func (r *reader) task(id trowel.TaskID) (*trowel.Task, error) {
	if t := r.rows[id]; t != nil || r.ended {
		return t, nil
	}
	err := r.read(id)
	return r.rows[id], err
}

// read reads tasks into rows and tree, unless they are there.
func (r *reader) read(ids ...trowel.TaskID) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id trowel.TaskID) bool { return id == 0 || r.rows[id] != nil })
	if r.ended || len(ids) == 0 {
		return nil
	}
	tasks, err := r.tx.FindTasks(r.Ctx(), r.summary.Attempt.ID, ids)
	for _, t := range tasks {
		r.rows[t.ID] = t
		r.facts.Tree.Add(t.Outline())
	}
	return err
}

// prepare reads the facts about a task.
func (r *reader) prepare(t *trowel.Task) error {
	if err := r.readAbove(t); err != nil {
		return err
	}
	r.facts.LastTry = nil
	switch t.State {
	case trowel.TaskBlocked:
		return errors.Join(r.readUpstreams(t), r.readKiller(t))
	case trowel.TaskReady:
		return r.readMarket()
	case trowel.TaskRetryWaiting, trowel.TaskError:
		return r.readTry(t)
	case trowel.TaskRunning:
		return r.readAgents()
	case trowel.TaskPlanned, trowel.TaskGroupError:
		return r.readChildren(t)
	case trowel.TaskGroupRetryWaiting:
		return r.readOutlines(t.ID)
	case trowel.TaskSuccess, trowel.TaskCanceled, trowel.TaskSkipped, trowel.TaskDeferred, trowel.TaskAwaitingInput:
	}
	return nil
}

// readAbove reads the groups of a task.
func (r *reader) readAbove(t *trowel.Task) error {
	for id := t.ParentID; id != 0 && r.rows[id] == nil; id = r.rows[id].ParentID {
		if err := r.read(id); err != nil {
			return err
		}
		if r.rows[id] == nil {
			return nil
		}
	}
	return nil
}

// readUpstreams reads what a blocked task and its groups wait for, as far as it decides whether they can run.
func (r *reader) readUpstreams(t *trowel.Task) error {
	for !r.whole && t != nil && t.State == trowel.TaskBlocked {
		if len(t.Upstreams) <= maxSiblings {
			if err := r.read(t.Upstreams...); err != nil {
				return err
			}
		}
		if r.undecided(t) {
			if err := r.readOutlines(t.ParentID); err != nil {
				return err
			}
		}
		t = r.rows[t.ParentID]
	}
	return nil
}

// readOutlines reads the outlines of all children of a task.
func (r *reader) readOutlines(parent trowel.TaskID) error {
	if r.ended || r.whole || parent == 0 || r.listed[parent] {
		return nil
	}
	r.listed[parent] = true
	outlines, err := r.tx.ListOutlines(r.Ctx(), r.summary.Attempt.ID, parent)
	r.facts.Tree.Add(outlines...)
	return err
}

// readChildren counts the children of a task, and reads the first open and the failed one.
func (r *reader) readChildren(t *trowel.Task) error {
	if r.ended || r.whole || r.counted[t.ID] {
		return nil
	}
	r.counted[t.ID] = true
	counts, err := r.tx.CountChildren(r.Ctx(), r.summary.Attempt.ID, t.ID)
	if err != nil {
		return err
	}
	r.facts.Tree.Count(t.ID, counts)
	var first []trowel.TaskID
	for _, id := range []trowel.TaskID{r.facts.Tree.FirstOpen(t.ID), r.facts.Tree.FailedChild(t.ID)} {
		if id != 0 {
			first = append(first, id)
		}
	}
	return r.read(first...)
}

func (r *reader) readTry(t *trowel.Task) error {
	if t.Try == 0 {
		return nil
	}
	try, err := r.tx.FindTry(r.Ctx(), t.AttemptID, trowel.TryID{Task: t.ID, Number: t.Try})
	if errors.Is(err, trowel.ErrNotFound) {
		return nil
	}
	r.facts.LastTry = try
	return err
}

// readKiller finds who killed the attempt, in the transition that flagged a blocked task.
func (r *reader) readKiller(t *trowel.Task) error {
	if t.Flags&trowel.TaskCancelRequested == 0 || r.ended || r.facts.KilledBy != "" {
		return nil
	}
	entries, err := r.tx.ListAuditsAt(r.Ctx(), t.AttemptID, t.UpdatedAt)
	for _, e := range entries {
		if e.TaskID == t.ID && e.Cause == string(trowel.TransitionCancel) {
			r.facts.KilledBy = e.Actor
		}
	}
	return err
}

// undecided reports whether more than the upstreams of a blocked task must be read to know whether it can ever run.
func (r *reader) undecided(t *trowel.Task) bool {
	return len(t.Upstreams) > maxSiblings || slices.ContainsFunc(t.Upstreams, func(id trowel.TaskID) bool {
		up := r.rows[id]
		return up != nil && up.State == trowel.TaskBlocked
	})
}
