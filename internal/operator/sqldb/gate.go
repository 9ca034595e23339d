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
	queue []chan struct{} // of those who wait for a place, in the order in which they came; closed when it is theirs
}

func newGates(size int) *gates {
	if size <= 0 {
		size = defaultConnections
	}
	return &gates{size: size, all: map[string]*gate{}}
}

// enter takes a place at a server, in the order of those who wait. It calls waiting first if there is none.
func (g *gates) enter(ctx context.Context, to login, waiting func()) (*gate, error) {
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
		return at, nil
	}
	place := make(chan struct{})
	at.queue = append(at.queue, place)
	g.mu.Unlock()
	waiting()
	select {
	case <-place:
		return at, nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	i := slices.Index(at.queue, place)
	if i >= 0 {
		at.queue = slices.Delete(at.queue, i, i+1)
	}
	g.mu.Unlock()
	if i < 0 { // the place has come at the same time
		g.leave(at)
	}
	return nil, context.Cause(ctx)
}

// leave gives a place to the next one who waits.
func (g *gates) leave(at *gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(at.queue) > 0 {
		close(at.queue[0])
		at.queue = slices.Delete(at.queue, 0, 1)
		return
	}
	if at.taken--; at.taken == 0 {
		delete(g.all, at.key)
	}
}
