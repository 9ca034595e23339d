package events

import (
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
)

// maxKept is how many events a stream that comes back can get.
const maxKept = 1 << 14

// Feed passes events to watchers, and keeps the last ones for streams that come back: from the first watcher on, as
// before it nobody has a position to come back to. It is safe for concurrent use. No method waits for a watcher.
type Feed struct {
	// life differs between processes: positions of an earlier process are invalid.
	epoch string

	mu       sync.Mutex
	ring     []Event // position p is at p % maxKept; empty before the first watcher
	first    int64   // no event before this position was kept
	next     int64   // position of the next event
	watchers map[*Watcher]struct{}
	closed   bool
}

// NewFeed returns a feed without events.
func NewFeed() *Feed {
	return &Feed{epoch: strings.ToLower(rand.Text()[:8]), watchers: map[*Watcher]struct{}{}}
}

// Watched reports whether there has been a watcher. If not, events need not be published.
func (e *Feed) Watched() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ring != nil
}

// Publish passes events to all watchers.
func (e *Feed) Publish(events ...Event) {
	if len(events) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ring == nil {
		return
	}
	for _, event := range events {
		e.ring[e.next%maxKept] = event
		e.next++
		for w := range e.watchers {
			w.note(event)
		}
	}
	for w := range e.watchers {
		w.wake()
	}
}

// Close ends all streams.
func (e *Feed) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	for w := range e.watchers {
		w.wake()
	}
}

// Watch starts to collect the events of a topic for one stream. after is the last position of a stream that comes back;
// empty for a new one. version is that of the topic's attempt before the call. lost reports whether events after the
// position are not kept any more.
func (e *Feed) Watch(t Topic, after string, version int64) (w *Watcher, lost bool) {
	w = &Watcher{events: e, Topic: t, Ready: make(chan struct{}, 1), known: version}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ring == nil {
		e.ring, e.first = make([]Event, maxKept), e.next
	}
	if after != "" {
		from, ok := e.position(after)
		lost = !ok
		for p := from; ok && p < e.next; p++ {
			w.replay(e.ring[p%maxKept])
		}
		w.wake()
	}
	e.watchers[w] = struct{}{}
	return w, lost
}

// position reads a position. It fails if the position is of another process, or too old.
func (e *Feed) position(text string) (int64, bool) {
	life, number, _ := strings.Cut(text, "-")
	p, err := strconv.ParseInt(number, 10, 64)
	if err != nil || life != e.epoch || p > e.next || p < max(e.first, e.next-maxKept) {
		return 0, false
	}
	return p, true
}

// Leave removes a watcher.
func (e *Feed) Leave(w *Watcher) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.watchers, w)
}
