package daemon

import (
	"context"
	"errors"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/server/health"
)

// healthStore remembers whether the database could be written.
type healthStore struct {
	trowel.Store

	writes *health.Writes
	now    func() time.Time
}

// Update implements trowel.Store.
func (s healthStore) Update(ctx context.Context, f func(trowel.Tx) error) error {
	err := s.Store.Update(ctx, f)
	switch {
	case err == nil:
		s.writes.Note(s.now(), nil)
	case errors.Is(ctx.Err(), context.Canceled): // the caller has left
	case errors.Is(err, trowel.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		s.writes.Note(s.now(), err)
	}
	return err
}

// healthProbe is how long a probe may take.
const healthProbe = 5 * time.Second

// healthProbeBytes is more than the free space that an existing page may have.
const healthProbeBytes = 16 << 10
