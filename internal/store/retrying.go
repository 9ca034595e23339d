package store

import (
	"context"
	"errors"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/wait"
)

// Retrying is the store as tasks of a server use it: for secrets, for require> and for parameters.
// While the database is away they wait for it, as the flusher does with their reports, rather than fail.
// A transaction that failed may have been committed, so what tasks do must be harmless when done twice.
type Retrying struct{ trowel.Store }

// Pauses between two tries, the second one the longest.
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

// Retry does something again for as long as the database is away, unless ctx ends.
func Retry(ctx context.Context, do func() error) error {
	for delay := patienceFirst; ; delay = min(2*delay, patienceLast) {
		err := do()
		if !errors.Is(err, trowel.ErrUnavailable) || ctx.Err() != nil {
			return err
		}
		if wait.Sleep(ctx, delay) != nil {
			return err
		}
	}
}
