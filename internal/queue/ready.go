package queue

import (
	"encoding/json"
	"math"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Ready is a task that waits for an agent.
type Ready struct {
	Attempt      trowel.AttemptID
	Task         trowel.TaskID
	At           time.Time // since when
	Workflow     trowel.WorkflowName
	Requirements *trowel.Requirements // nil for the defaults
	Limits       trowel.WorkflowLimits
	// Acquired are the counters that it holds from an earlier try.
	Acquired trowel.Acquired
	// Flags are those of the task. One that is Canceling takes nothing from limits, so that nothing holds it up.
	Flags trowel.TaskFlags
}

// hasJob reports whether a job of the task goes on outside: it must not fail instead of waiting for a limit, as the
// job would be left.
func (r *Ready) hasJob() bool { return r.Flags&trowel.TaskHasJob != 0 }

// laneKey is what the tasks of a lane share: if one of them cannot run now, none can. Fields without influence are zero.
type laneKey struct {
	workflow trowel.WorkflowName
	weight   int
	needs    string           // all of Requirements but the weight
	attempt  trowel.AttemptID // set if a limit is per attempt
	control  trowel.WorkflowLimits
	held     bool
	job      bool
	cancel   bool
}

func (r *Ready) lane() laneKey {
	key := laneKey{workflow: r.Workflow, weight: r.Requirements.PriorityWeight(), control: r.Limits}
	key.control.ActiveAttempts, key.control.RejectAttempts = 0, false // they do not limit tasks
	key.job, key.cancel = r.hasJob(), r.Flags.Canceling()
	if key.cancel {
		key.control = trowel.WorkflowLimits{}
	}
	if key.control.TasksPerAttempt > 0 {
		key.attempt = r.Attempt
	}
	if r.Requirements == nil {
		return key
	}
	if c := r.Requirements.Concurrency; c != nil {
		if c.Per == trowel.PerAttempt {
			key.attempt = r.Attempt
		}
		_, key.held = r.Acquired[ConcurrencyCounter(c, r.Workflow, r.Attempt)]
	}
	same := *r.Requirements
	same.Weight = nil
	text, err := json.Marshal(&same)
	if err != nil {
		panic(err) //nolint:forbidigo // strings and numbers always marshal
	}
	if string(text) != "{}" {
		key.needs = string(text)
	}
	return key
}

// older is the order within a lane: the earlier ready time first, then the smaller id.
func (r *Ready) older(other *Ready) bool {
	if !r.At.Equal(other.At) {
		return r.At.Before(other.At)
	}
	return r.Task < other.Task
}

// aged is the weight including aging: waiting adds 1 for each whole interval.
func (r *Ready) aged(now time.Time, aging time.Duration) int {
	weight := r.Requirements.PriorityWeight()
	waited := now.Sub(r.At)
	if aging <= 0 || waited < aging {
		return weight
	}
	return int(min(int64(weight)+int64(waited/aging), math.MaxInt32))
}
