package runview

import "sync"

// spoolLimit is how many bytes may wait to be written before those who add output are held up.
const spoolLimit = 2 << 20

// Spool gathers what many goroutines print until the one that owns it writes it. Adding never waits
// for the stream; who prints much calls wait afterwards, so that a slow reader slows down the task
// that prints and nobody else.
type Spool struct {
	mu      sync.Mutex
	room    sync.Cond // pending was taken, or the spool was closed
	pending []byte
	spare   []byte
	closed  bool

	// filled gets a value when more than wakeAt bytes are pending.
	Filled chan struct{}
	wakeAt int
}

// NewSpool returns an empty spool. It wakes its reader early when so many bytes are pending; 0 wakes for each addition.
func NewSpool(wakeAt int) *Spool {
	s := &Spool{Filled: make(chan struct{}, 1), wakeAt: wakeAt}
	s.room.L = &s.mu
	return s
}

// Add appends to what is pending. The function is called at once and returns its argument, grown.
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

// Wait returns once there is room again.
func (s *Spool) Wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.pending) > spoolLimit && !s.closed {
		s.room.Wait()
	}
}

// Take returns what is pending. The owner gives it back once it is written.
func (s *Spool) Take() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.pending
	s.pending, s.spare = s.spare[:0], nil
	s.room.Broadcast()
	return taken
}

// GiveBack lets what was taken be used again; very large ones are left to the collector.
func (s *Spool) GiveBack(taken []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cap(taken) <= 2*spoolLimit {
		s.spare = taken[:0]
	}
}

// Close ends all waiting: nobody will write any more but the owner, who takes the rest.
func (s *Spool) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.room.Broadcast()
}
