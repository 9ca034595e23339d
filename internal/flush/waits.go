package flush

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
)

// Wait is a wait of one task that a transaction ended, or set the length of (control K820).
type Wait struct {
	Code trowel.WaitCode
	For  time.Duration
}

// waitsOf lists the waits of a batch: how long claimed tasks had been ready, with what blocked them last, and how
// long other tasks will wait for a retry or a poll. It must be called before the backlog is updated.
func waitsOf(b *Batch, backlog *queue.Backlog) []Wait {
	var list []Wait
	for i := range b.Changes {
		c := &b.Changes[i]
		switch c.Transition { //nolint:exhaustive // the moves that begin or end a wait of known length
		case trowel.TransitionClaim:
			if long := c.Task.ClaimedAt.Sub(c.Task.ReadyAt); long > 0 {
				list = append(list, Wait{backlog.BlockedBy(c.Task.AttemptID, c.Task.ID), long})
			}
		case trowel.TransitionRetry:
			code := trowel.WaitPoll
			if c.Task.WaitReason != "" {
				code = c.Task.WaitReason
			}
			list = append(list, Wait{code, c.Task.RetryAt.Sub(b.At)})
		case trowel.TransitionGroupRetry:
			list = append(list, Wait{trowel.WaitGroupRetry, c.Task.RetryAt.Sub(b.At)})
		}
	}
	return list
}
