package explain

import (
	"cmp"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Waiting returns a function that counts the ready tasks of all attempts, or of one project, by what they wait for. Tasks with equal
// needs have the same reason, but for limits of their own workflows, which are not considered.
func Waiting(o Options) func(c *rest.Call, tx trowel.Tx, ready []trowel.LiveCount) (api.List[api.WaitingCount], error) {
	by := rules{queue: queue.Rules{Aging: o.Aging, ReserveAfter: o.ReserveAfter}, maxRunning: o.MaxRunning, competitors: &competitors{}}
	return func(c *rest.Call, tx trowel.Tx, ready []trowel.LiveCount) (api.List[api.WaitingCount], error) {
		return waiting(c, tx, &by, ready)
	}
}

func waiting(c *rest.Call, tx trowel.Tx, by *rules, ready []trowel.LiveCount) (api.List[api.WaitingCount], error) {
	list := api.List[api.WaitingCount]{}
	if len(ready) == 0 {
		return list, nil
	}
	none := &trowel.AttemptSummary{}
	r := &reader{Call: c, rules: by, tx: tx, summary: none, limited: true}
	r.facts = &reason.Facts{Now: c.Now, Attempt: &none.Attempt, Tree: reason.NewTree()}
	if err := r.readMarket(); err != nil {
		return nil, err
	}
	at := map[api.WaitingCount]int{}
	for i := range ready {
		l := &ready[i]
		t := &trowel.Task{ID: 1, State: trowel.TaskReady, ReadyAt: l.Oldest, Requirements: l.Requirements}
		r.facts.Workflow = trowel.WorkflowName{ProjectID: l.ProjectID}
		first := reason.Explain(t, r.facts)[0]
		key := api.WaitingCount{Code: string(first.Code), Arg: argOf(&first)}
		if known, ok := at[key]; ok {
			list[known].Count += l.Count
			continue
		}
		at[key] = len(list)
		key.Count = l.Count
		list = append(list, key)
	}
	slices.SortFunc(list, func(a, b api.WaitingCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Arg, b.Arg))
	})
	return list, nil
}

// argOf is the name of what a reason is about; empty if it has none.
func argOf(r *reason.Reason) string {
	for _, key := range []string{"pool", "key", "queue", "scope"} {
		if value, ok := r.Fields.Get(key); ok {
			name, _ := value.(string)
			return name
		}
	}
	return ""
}
