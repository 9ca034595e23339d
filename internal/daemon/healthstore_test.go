package daemon

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/server/health"
)

// endingStore is a store whose transactions all end in the same way.
type endingStore struct {
	trowel.Store

	err error
}

func (s endingStore) Update(context.Context, func(trowel.Tx) error) error { return s.err }

// A database that cannot be written is unhealthy. An error of a transaction itself says nothing about the database.
func TestHealthStore(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	full := fmt.Errorf("disk full: %w", trowel.ErrUnavailable)
	var writes health.Writes
	for _, step := range []struct {
		name  string
		ctx   context.Context //nolint:containedctx // of one step
		ended error
		well  bool
	}{
		{"it is written", t.Context(), nil, true},
		{"a conflict", t.Context(), trowel.ErrConflict, true},
		{"whoever wrote has gone", gone, full, true},
		{"the disk is full", t.Context(), full, false},
		{"a conflict meanwhile", t.Context(), trowel.ErrConflict, false},
		{"it is written again", t.Context(), nil, true},
		{"no answer", t.Context(), context.DeadlineExceeded, false},
	} {
		s := healthStore{endingStore{err: step.ended}, &writes, time.Now}
		if err := s.Update(step.ctx, nil); !errors.Is(err, step.ended) {
			t.Errorf("%s: Update = %v", step.name, err)
		}
		err := writes.Check(t.Context(), time.Now(), func(context.Context) { t.Errorf("%s: something is written at once", step.name) })
		if (err == nil) != step.well {
			t.Errorf("%s: %v, well %v", step.name, err, step.well)
		}
	}
}
