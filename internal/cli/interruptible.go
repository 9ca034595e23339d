package cli

import (
	"context"
	"errors"
)

// errInterrupted is the cause of the end of what a signal ended.
var errInterrupted = errors.New("interrupted")

// interruptible does something that leaves files behind unless it ends in good order: a signal ends
// its context, and then the program with the exit code that shells expect.
func interruptible(ctx context.Context, do func(ctx context.Context) error) error {
	signals, restore := catchSignals()
	defer restore()
	ctx, cancel := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-signals:
			cancel(errInterrupted)
		case <-ctx.Done():
		}
	}()
	err := do(ctx)
	cancel(nil)
	<-watched
	if err != nil && errors.Is(context.Cause(ctx), errInterrupted) {
		return &exitError{exitInterrupted}
	}
	return err
}
