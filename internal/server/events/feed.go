package events

import (
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
)

// maxKept is how many events can be had again by somebody who was away.
const maxKept = 1 << 14

// Feed hands events on to those who watch, and keeps the last ones for those who come back. Its
// methods may be called concurrently; none of them waits for a watcher.
type Feed struct {
	// life is different for each process: positions of an earlier one mean nothing.
	epoch string

	mu       sync.Mutex
	ring     []Event // position p is at p % kept
	next     int64   // position of the next event
	watchers map[*Watcher]struct{}
	closed   bool
}

// NewFeed returns an empty stream.
func NewFeed() *Feed {
	return &Feed{epoch: strings.ToLower(rand.Text()[:8]), watchers: map[*Watcher]struct{}{}}
}

// Publish tells all watchers.
func (e *Feed) Publish(events ...Event) {
	if len(events) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, event := range events {
		if len(e.ring) < maxKept {
			e.ring = append(e.ring, event)
		} else {
			e.ring[e.next%maxKept] = event
		}
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

// Watch begins to gather events of a topic for one stream. after is the position that the stream
// has; empty for a new one. version is that of the attempt of the topic, as it was before. lost tells
// that what came after the position is not known any more.
func (e *Feed) Watch(t Topic, after string, version int64) (w *Watcher, lost bool) {
	w = &Watcher{events: e, Topic: t, Ready: make(chan struct{}, 1), known: version}
	e.mu.Lock()
	defer e.mu.Unlock()
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

// position reads a position. It must be of this process, and what follows must still be kept.
func (e *Feed) position(text string) (int64, bool) {
	life, number, _ := strings.Cut(text, "-")
	p, err := strconv.ParseInt(number, 10, 64)
	if err != nil || life != e.epoch || p > e.next || p < e.next-int64(len(e.ring)) {
		return 0, false
	}
	return p, true
}

// Leave ends a watcher.
func (e *Feed) Leave(w *Watcher) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.watchers, w)
}
