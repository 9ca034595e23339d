package td

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/trowel-project/trowel/internal/operator/td/tdclient"
)

// progress remembers what was last told about jobs, so that a task's log gets a line when something changes and not with
// every look. Whoever does not know a job, as another agent, tells it again.
type progress struct {
	mu   sync.Mutex
	told map[string]string // status by job
}

// maxTold is the largest number of jobs that are remembered.
const maxTold = 10_000

// everyPolls is how often a job that goes on without a change is told: every five minutes with the usual intervals.
const everyPolls = 10

// tell writes into the task's log how far a job is.
func (p *progress) tell(t *task, ctx context.Context, job jobState, status tdclient.Status) { //nolint:revive // the context belongs to the log
	if !p.news(t.at.host+" "+job.id, status) && (job.polls == 0 || job.polls%everyPolls != 0) {
		return
	}
	line := fmt.Sprintf("Job %s: %s", job.id, status.Status)
	if status.Duration != nil {
		line += fmt.Sprintf(" after %v", time.Duration(*status.Duration)*time.Second)
	}
	t.say(ctx, line)
}

func (p *progress) news(job string, status tdclient.Status) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.told[job] == status.Status
	if status.Ended() {
		delete(p.told, job)
		return true
	}
	if len(p.told) >= maxTold {
		clear(p.told)
	}
	p.told[job] = status.Status
	return !known
}
