package daemon

import (
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/notify"
	"github.com/trowel-project/trowel/internal/scheduler"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// attemptFeed tells the parts of a server that wait for the end of attempts, and notifies people of attempts that took too
// long. It is a flush.Listener.
type attemptFeed struct {
	scheduler *scheduler.Scheduler // nil if this server has none
	packer    *tasklog.Packer      // nil if logs are not packed
	notifier  *notify.Notifier
}

// Heard implements flush.Listener.
func (f attemptFeed) Heard(batch *flush.Batch) {
	if len(batch.Ended) > 0 && f.scheduler != nil {
		f.scheduler.AttemptsEnded()
	}
	if len(batch.Ended) > 0 && f.packer != nil {
		f.packer.AttemptsEnded()
	}
	for i := range batch.Timeouts {
		t := &batch.Timeouts[i]
		f.notifier.Post(notify.OfAttempt(batch.At, t.Message, t.Attempt.ID, batch.Context(t.Attempt.ID)))
	}
}
