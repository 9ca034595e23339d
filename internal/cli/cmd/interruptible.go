package cmd

import (
	"context"
	"errors"
)

// ErrInterrupted is the cause of the end of what a signal ended.
var ErrInterrupted = errors.New("interrupted")

// Interruptible does something that leaves files behind unless it ends in good order: a signal ends
// its context, and then the program with the exit code that shells expect.
func Interruptible(ctx context.Context, do func(ctx context.Context) error) error {
	signals, restore := CatchSignals()
	defer restore()
	ctx, cancel := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-signals:
			cancel(ErrInterrupted)
		case <-ctx.Done():
		}
	}()
	err := do(ctx)
	cancel(nil)
	<-watched
	if err != nil && errors.Is(context.Cause(ctx), ErrInterrupted) {
		return &ExitError{Code: ExitInterrupted}
	}
	return err
}
