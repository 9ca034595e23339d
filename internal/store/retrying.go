package store

import (
	"context"
	"errors"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Retrying is the store for tasks: for secrets, require> and parameters. While the database is away its transactions
// wait, as the flusher does with reports, and do not fail. A transaction that seems to have failed may have been
// committed, so it must be harmless when done twice.
type Retrying struct{ trowel.Store }

// The wait between two tries doubles from the first value to the second.
const (
	patienceFirst = 20 * time.Millisecond
	patienceLast  = time.Second
)

// Update implements trowel.Store.
func (s Retrying) Update(ctx context.Context, f func(trowel.Tx) error) error {
	return Retry(ctx, func() error { return s.Store.Update(ctx, f) })
}

// View implements trowel.Store.
func (s Retrying) View(ctx context.Context, f func(trowel.Tx) error) error {
	return Retry(ctx, func() error { return s.Store.View(ctx, f) })
}

// Retry calls do again for as long as the database is away, unless ctx ends.
func Retry(ctx context.Context, do func() error) error {
	for wait := patienceFirst; ; wait = min(2*wait, patienceLast) {
		err := do()
		if !errors.Is(err, trowel.ErrUnavailable) || ctx.Err() != nil {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
	}
}
