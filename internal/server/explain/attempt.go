package explain

import (
	"fmt"
	"maps"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/server/rest"
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
	id, err := a.tx.FindFirstTask(a.Ctx(), a.summary.Attempt.ID)
	if err != nil || id == 0 {
		return nil, err
	}
	return a.task(id)
}

// byCode counts the waiting tasks of the attempt. It is the one question that looks at all of them, but
// only at who waits for whom.
func (a *asker) byCode() (api.List[api.CodeCount], error) {
	tree, ready := a.facts.Tree, []reason.Waiting(nil)
	if !a.ended {
		outlines, err := a.tx.ListUnfinished(a.Ctx(), a.summary.Attempt.ID)
		if err != nil {
			return nil, err
		}
		tree = reason.NewTree(outlines...)
		if ready, err = a.readyByCode(); err != nil {
			return nil, err
		}
	}
	list := api.List[api.CodeCount]{}
	for _, w := range tree.Waiting(a.facts, ready) {
		count := api.CodeCount{Code: string(w.Code), Arg: w.Arg, Count: w.Count, Sample: api.TaskRef{ID: api.ID(w.Sample)}}
		if o := tree.Find(w.Sample); o != nil {
			count.Sample.Name = o.FullName
		}
		list = append(list, count)
	}
	return list, nil
}

// readyByCode counts the ready tasks of the attempt. Those that ask for the same wait for the same.
func (a *asker) readyByCode() ([]reason.Waiting, error) {
	counts, err := a.tx.CountReady(a.Ctx(), a.summary.Attempt.ID)
	if err != nil || len(counts) == 0 {
		return nil, err
	}
	if err := a.readMarket(); err != nil {
		return nil, err
	}
	list := make([]reason.Waiting, len(counts))
	for i, c := range counts {
		t := &trowel.Task{
			ID: c.First, AttemptID: a.summary.Attempt.ID, State: trowel.TaskReady, Flags: c.Flags, ReadyAt: c.ReadyAt, Needs: c.Needs, Holds: c.Holds,
		}
		first := reason.Explain(t, a.facts)[0]
		list[i] = reason.Waiting{Code: first.Code, Count: c.Count, Sample: c.First}
		for _, key := range []string{"pool", "key", "queue", "scope"} {
			if value, ok := first.Fields.Get(key); ok {
				list[i].Arg, _ = value.(string)
				break
			}
		}
	}
	return list, nil
}

// getReasons lists the first reasons of the tasks that wait.
func (e *explainer) getReasons(c *rest.Call) (any, error) {
	limit, key, err := c.PageNumbers(1)
	if err != nil {
		return nil, err
	}
	after := trowel.TaskID(0)
	if key != nil {
		after = trowel.TaskID(key[0])
	}
	return asking(e, c, func(a *asker) (api.TaskReasonList, error) { return a.reasons(after, limit) })
}

// reasons explains the tasks whose ids come after one.
func (a *asker) reasons(after trowel.TaskID, limit int) (list api.TaskReasonList, err error) {
	ids := a.facts.Tree.ListWaiting(after, limit+1)
	if !a.ended {
		if ids, err = a.tx.ListWaitingTasks(a.Ctx(), a.summary.Attempt.ID, after, limit+1); err != nil {
			return list, err
		}
	}
	if len(ids) > limit {
		ids = ids[:limit]
		list.Next = rest.NumberCursor(int64(ids[limit-1]))
	}
	if err := a.readTogether(ids); err != nil {
		return list, err
	}
	for _, id := range ids {
		t := a.rows[id]
		if t == nil {
			continue
		}
		if err := a.prepare(t); err != nil {
			return list, err
		}
		list.Items = append(list.Items, api.TaskReason{
			Task: api.TaskRef{ID: api.ID(id), Name: t.FullName}, StateDetail: reason.Detail(t, a.facts), Reason: reasonOf(reason.Explain(t, a.facts)[0]),
		})
	}
	return list, nil
}

// groupsAtMost is of how many groups the children are read one by one; of more, all tasks are read.
const groupsAtMost = 4

// readTogether reads what explains some tasks in few steps: the tasks, the groups that they are in, and what
// all of these wait for. If that is not enough for many of them, it reads who waits for whom in all of the attempt.
func (a *asker) readTogether(ids []trowel.TaskID) error {
	if a.ended {
		return nil
	}
	var found []trowel.TaskID // tasks and groups
	for next := ids; len(next) > 0; {
		if err := a.read(next...); err != nil {
			return err
		}
		found = append(found, next...)
		above := map[trowel.TaskID]bool{}
		for _, id := range next {
			if t := a.rows[id]; t != nil && t.ParentID != 0 && a.rows[t.ParentID] == nil {
				above[t.ParentID] = true
			}
		}
		next = slices.Collect(maps.Keys(above))
	}
	var upstreams []trowel.TaskID
	for _, id := range found {
		if t := a.rows[id]; t != nil && t.State == trowel.TaskBlocked && len(t.Upstreams) <= siblingsAtOnce {
			upstreams = append(upstreams, t.Upstreams...)
		}
	}
	if err := a.read(upstreams...); err != nil {
		return err
	}
	groups := map[trowel.TaskID]bool{} // whose children are needed
	for _, id := range found {
		switch t := a.rows[id]; {
		case t == nil:
		case t.State == trowel.TaskBlocked && a.undecided(t):
			groups[t.ParentID] = true
		case t.State == trowel.TaskPlanned || t.State == trowel.TaskGroupRetryWaiting:
			groups[t.ID] = true
		}
	}
	if len(groups) <= groupsAtMost {
		return nil
	}
	outlines, err := a.tx.ListOutlines(a.Ctx(), a.summary.Attempt.ID, 0)
	a.facts.Tree, a.whole = reason.NewTree(outlines...), true
	return err
}

// undecided reports whether one has to look further than at the upstreams of a blocked task to know whether
// it may ever run.
func (a *asker) undecided(t *trowel.Task) bool {
	return len(t.Upstreams) > siblingsAtOnce || slices.ContainsFunc(t.Upstreams, func(id trowel.TaskID) bool {
		up := a.rows[id]
		return up != nil && up.State == trowel.TaskBlocked
	})
}
