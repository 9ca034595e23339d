package queue

import (
	"fmt"
	"maps"
	"strconv"

	trowel "github.com/trowel-project/trowel"
)

// Limits are pools and counters as they were at one time. Nil limits let everything run.
type Limits struct {
	Pools   []*trowel.Pool
	Uses    map[string]int             // by counter
	Running func(trowel.AttemptID) int // how many tasks of an attempt run; may be nil
	AnyPool bool                       // pools that do not exist are unlimited
	Most    int                        // how many tasks may run on the site, counted by SiteUse (control K814); zero for unlimited
}

// SiteUse is the counter of all running tasks. It is kept only if their number is limited.
const SiteUse = "tasks"

// WorkflowUse is the counter of a workflow's running tasks.
func WorkflowUse(w trowel.WorkflowName) string {
	return "tasks:" + workflowText(w)
}

// AttemptsUse is the counter that a transaction locks to admit attempts of a workflow, so that only one does so at a
// time.
func AttemptsUse(w trowel.WorkflowName) string { return "attempts:" + workflowText(w) }

func workflowText(w trowel.WorkflowName) string {
	return strconv.FormatInt(int64(w.ProjectID), 10) + "/" + w.Name
}

// ConcurrencyUse is the counter of a concurrency limit.
func ConcurrencyUse(c *trowel.Concurrency, w trowel.WorkflowName, attempt trowel.AttemptID) string {
	switch c.Per {
	case trowel.PerSite:
		return "concurrency:site:" + c.Key
	case trowel.PerProject:
		return fmt.Sprintf("concurrency:p%d:%s", w.ProjectID, c.Key)
	case trowel.PerAttempt:
		return fmt.Sprintf("concurrency:a%d:%s", attempt, c.Key)
	default:
		return fmt.Sprintf("concurrency:w%s:%s", workflowText(w), c.Key)
	}
}

// Demand is what a task takes from one counter.
type Demand struct {
	Code   trowel.WaitCode // what the task waits for without room: WaitPool, WaitConcurrency, WaitMaxActiveTasks or WaitSiteLimit
	Use    string
	Amount int
	Limit  int // trowel.Unlimited for none
	// Unkept reports whether the demand is not written to the task's Holds: a slot of the default pool.
	Unkept bool
}

// tooLarge reports whether a task wants more slots than the pool has.
func (d Demand) tooLarge() bool {
	return d.Code == trowel.WaitPool && d.Limit != trowel.Unlimited && d.Amount > d.Limit
}

// Demands lists what a task takes, in the order of reasons: pools, concurrency, tasks of the workflow, tasks of the
// site. missing is the first pool that does not exist. The limit of the attempt has no counter, see Blocked.
func (l *Limits) Demands(r *Ready) (demands []Demand, missing string) {
	if l == nil {
		return nil, ""
	}
	if r.Needs == nil || len(r.Needs.Pools) == 0 {
		if pool := l.Pool(r.Workflow.ProjectID, trowel.DefaultPool); pool != nil && (pool.Slots != trowel.Unlimited || pool.ProjectID != 0) {
			demands = append(demands, Demand{Code: trowel.WaitPool, Use: pool.Use(), Amount: 1, Limit: pool.Slots, Unkept: pool.ProjectID == 0})
		}
	} else {
		for _, need := range r.Needs.Pools {
			pool := l.Pool(r.Workflow.ProjectID, need.Name)
			switch {
			case pool == nil && l.AnyPool:
				continue
			case pool == nil:
				return nil, need.Name
			}
			demands = append(demands, Demand{Code: trowel.WaitPool, Use: pool.Use(), Amount: need.Slots, Limit: pool.Slots})
		}
	}
	if r.Needs != nil && r.Needs.Concurrency != nil {
		c := r.Needs.Concurrency
		use := ConcurrencyUse(c, r.Workflow, r.Attempt)
		if _, held := r.Held[use]; !held {
			demands = append(demands, Demand{Code: trowel.WaitConcurrency, Use: use, Amount: 1, Limit: c.Limit})
		}
	}
	if r.Control.TasksPerWorkflow > 0 {
		demands = append(demands, Demand{Code: trowel.WaitMaxActiveTasks, Use: WorkflowUse(r.Workflow), Amount: 1, Limit: r.Control.TasksPerWorkflow})
	}
	if l.Most > 0 {
		demands = append(demands, Demand{Code: trowel.WaitSiteLimit, Use: SiteUse, Amount: 1, Limit: l.Most})
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

// Open is how much of a demand's limit is left; negative if the limit was lowered below its use.
func (l *Limits) Open(d Demand) int { return d.Limit - l.Uses[d.Use] }

// fits reports whether there is room for a demand.
func (l *Limits) fits(d Demand) bool { return d.Limit == trowel.Unlimited || l.Open(d) >= d.Amount }

// Holds are what a task holds once it runs: what it held before and what it takes now.
func (p *Picked) Holds() trowel.Holds {
	holds := maps.Clone(p.Held)
	for _, d := range p.Demands {
		if d.Unkept {
			continue
		}
		if holds == nil {
			holds = trowel.Holds{}
		}
		holds[d.Use] += d.Amount
	}
	return holds
}

// Unkept returns the counter from which a running task has taken a slot that its holds do not mention: the default pool
// of the site, if it is limited and the task holds no slot of another pool. Otherwise it is empty.
func (l *Limits) Unkept(holds trowel.Holds) string {
	if holds.HasPool() {
		return ""
	}
	pool := l.Pool(0, trowel.DefaultPool)
	if pool == nil || pool.Slots == trowel.Unlimited {
		return ""
	}
	return pool.Use()
}

// FullConcurrency says why a task fails instead of waiting: its concurrency limit is full and its on_limit is fail
// (control K811). It is empty if the task may wait or run.
func FullConcurrency(l *Limits, r *Ready) string {
	if r.Needs == nil || r.Needs.Concurrency == nil || !r.Needs.Concurrency.Fail {
		return ""
	}
	c := r.Needs.Concurrency
	use := ConcurrencyUse(c, r.Workflow, r.Attempt)
	if _, held := r.Held[use]; held || l.Uses[use] < c.Limit {
		return ""
	}
	return fmt.Sprintf("concurrency limit %d of %q is reached", c.Limit, c.Key)
}
