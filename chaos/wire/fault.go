package wire

import "time"

// Reset ends all open connections at once, and both sides notice. New ones are carried.
func (w *Wire) Reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.links {
		for _, end := range l.ends {
			_ = end.SetLinger(0) // so that it is a reset, not an end
		}
		l.close()
	}
}

// Hold lets nothing through in those directions, on open and new connections, without anybody noticing: it is
// a black hole. What was sent arrives after Mend.
func (w *Wire) Hold(directions ...Direction) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range directions {
		if !w.held[d] {
			w.held[d], w.open[d] = true, make(chan struct{})
		}
	}
}

// Slow delays each piece of data.
func (w *Wire) Slow(delay time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.delay = delay
}

// End ends one direction of all open connections, as if its sender had nothing more to send. The other
// direction goes on.
func (w *Wire) End(d Direction) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.links {
		l.ended[d] = true
		_ = l.ends[1-d].CloseWrite() // it may be closed already
	}
}

// Mend undoes Hold and Slow.
func (w *Wire) Mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.delay = 0
	for d := range w.held {
		if w.held[d] {
			w.held[d] = false
			close(w.open[d])
		}
	}
}
