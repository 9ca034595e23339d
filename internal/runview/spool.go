package runview

import "sync"

// spoolLimit is how many bytes may be pending before Wait blocks.
const spoolLimit = 2 << 20

// Spool collects what many goroutines print until its owner writes it. Adding never waits
// for the stream. Goroutines that print much call Wait afterwards, so that a slow reader slows down the task
// that prints and nothing else.
type Spool struct {
	mu      sync.Mutex
	room    sync.Cond // pending was taken, or the spool was closed
	pending []byte
	spare   []byte
	closed  bool

	// filled gets a value once more than wakeAt bytes are pending.
	Filled chan struct{}
	wakeAt int
}

// NewSpool returns an empty spool. It wakes its reader early when so many bytes are pending; 0 wakes for each addition.
func NewSpool(wakeAt int) *Spool {
	s := &Spool{Filled: make(chan struct{}, 1), wakeAt: wakeAt}
	s.room.L = &s.mu
	return s
}

// Add appends to the pending bytes. The function is called at once; it appends to its argument and returns the result.
func (s *Spool) Add(grow func(pending []byte) []byte) {
	s.mu.Lock()
	s.pending = grow(s.pending)
	full := len(s.pending) > s.wakeAt
	s.mu.Unlock()
	if !full {
		return
	}
	select {
	case s.Filled <- struct{}{}:
	default:
	}
}

// Wait waits until there is room.
func (s *Spool) Wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.pending) > spoolLimit && !s.closed {
		s.room.Wait()
	}
}

// Take returns the pending bytes. The owner must give them back after writing them.
func (s *Spool) Take() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.pending
	s.pending, s.spare = s.spare[:0], nil
	s.room.Broadcast()
	return taken
}

// GiveBack lets the memory of taken bytes be used again, unless it is very large.
func (s *Spool) GiveBack(taken []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cap(taken) <= 2*spoolLimit {
		s.spare = taken[:0]
	}
}

// Close ends all waiting. After it only the owner writes, who takes the rest.
func (s *Spool) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.room.Broadcast()
}
