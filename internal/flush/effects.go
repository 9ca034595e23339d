package flush

import (
	"cmp"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/queue"
)

// effects collects what is to be done after a transaction is committed, besides what follows from its changes.
type effects struct {
	leases      []lease
	waiters     []waiter
	evaluations []evaluation
	early       []earlyTask
	limits      []limitAlarm
	monitors    []trowel.SLATimer // SLAs of new attempts, and those whose alarm rang too early
	gone        []string          // agents that this server does not serve any more
}

// lease is a task that is given to an agent.
type lease struct {
	attempt *attempt
	task    trowel.TaskID
	agent   queue.Agent
}

// waiter is a caller who waits for the end of an attempt.
type waiter struct {
	attempt *attempt
	ended   chan trowel.Attempt
}

// evaluation asks for the evaluation of options of a task.
type evaluation struct {
	attempt *attempt
	engine.Evaluation
}

// earlyTask is a waiting task whose alarm rang too early, because the clock was set back. It needs a new one.
type earlyTask struct {
	attempt *attempt
	row     *trowel.Task
}

// limitAlarm is when to check the time limits of an attempt again; zero for never.
type limitAlarm struct {
	attempt *attempt
	at      time.Time
}

func (e *effects) give(a *attempt, task trowel.TaskID, agent queue.Agent) {
	e.leases = append(e.leases, lease{a, task, agent})
}

func (e *effects) evaluate(a *attempt, list []engine.Evaluation) {
	e.evaluations = appendEvaluations(e.evaluations, a, list)
}

func appendEvaluations(list []evaluation, a *attempt, more []engine.Evaluation) []evaluation {
	for _, e := range more {
		list = append(list, evaluation{a, e})
	}
	return list
}

// giveLeases hands claimed tasks to their agents. Each agent gets all of its tasks in one call.
func giveLeases(list []lease) {
	slices.SortStableFunc(list, func(a, b lease) int { return cmp.Compare(a.agent.ID(), b.agent.ID()) })
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].agent == list[0].agent {
			n++
		}
		leases := make([]*trowel.Lease, n)
		for i, l := range list[:n] {
			leases[i] = l.attempt.tree.Lease(l.task)
		}
		list[0].agent.Assign(leases)
		list = list[n:]
	}
}
