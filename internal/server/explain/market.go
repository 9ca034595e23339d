package explain

import (
	"errors"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/reason"
)

// readControl reads the limits that the workflow sets for itself. It ignores invalid ones: the push has warned of them.
func (r *reader) readControl() error {
	if r.limited {
		return nil
	}
	r.limited = true
	keys, err := r.tx.FindWorkflowKeys(r.Ctx(), r.summary.Attempt.ID, dig.ControlKeys())
	if err != nil {
		return err
	}
	if control, err := dig.ControlOf(keys); err == nil {
		r.facts.WorkflowLimits = control
	}
	return nil
}

func (r *reader) readAgents() error {
	if r.facts.Market != nil {
		return nil
	}
	agents, err := r.tx.ListAgents(r.Ctx())
	r.facts.Market = &reason.Market{Agents: agents}
	return err
}

// readMarket reads the pools, agents and running tasks on which ready tasks depend.
func (r *reader) readMarket() error {
	if r.facts.Market != nil && r.facts.Market.Busy != nil {
		return nil
	}
	if err := r.readControl(); err != nil {
		return err
	}
	m := &reason.Market{Rules: r.rules.queue}
	m.Limits.MaxRunning = r.rules.maxRunning
	var errs [5]error
	m.Limits.Pools, errs[0] = r.tx.ListPools(r.Ctx())
	m.Limits.Counters, errs[1] = r.tx.ListCounters(r.Ctx())
	m.Agents, errs[2] = r.tx.ListAgents(r.Ctx())
	m.Busy, m.Running, errs[3] = r.tx.CountBusy(r.Ctx(), r.summary.Attempt.ID)
	m.Ready, m.Holders, errs[4] = r.rules.competitors.list(r, len(m.Busy) > 0)
	r.redact(m.Ready)
	r.redact(m.Holders)
	r.facts.Market = m
	return errors.Join(errs[:]...)
}

// redact removes the names of tasks that the caller may not see.
func (r *reader) redact(tasks []trowel.BusyTask) {
	for i := range tasks {
		if t := &tasks[i]; t.ProjectID != r.summary.Project.ID && r.Authorize(t.ProjectID) != nil {
			t.FullName, t.Project, t.Workflow, t.Hidden = "a task of another project", "", "", true
		}
	}
}
