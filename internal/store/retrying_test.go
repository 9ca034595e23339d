package store

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	trowel "github.com/trowel-project/trowel"
)

// awayStore fails a number of transactions.
type awayStore struct {
	trowel.Store

	times int
}

func (s *awayStore) Update(_ context.Context, f func(trowel.Tx) error) error {
	if s.times--; s.times >= 0 {
		return trowel.ErrUnavailable
	}
	return f(nil)
}

func (s *awayStore) View(ctx context.Context, f func(trowel.Tx) error) error { return s.Update(ctx, f) }

// Tasks wait until the database is back, or until they are stopped. Other errors are returned to
// them.
func TestPatientStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own := errors.New("own")
		for _, run := range []func(trowel.Store, context.Context, func(trowel.Tx) error) error{trowel.Store.Update, trowel.Store.View} {
			if err := run(Retrying{&awayStore{times: 1000}}, t.Context(), func(trowel.Tx) error { return own }); !errors.Is(err, own) {
				t.Errorf("after an outage: %v, want the error of the transaction", err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan error)
			go func() {
				ended <- run(Retrying{&awayStore{times: 1 << 30}}, ctx, func(trowel.Tx) error { return nil })
			}()
			synctest.Wait()
			cancel(own)
			if err := <-ended; !errors.Is(err, trowel.ErrUnavailable) {
				t.Errorf("when the task is to end: %v, want unavailable", err)
			}
		}
	})
}
