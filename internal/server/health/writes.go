package health

import (
	"context"
	"sync"
	"time"
)

// probeEvery is the shortest time between writes of a probe.
const probeEvery = 10 * time.Second

// Writes remembers whether the last write to a part of the server succeeded: a part that can be read may still have no
// room left. It is safe for concurrent use.
type Writes struct {
	mu     sync.Mutex
	at     time.Time // of the last write, or of a probe that is under way
	failed error     // why it failed; nil if it succeeded
}

// Note records the result of a write.
func (w *Writes) Note(at time.Time, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.failed = at, err
}

// Last returns the error of the last write; nil if it succeeded, or if there was none.
func (w *Writes) Last() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// Check returns the error of the last write. If there was none for a while it calls probe, which must write something and
// call Note.
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
