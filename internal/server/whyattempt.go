package server

import (
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/reason"
)

// whyAttempt says why an attempt has not begun, or why its root has not ended.
func (a *asker) whyAttempt() (api.Why, error) {
	attempt := &a.summary.Attempt
	if reasons := reason.ExplainAttempt(a.facts); len(reasons) > 0 {
		shape := a.shape(nil, reasons)
		shape.State = "queued" // control K219
		return shape, nil
	}
	root, err := a.root()
	if err != nil {
		return api.Why{}, err
	}
	if root == nil || attempt.Flags&trowel.AttemptDone != 0 {
		shape := a.shape(nil, nil)
		shape.Text = "the attempt has ended: " + attempt.Flags.Status()
		if root == nil {
			return shape, nil
		}
		if attempt.Flags&trowel.AttemptSuccess == 0 {
			a.offer([]reason.Offer{{Action: reason.ActionRetry, Label: fmt.Sprintf("trowel retry %d --latest-revision --resume", attempt.ID)}})
		}
		shape.Chain, err = a.chain(root)
		shape.Offers = a.offers
		return shape, err
	}
	shape, err := a.why(root)
	shape.State = attempt.Flags.Status()
	return shape, err
}

func (a *asker) root() (*trowel.Task, error) {
	if a.ended {
		var root *trowel.Task
		for _, t := range a.rows {
			if t.ParentID == 0 {
				root = t
			}
		}
		return root, nil
	}
	// The root has the smallest id.
	id, err := a.tx.FindFirstTask(a.ctx(), a.summary.Attempt.ID)
	if err != nil || id == 0 {
		return nil, err
	}
	return a.task(id)
}

// byCode counts the waiting tasks of the attempt. It is the one question that looks at all of them, but
// only at who waits for whom.
func (a *asker) byCode() (api.List[api.CodeCount], error) {
	tree, err := a.wholeTree()
	if err != nil {
		return nil, err
	}
	live := map[trowel.TaskID]*trowel.LiveTask{}
	if !a.ended {
		rows, err := a.tx.ListLive(a.ctx(), []trowel.AttemptID{a.summary.Attempt.ID})
		if err != nil {
			return nil, err
		}
		for i := range rows {
			live[rows[i].TaskID] = &rows[i]
		}
	}
	var failed error
	known := map[readyKind]kindOfWait{}
	waiting := tree.Waiting(a.facts, func(id trowel.TaskID) (reason.Code, string) {
		l := live[id]
		if l == nil || l.State != trowel.TaskReady {
			return reason.CodeOf(tree.Find(id)), ""
		}
		kind := readyKind{l.Needs, len(l.Holds)}
		if _, found := known[kind]; !found && failed == nil {
			known[kind], failed = a.waitOf(l)
		}
		return known[kind].code, known[kind].arg
	})
	list := api.List[api.CodeCount]{}
	for _, w := range waiting {
		o := tree.Find(w.Sample)
		list = append(list, api.CodeCount{Code: string(w.Code), Arg: w.Arg, Count: w.Count, Sample: api.TaskRef{ID: api.ID(o.ID), Name: o.FullName}})
	}
	return list, failed
}

// wholeTree reads who waits for whom in all of the attempt.
func (a *asker) wholeTree() (*reason.Tree, error) {
	if a.ended {
		return a.facts.Tree, nil
	}
	outlines, err := a.tx.ListOutlines(a.ctx(), a.summary.Attempt.ID, 0)
	return reason.NewTree(outlines...), err
}

// readyKind is what ready tasks of an attempt share that wait for the same.
type readyKind struct {
	needs *trowel.Needs // rows of one listing share those that are equal
	holds int
}

type kindOfWait struct {
	code reason.Code
	arg  string // the name of what is waited for, if it has one
}

// waitOf is the first reason of a ready task.
func (a *asker) waitOf(l *trowel.LiveTask) (kindOfWait, error) {
	if err := a.readMarket(); err != nil {
		return kindOfWait{code: reason.Dispatch}, err
	}
	t := &trowel.Task{ID: l.TaskID, AttemptID: l.AttemptID, State: l.State, Flags: l.Flags, ReadyAt: l.ReadyAt, Needs: l.Needs, Holds: l.Holds}
	first := reason.Explain(t, a.facts)[0]
	for _, key := range []string{"pool", "key", "queue", "scope"} {
		if value, ok := first.Fields.Get(key); ok {
			arg, _ := value.(string)
			return kindOfWait{first.Code, arg}, nil
		}
	}
	return kindOfWait{code: first.Code}, nil
}

// getReasons lists the first reasons of the tasks that wait.
func getReasons(c *call) (any, error) {
	limit, key, err := c.numberKey(1)
	if err != nil {
		return nil, err
	}
	after := trowel.TaskID(0)
	if key != nil {
		after = trowel.TaskID(key[0])
	}
	return asking(c, func(a *asker) (api.TaskReasonList, error) { return a.reasons(after, limit) })
}

// reasons explains the tasks whose ids come after one.
func (a *asker) reasons(after trowel.TaskID, limit int) (list api.TaskReasonList, err error) {
	tree, err := a.wholeTree()
	if err != nil {
		return list, err
	}
	a.facts.Tree = tree
	ids := tree.ListWaiting(after, limit+1)
	if len(ids) > limit {
		ids = ids[:limit]
		list.Next = numberCursor(int64(ids[limit-1]))
	}
	if err := a.read(ids...); err != nil {
		return list, err
	}
	for _, id := range ids {
		t := a.rows[id]
		if t == nil {
			continue
		}
		if err := a.prepareWhole(t); err != nil {
			return list, err
		}
		list.Items = append(list.Items, api.TaskReason{
			Task: api.TaskRef{ID: api.ID(id), Name: t.FullName}, StateDetail: reason.Detail(t, a.facts), Reason: reasonOf(reason.Explain(t, a.facts)[0]),
		})
	}
	return list, nil
}

// prepareWhole is prepare for a task when who waits for whom is known of all tasks.
func (a *asker) prepareWhole(t *trowel.Task) error {
	a.facts.LastTry = nil
	switch t.State { //nolint:exhaustive // what needs no more than the tree
	case trowel.TaskBlocked:
		return a.readKiller(t)
	case trowel.TaskReady:
		return a.readMarket()
	case trowel.TaskRetryWaiting:
		return a.readTry(t)
	}
	return nil
}
