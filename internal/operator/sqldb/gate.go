package sqldb

import (
	"context"
	"net"
	"slices"
	"strconv"
	"sync"
)

// gates bound the connections to each server. They are safe for concurrent use.
type gates struct {
	size int
	mu   sync.Mutex
	all  map[string]*gate // by host and port; those that have users
}

// gate has a place for each connection that there may be.
type gate struct {
	key   string
	taken int
	queue []*waiter // in the order in which they came
}

// waiter waits for a place.
type waiter struct {
	to login
	// place is closed when the waiter has a place. Then connection is one that came with it, or nil.
	place      chan struct{}
	connection connection
}

func newGates(size int) *gates {
	if size <= 0 {
		size = defaultConnections
	}
	return &gates{size: size, all: map[string]*gate{}}
}

// enter takes a place at a server, in the order of those who wait. It calls waiting first if there is none. With the
// place may come a connection that is as good as a new one; else the connection is nil.
func (g *gates) enter(ctx context.Context, to login, waiting func()) (*gate, connection, error) {
	key := net.JoinHostPort(to.host, strconv.Itoa(to.port))
	g.mu.Lock()
	at := g.all[key]
	if at == nil {
		at = &gate{key: key}
		g.all[key] = at
	}
	if at.taken < g.size {
		at.taken++
		g.mu.Unlock()
		return at, nil, nil
	}
	w := &waiter{to: to, place: make(chan struct{})}
	at.queue = append(at.queue, w)
	g.mu.Unlock()
	waiting()
	select {
	case <-w.place:
		return at, w.connection, nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	i := slices.Index(at.queue, w)
	if i >= 0 {
		at.queue = slices.Delete(at.queue, i, i+1)
	}
	g.mu.Unlock()
	if i < 0 { // the place has come at the same time
		g.leave(at, w.connection)
	}
	return nil, nil, context.Cause(ctx)
}

// wanted reports whether the next one who waits could use a connection.
func (g *gates) wanted(at *gate, to login) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(at.queue) > 0 && at.queue[0].to == to
}

// leave gives a place back, and with it a connection that is as good as new, or nil. If the next one who waits cannot use that, it
// is closed.
func (g *gates) leave(at *gate, c connection) {
	g.mu.Lock()
	defer func() {
		g.mu.Unlock()
		if c != nil {
			c.close()
		}
	}()
	if len(at.queue) == 0 {
		if at.taken--; at.taken == 0 {
			delete(g.all, at.key)
		}
		return
	}
	w := at.queue[0]
	at.queue = slices.Delete(at.queue, 0, 1)
	if c != nil && c.target() == w.to {
		w.connection, c = c, nil
	}
	close(w.place)
}
