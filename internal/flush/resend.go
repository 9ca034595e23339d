package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
)

// resendRequest gives an agent leases again that it should have.
type resendRequest struct {
	reply

	tries  []trowel.TryID
	agents *agents
}

func newResend(id trowel.AttemptID, tries []trowel.TryID, as *agents) *resendRequest {
	r := &resendRequest{tries: tries, agents: as}
	r.begin(id, "")
	return r
}

func (r *resendRequest) target() trowel.AttemptID { return r.attempt }

// apply leaves out tries that do not run any more. The leases are given after the commit.
func (r *resendRequest) apply(_ context.Context, t *txn) error {
	a := t.cache.get(r.attempt)
	if !a.running() {
		return nil
	}
	for _, id := range r.tries {
		row := a.tree.Find(id.Task)
		if row == nil || row.State != trowel.TaskRunning || row.Try != id.Number {
			continue
		}
		if agent := r.agents.find(row.AgentID); agent != nil {
			t.effects.give(a, id.Task, agent)
		}
	}
	return nil
}
