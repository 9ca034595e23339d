package hub

import (
	"sync"

	trowel "github.com/trowel-project/trowel"
)

// endings are tries whose reports this server has taken, while data read from the database may still say that they run.
// A try stays here until its report is stored and everybody has finished who read the database before that. The zero
// value is empty.
type endings struct {
	mu      sync.Mutex
	readers int
	stored  map[trowel.TryID]bool // by try: whether the report is answered
}

// begin notes that a report is being taken.
func (e *endings) begin(id trowel.TryID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stored == nil {
		e.stored = map[trowel.TryID]bool{}
	}
	e.stored[id] = false
}

// answered notes that the report was stored, or was not.
func (e *endings) answered(id trowel.TryID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.readers == 0 {
		delete(e.stored, id)
	} else if _, known := e.stored[id]; known {
		e.stored[id] = true
	}
}

// read must be called before the database is read. done must be called once that data is no longer used.
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

// has reports whether a try has ended, even if data that was read says otherwise.
func (e *endings) has(id trowel.TryID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, known := e.stored[id]
	return known
}
