package hub

import (
	"sync"

	trowel "github.com/trowel-project/trowel"
)

// endings are tries whose reports this server has taken, while what was read of the database may still say
// that they run: until the report is stored, and until nobody works any more with what was read before that.
// The zero value has none.
type endings struct {
	mu      sync.Mutex
	readers int
	stored  map[trowel.TryID]bool // by the tries: whether the report is answered
}

// begin notes that a report is about to be taken.
func (e *endings) begin(id trowel.TryID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stored == nil {
		e.stored = map[trowel.TryID]bool{}
	}
	e.stored[id] = false
}

// answered notes that it was stored, or was not.
func (e *endings) answered(id trowel.TryID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.readers == 0 {
		delete(e.stored, id)
	} else if _, known := e.stored[id]; known {
		e.stored[id] = true
	}
}

// read is to be called before the database is read, and what it returns when what was read is not used any
// more.
func (e *endings) read() (done func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.readers++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.readers--; e.readers > 0 {
			return
		}
		for id, stored := range e.stored {
			if stored {
				delete(e.stored, id)
			}
		}
	}
}

// has reports whether a try has ended, whatever was read of it.
func (e *endings) has(id trowel.TryID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, known := e.stored[id]
	return known
}
