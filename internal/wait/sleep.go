// Package wait is how goroutines wait: Sleep for a length of time, Signal for one another.
package wait

import (
	"context"
	"time"
)

// Sleep waits for d. If ctx ends before, it returns its cause at once.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
