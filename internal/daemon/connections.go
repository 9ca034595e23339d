package daemon

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// Parts of the files that a process may have open: one of connectionShare for connections, one of streamFiles for
// streams of events among them. The rest is for the database, for archives and for what runs tasks.
const (
	connectionShare = 2
	streamFiles     = 4
)

// connections keeps the number of open connections of a server below a limit, so that it never runs out of
// descriptors: where there is no room for a new one, the one is closed that has waited longest for a request. It is
// safe for concurrent use.
type connections struct {
	most int

	mu      sync.Mutex
	open    map[net.Conn]*list.Element // nil for one that is busy
	waiting list.List                  // of net.Conn without a request, the oldest first
}

func newConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]*list.Element{}}
}

// changed is a http.Server.ConnState.
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

// makeRoom closes the connection that has waited longest; if all are busy, the new one.
func (s *connections) makeRoom(c net.Conn) {
	if oldest := s.waiting.Front(); oldest != nil {
		s.waiting.Remove(oldest)
		c, _ = oldest.Value.(net.Conn)
		delete(s.open, c)
	}
	if encrypted, ok := c.(*tls.Conn); ok {
		c = encrypted.NetConn() // TLS waits for seconds to say goodbye to one that does not read, and here all others wait
	}
	_ = c.Close() // whoever serves it notices
}
