package ops

import (
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Limits of what is read to estimate when slots become free.
const (
	expectedHolders   = 500 // tasks with slots; with more there is no estimate for waiting tasks
	expectedWorkflows = 10  // whose earlier attempts are read
	expectedAttempts  = 5   // newest attempts, among which a successful one is searched
)

// expectEnds estimates when running tasks end: each takes as long as in the last successful attempt of its workflow.
// Tasks that have run for longer, or have no such attempt, are left out.
func expectEnds(c *rest.Call, tx trowel.Tx, found []ranked, names map[trowel.TaskID]trowel.TaskName) (map[trowel.TaskID]time.Time, error) {
	asked := map[trowel.WorkflowName][]string{}
	for i := range found {
		n := names[found[i].task.TaskID]
		w := trowel.WorkflowName{ProjectID: n.ProjectID, Name: n.Workflow}
		if asked[w] != nil || len(asked) < expectedWorkflows {
			asked[w] = append(asked[w], n.FullName)
		}
	}
	took := map[trowel.WorkflowName]map[string]time.Duration{}
	for w, tasks := range asked {
		attempts, err := tx.ListAttempts(c.Ctx(), trowel.AttemptFilter{Project: w.ProjectID, Workflow: w.Name, Limit: expectedAttempts})
		if err != nil {
			return nil, err
		}
		last := slices.IndexFunc(attempts, func(a *trowel.AttemptSummary) bool {
			return a.Attempt.Flags&(trowel.AttemptDone|trowel.AttemptSuccess) == trowel.AttemptDone|trowel.AttemptSuccess
		})
		if last < 0 {
			continue
		}
		if took[w], err = tx.FindTimesTaken(c.Ctx(), attempts[last].Attempt.ID, tasks); err != nil {
			return nil, err
		}
	}
	ends := map[trowel.TaskID]time.Time{}
	for i := range found {
		t, n := &found[i].task, names[found[i].task.TaskID]
		length, known := took[trowel.WorkflowName{ProjectID: n.ProjectID, Name: n.Workflow}][n.FullName]
		if end := t.StartedAt.Add(length); known && !end.Before(c.Now) {
			ends[t.TaskID] = end
		}
	}
	return ends, nil
}

// expectSlots estimates when waiting tasks get slots, for as many tasks as the slots of the running ones suffice. If
// slots are open the tasks wait for something else, and there is no estimate.
func (h *poolTasks) expectSlots(c *rest.Call, tx trowel.Tx, p *trowel.Pool, pools []*trowel.Pool, open int, waiting []ranked) (map[trowel.TaskID]time.Time, error) {
	if open > 0 || p.Slots == trowel.Unlimited || len(waiting) == 0 {
		return nil, nil //nolint:nilnil // no estimate
	}
	holders, err := h.find(c, tx, p, pools, trowel.TaskRunning, expectedHolders+1, func(poolRank) bool { return true })
	if err != nil || len(holders) > expectedHolders {
		return nil, err
	}
	names, err := tx.NameTasks(c.Ctx(), attemptsOf(holders))
	if err != nil {
		return nil, err
	}
	ends, err := expectEnds(c, tx, holders, names)
	if err != nil || len(ends) < len(holders) {
		return nil, err
	}
	slices.SortFunc(holders, func(a, b ranked) int { return ends[a.task.TaskID].Compare(ends[b.task.TaskID]) })
	starts := map[trowel.TaskID]time.Time{}
	at := time.Time{}
	for i := range waiting {
		for ; open < waiting[i].slots && len(holders) > 0; holders = holders[1:] {
			open += holders[0].slots
			at = ends[holders[0].task.TaskID]
		}
		if open < waiting[i].slots {
			break
		}
		open -= waiting[i].slots
		starts[waiting[i].task.TaskID] = at
	}
	return starts, nil
}

func attemptsOf(found []ranked) map[trowel.TaskID]trowel.AttemptID {
	attempts := make(map[trowel.TaskID]trowel.AttemptID, len(found))
	for i := range found {
		attempts[found[i].task.TaskID] = found[i].task.AttemptID
	}
	return attempts
}
