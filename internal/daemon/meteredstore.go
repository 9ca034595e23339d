package daemon

import (
	"context"
	"errors"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/telemetry"
)

// meteredStore counts the transactions of one part of a server, and some of what they write.
type meteredStore struct {
	trowel.Store

	meters meters
	part   string
}

// metered returns a store whose transactions count for a part of the server. If s counts for
// another part, that is replaced.
func (m meters) metered(s trowel.Store, part string) trowel.Store {
	if other, ok := s.(*meteredStore); ok {
		s = other.Store
	}
	return &meteredStore{s, m, part}
}

// Update implements trowel.Store.
func (s *meteredStore) Update(ctx context.Context, f func(tx trowel.Tx) error) error {
	began, runs := s.meters.now(), 0
	var wrote meteredTx // by the last run of the function
	err := s.Store.Update(ctx, func(tx trowel.Tx) error {
		runs++
		wrote = meteredTx{Tx: tx}
		return f(&wrote)
	})
	if runs > 1 {
		s.meters.Add(telemetry.TransactionRetries, float64(runs-1), s.part)
	}
	s.count("write", began, err)
	if err == nil {
		s.meters.wrote(&wrote)
	}
	return err
}

// View implements trowel.Store.
func (s *meteredStore) View(ctx context.Context, f func(tx trowel.Tx) error) error {
	began := s.meters.now()
	err := s.Store.View(ctx, f)
	s.count("read", began, err)
	return err
}

func (s *meteredStore) count(kind string, began time.Time, err error) {
	s.meters.Add(telemetry.Transactions, 1, s.part, kind)
	s.meters.Observe(telemetry.TransactionDuration, s.meters.now().Sub(began).Seconds(), s.part, kind)
	switch {
	case errors.Is(err, trowel.ErrUnavailable):
		s.meters.Add(telemetry.DatabaseErrors, 1, s.part, "unavailable")
	case errors.Is(err, store.ErrRetry):
		s.meters.Add(telemetry.DatabaseErrors, 1, s.part, "conflict")
	}
}

// meteredTx remembers what to count when the transaction is committed.
type meteredTx struct {
	trowel.Tx

	decisions              []trowel.Decision
	textBytes, storedBytes int64
}

// InsertDecisions implements trowel.ScheduleTx.
func (t *meteredTx) InsertDecisions(ctx context.Context, decisions []trowel.Decision) error {
	t.decisions = append(t.decisions, decisions...)
	return t.Tx.InsertDecisions(ctx, decisions)
}

// InsertLogChunks implements trowel.LogTx.
func (t *meteredTx) InsertLogChunks(ctx context.Context, chunks []trowel.LogChunk) error {
	t.countChunks(chunks)
	return t.Tx.InsertLogChunks(ctx, chunks)
}

// InsertNewLogChunks implements trowel.LogTx.
func (t *meteredTx) InsertNewLogChunks(ctx context.Context, chunks []trowel.LogChunk) error {
	t.countChunks(chunks)
	return t.Tx.InsertNewLogChunks(ctx, chunks)
}

func (t *meteredTx) countChunks(chunks []trowel.LogChunk) {
	for i := range chunks {
		t.textBytes += chunks[i].TextBytes
		t.storedBytes += chunks[i].DataBytes
	}
}

func (m meters) wrote(t *meteredTx) {
	for i := range t.decisions {
		d := &t.decisions[i]
		m.Add(telemetry.Schedules, 1, d.What)
		if d.What == trowel.DecisionStarted {
			m.between(telemetry.ScheduleDelay, d.RunAt, d.At)
		}
	}
	if t.textBytes > 0 {
		m.Add(telemetry.LogText, float64(t.textBytes))
		m.Add(telemetry.LogStored, float64(t.storedBytes))
	}
}
