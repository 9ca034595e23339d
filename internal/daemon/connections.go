package daemon

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// Shares of the files that a process may have open: one in connectionShare for connections, and one in streamFiles for
// event streams among them. The rest is for the database, archives and tasks.
const (
	connectionShare = 2
	streamFiles     = 4
)

// connections keeps the number of a server's open connections below a limit, so that it never runs out of
// descriptors. If there is no room for a new one, it closes the one that has waited longest for a request. It is
// safe for concurrent use.
type connections struct {
	most int

	mu      sync.Mutex
	open    map[net.Conn]*list.Element // nil for a busy one
	waiting list.List                  // net.Conn values without a request, oldest first
}

func newConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]*list.Element{}}
}

// changed implements http.Server.ConnState.
func (s *connections) changed(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.open[c]; e != nil {
		s.waiting.Remove(e)
	}
	switch state {
	case http.StateNew:
		if len(s.open) >= s.most {
			s.makeRoom(c)
		}
		s.open[c] = s.waiting.PushBack(c)
	case http.StateIdle:
		s.open[c] = s.waiting.PushBack(c)
	case http.StateActive:
		s.open[c] = nil
	case http.StateHijacked, http.StateClosed:
		delete(s.open, c)
	}
}

// makeRoom closes the connection that has waited longest or, if all are busy, the new one.
func (s *connections) makeRoom(c net.Conn) {
	if oldest := s.waiting.Front(); oldest != nil {
		s.waiting.Remove(oldest)
		c, _ = oldest.Value.(net.Conn)
		delete(s.open, c)
	}
	if encrypted, ok := c.(*tls.Conn); ok {
		c = encrypted.NetConn() // TLS waits seconds to say goodbye to a client that does not read, while all others wait here
	}
	_ = c.Close() // its handler notices this
}
