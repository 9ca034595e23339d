package daemon

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/usage"
)

// usageFeed records which tasks go to agents, for the figures about queues. It is a flush.Listener.
type usageFeed struct {
	usage *usage.Recorder
	now   func() time.Time
}

// Heard implements flush.Listener. It is called after the commit, just before the agents get the tasks.
func (f usageFeed) Heard(batch *flush.Batch) {
	now := f.now()
	for i := range batch.Changes {
		c := &batch.Changes[i]
		if c.Transition == trowel.TransitionClaim && !c.Task.ReadyAt.IsZero() {
			f.usage.HandedOut(c.Task.Requirements.QueueName(), max(now.Sub(c.Task.ReadyAt), 0))
		}
	}
}
