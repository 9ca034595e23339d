package explain

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// reasons explains the waiting tasks after an id.
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
