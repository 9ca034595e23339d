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

// health returns the parts of /api/health.
func (p *serverProcess) health() *health.Monitor {
	probe := func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthProbe) // it ends even if the caller has left
		defer cancel()
		key := "health/" + p.id // no revision or log has this key
		// The store remembers the result.
		_ = p.store.Update(ctx, func(tx trowel.Tx) error {
			return errors.Join(tx.InsertBlobPart(ctx, key, 0, make([]byte, healthProbeBytes)), tx.DeleteBlob(ctx, key))
		})
	}
	parts := []health.Part{{Name: "database", Check: func(ctx context.Context) error {
		if err := p.store.View(ctx, func(trowel.Tx) error { return nil }); err != nil {
			return err
		}
		return p.writes.Check(ctx, p.opts.Now(), probe)
	}}}
	for _, blobs := range p.blobs {
		parts = append(parts, health.Part{Name: blobs.part, Check: func(ctx context.Context) error { return blobs.check(ctx, p.id) }})
	}
	return health.New(parts...)
}
