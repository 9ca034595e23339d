package health

import (
	"context"
	"sync"
	"time"
)

// probeEvery is how often a probe of the health may write at most.
const probeEvery = 10 * time.Second

// Writes remembers how writing to a part of the server went last, whoever wrote: one that can be read may have no
// room left. It is safe for concurrent use.
type Writes struct {
	mu     sync.Mutex
	at     time.Time // of the last write, or of a probe that is under way
	failed error     // why it failed; nil if it succeeded
}

// Note remembers how a write ended.
func (w *Writes) Note(at time.Time, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.failed = at, err
}

// Last returns why the last write failed; nil if it succeeded, or if nobody has written.
func (w *Writes) Last() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// Check returns why the last write failed. If nobody has written for a while it lets probe write something, which
// must Note how that ended.
func (w *Writes) Check(ctx context.Context, now time.Time, probe func(context.Context)) error {
	w.mu.Lock()
	due := now.Sub(w.at) >= probeEvery
	if due {
		w.at = now
	}
	w.mu.Unlock()
	if due {
		probe(ctx)
	}
	return w.Last()
}
