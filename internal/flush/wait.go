package flush

import (
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Wait is a wait of one task that a transaction ended, or set the length of (control K820).
type Wait struct {
	Code trowel.WaitCode
	For  time.Duration
}

// waits lists them: how long tasks were ready before they were claimed, by what kept them last, and how
// long others will wait for a retry or for a look at something outside. It is called before the backlog
// hears of the changes.
func (f *Flusher) waits(b *Batch) []Wait {
	var list []Wait
	for i := range b.Changes {
		c := &b.Changes[i]
		switch c.Move { //nolint:exhaustive // the moves that begin or end a wait of known length
		case trowel.MoveClaim:
			if long := c.Task.ClaimedAt.Sub(c.Task.ReadyAt); long > 0 {
				list = append(list, Wait{f.backlog.BlockedBy(c.Task.AttemptID, c.Task.ID), long})
			}
		case trowel.MoveRetry:
			code := trowel.WaitPoll
			if c.Task.WaitReason != "" {
				code = c.Task.WaitReason
			}
			list = append(list, Wait{code, c.Task.RetryAt.Sub(b.At)})
		case trowel.MoveGroupRetry:
			list = append(list, Wait{trowel.WaitGroupRetry, c.Task.RetryAt.Sub(b.At)})
		}
	}
	return list
}
