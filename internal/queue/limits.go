package queue

import (
	"fmt"
	"maps"
	"strconv"

	trowel "github.com/trowel-project/trowel"
)

// Limits are pools and counters as they were at one time. Nil limits let everything run.
type Limits struct {
	Pools      []*trowel.Pool
	Counters   map[string]int             // by counter
	Running    func(trowel.AttemptID) int // how many tasks of an attempt run; may be nil
	AnyPool    bool                       // pools that do not exist are unlimited
	MaxRunning int                        // how many tasks may run on the site, counted by SiteCounter (control K814); zero for unlimited
}

// SiteCounter is the counter of all running tasks. It is kept only if their number is limited.
const SiteCounter = string(trowel.CounterTasks)

// WorkflowCounter is the counter of a workflow's running tasks.
func WorkflowCounter(w trowel.WorkflowName) string {
	return trowel.CounterTasks.Counter(workflowText(w))
}

// AdmissionCounter is the counter that a transaction locks to admit attempts of a workflow, so that only one does so at a
// time.
func AdmissionCounter(w trowel.WorkflowName) string {
	return trowel.CounterAdmission.Counter(workflowText(w))
}

func workflowText(w trowel.WorkflowName) string {
	return strconv.FormatInt(int64(w.ProjectID), 10) + "/" + w.Name
}

// ConcurrencyCounter is the counter of a concurrency limit.
func ConcurrencyCounter(c *trowel.Concurrency, w trowel.WorkflowName, attempt trowel.AttemptID) string {
	var scope string
	switch c.Per {
	case trowel.PerSite:
		scope = "site"
	case trowel.PerProject:
		scope = fmt.Sprintf("p%d", w.ProjectID)
	case trowel.PerAttempt:
		scope = fmt.Sprintf("a%d", attempt)
	default:
		scope = "w" + workflowText(w)
	}
	return trowel.CounterConcurrency.Counter(scope + ":" + c.Key)
}

// Demand is what a task takes from one counter.
type Demand struct {
	Code    trowel.WaitCode // what the task waits for without room
	Counter string
	Amount  int
	Limit   int // trowel.Unlimited for none
	// Implicit reports whether the demand is not written to the task's Acquired: a slot of the default pool.
	Implicit bool
}

// tooLarge reports whether a task wants more slots than the pool has.
func (d Demand) tooLarge() bool {
	return d.Code == trowel.WaitPool && d.Limit != trowel.Unlimited && d.Amount > d.Limit
}

// ofManyTasks reports whether a limit is for all tasks of a workflow or of the site, whatever they ask for. Its reason comes
// after that of the attempt's own limit.
func (d Demand) ofManyTasks() bool {
	return d.Code == trowel.WaitMaxActiveTasks || d.Code == trowel.WaitSiteLimit
}

// Demands lists what a task takes, in the order of reasons: pools, concurrency, tasks of the workflow, tasks of the
// site. missing is the first pool that does not exist. The limit of the attempt has no counter, see Blocked.
func (l *Limits) Demands(r *Ready) (demands []Demand, missing string) {
	if l == nil || r.Flags.Canceling() {
		return nil, ""
	}
	if r.Requirements == nil || len(r.Requirements.Pools) == 0 {
		if pool := l.Pool(r.Workflow.ProjectID, trowel.DefaultPool); pool != nil && (pool.Slots != trowel.Unlimited || pool.ProjectID != 0) {
			demands = append(demands, Demand{Code: trowel.WaitPool, Counter: pool.Counter(), Amount: 1, Limit: pool.Slots, Implicit: pool.ProjectID == 0})
		}
	} else {
		for _, need := range r.Requirements.Pools {
			pool := l.Pool(r.Workflow.ProjectID, need.Name)
			switch {
			case pool == nil && l.AnyPool:
				continue
			case pool == nil:
				return nil, need.Name
			}
			demands = append(demands, Demand{Code: trowel.WaitPool, Counter: pool.Counter(), Amount: need.Slots, Limit: pool.Slots})
		}
	}
	if r.Requirements != nil && r.Requirements.Concurrency != nil {
		c := r.Requirements.Concurrency
		use := ConcurrencyCounter(c, r.Workflow, r.Attempt)
		if _, held := r.Acquired[use]; !held {
			demands = append(demands, Demand{Code: trowel.WaitConcurrency, Counter: use, Amount: 1, Limit: c.Limit})
		}
	}
	if r.Limits.TasksPerWorkflow > 0 {
		demands = append(demands, Demand{Code: trowel.WaitMaxActiveTasks, Counter: WorkflowCounter(r.Workflow), Amount: 1, Limit: r.Limits.TasksPerWorkflow})
	}
	if l.MaxRunning > 0 {
		demands = append(demands, Demand{Code: trowel.WaitSiteLimit, Counter: SiteCounter, Amount: 1, Limit: l.MaxRunning})
	}
	return demands, ""
}

// Pool finds the pool that a name means in a project: the project's own, else the site's; nil if there is none.
func (l *Limits) Pool(project trowel.ProjectID, name string) (found *trowel.Pool) {
	for _, p := range l.Pools {
		switch {
		case p.Name != name:
		case p.ProjectID == project:
			return p
		case p.ProjectID == 0:
			found = p
		}
	}
	return found
}

// Available is how much of a demand's limit is left; negative if the limit was lowered below its use.
func (l *Limits) Available(d Demand) int { return d.Limit - l.Counters[d.Counter] }

// fits reports whether there is room for a demand.
func (l *Limits) fits(d Demand) bool {
	return d.Limit == trowel.Unlimited || l.Available(d) >= d.Amount
}

// AllAcquired are what a task holds once it runs: what it held before and what it takes now.
func (p *Picked) AllAcquired() trowel.Acquired {
	if p.Flags.Canceling() {
		return p.Acquired.WithoutSlot()
	}
	holds := maps.Clone(p.Acquired)
	for _, d := range p.Demands {
		if d.Implicit {
			continue
		}
		if holds == nil {
			holds = trowel.Acquired{}
		}
		holds[d.Counter] += d.Amount
	}
	return holds
}

// ImplicitCounter returns the counter from which a running task has taken a slot that its holds do not mention: the default pool
// of the site, if it is limited and the task holds no slot of another pool. Otherwise it is empty.
func (l *Limits) ImplicitCounter(holds trowel.Acquired) string {
	if holds.HasPool() {
		return ""
	}
	pool := l.Pool(0, trowel.DefaultPool)
	if pool == nil || pool.Slots == trowel.Unlimited {
		return ""
	}
	return pool.Counter()
}

// FullConcurrency says why a task fails instead of waiting: its concurrency limit is full and its on_limit is fail
// (control K811). It is empty if the task may wait or run.
func FullConcurrency(l *Limits, r *Ready) string {
	if r.hasJob() || r.Requirements == nil || r.Requirements.Concurrency == nil || !r.Requirements.Concurrency.Fail {
		return ""
	}
	c := r.Requirements.Concurrency
	use := ConcurrencyCounter(c, r.Workflow, r.Attempt)
	if _, held := r.Acquired[use]; held || l.Counters[use] < c.Limit {
		return ""
	}
	return fmt.Sprintf("concurrency limit %d of %q is reached", c.Limit, c.Key)
}
