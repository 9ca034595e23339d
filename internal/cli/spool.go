package cli

import "sync"

// spoolLimit is how many bytes may wait to be written before those who add output are held up.
const spoolLimit = 2 << 20

// spool gathers what many goroutines print until the one that owns it writes it. Adding never waits
// for the stream; who prints much calls wait afterwards, so that a slow reader slows down the task
// that prints and nobody else.
type spool struct {
	mu      sync.Mutex
	room    sync.Cond // pending was taken, or the spool was closed
	pending []byte
	spare   []byte
	closed  bool

	// filled gets a value when more than wakeAt bytes are pending.
	filled chan struct{}
	wakeAt int
}

func newSpool(wakeAt int) *spool {
	s := &spool{filled: make(chan struct{}, 1), wakeAt: wakeAt}
	s.room.L = &s.mu
	return s
}

// add appends to what is pending. The function is called at once and returns its argument, grown.
func (s *spool) add(grow func(pending []byte) []byte) {
	s.mu.Lock()
	s.pending = grow(s.pending)
	full := len(s.pending) > s.wakeAt
	s.mu.Unlock()
	if !full {
		return
	}
	select {
	case s.filled <- struct{}{}:
	default:
	}
}

// wait returns once there is room again.
func (s *spool) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.pending) > spoolLimit && !s.closed {
		s.room.Wait()
	}
}

// take returns what is pending. The owner gives it back once it is written.
func (s *spool) take() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.pending
	s.pending, s.spare = s.spare[:0], nil
	s.room.Broadcast()
	return taken
}

// giveBack lets what was taken be used again; very large ones are left to the collector.
func (s *spool) giveBack(taken []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cap(taken) <= 2*spoolLimit {
		s.spare = taken[:0]
	}
}

// close ends all waiting: nobody will write any more but the owner, who takes the rest.
func (s *spool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.room.Broadcast()
}
