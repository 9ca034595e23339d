package sqldb

import (
	"context"
	"net"
	"strconv"
	"sync"
)

// gates bound the connections to each server. They are safe for concurrent use.
type gates struct {
	size int
	mu   sync.Mutex
	all  map[string]*gate // by host and port
}

// gate has a place for each connection that there may be.
type gate struct {
	places chan struct{}
	users  int // that have a place or wait for one
}

func newGates(size int) *gates {
	if size <= 0 {
		size = defaultConnections
	}
	return &gates{size: size, all: map[string]*gate{}}
}

// enter takes a place at a server, in the order of those who wait. It calls waiting first if there is none. leave
// gives the place back.
func (g *gates) enter(ctx context.Context, host string, port int, waiting func()) (leave func(), err error) {
	key := net.JoinHostPort(host, strconv.Itoa(port))
	at := g.use(key)
	select {
	case at.places <- struct{}{}:
	default:
		waiting()
		select {
		case at.places <- struct{}{}:
		case <-ctx.Done():
			g.release(key, at)
			return nil, context.Cause(ctx)
		}
	}
	return func() {
		<-at.places
		g.release(key, at)
	}, nil
}

// use returns the gate of a server, which stays until it has been released as often.
func (g *gates) use(key string) *gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.all[key]
	if at == nil {
		at = &gate{places: make(chan struct{}, g.size)}
		g.all[key] = at
	}
	at.users++
	return at
}

func (g *gates) release(key string, at *gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at.users--; at.users == 0 {
		delete(g.all, key)
	}
}
