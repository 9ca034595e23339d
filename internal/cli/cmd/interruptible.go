package cmd

import (
	"context"
	"errors"
)

// ErrInterrupted is the cause with which a signal cancels a context.
var ErrInterrupted = errors.New("interrupted")

// Interruptible runs a function that must clean up files when it is interrupted. A signal cancels
// its context; then the program ends with the exit code that shells expect.
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
