package stream

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server/rest"
)

const (
	// maxStreams is how many streams of events a server has at most; Options.MaxStreams may be less.
	maxStreams = 1000
	// streamShare of them is for one caller.
	streamShare = 4
)

// streams counts the streams of events that are open, so that they leave room for other requests, and one caller
// leaves room for others. It is safe for concurrent use.
type streams struct {
	most int

	mu  sync.Mutex
	all int
	by  map[string]int // only callers with a stream
}

func newStreams(most int) *streams {
	if most <= 0 || most > maxStreams {
		most = maxStreams
	}
	return &streams{most: most, by: map[string]int{}}
}

// acquire counts a stream of a caller until leave is called, or refuses it with 503.
func (s *streams) acquire(c *rest.Call) (leave func(), err error) {
	who := streamOwner(c.Caller, c.Request.RemoteAddr)
	s.mu.Lock()
	defer s.mu.Unlock()
	own := max(s.most/streamShare, 1)
	switch {
	case s.all >= s.most:
		return nil, tooManyStreams(c.Writer, "this server has %d streams of events, as many as it may have: try again when some have ended", s.all)
	case s.by[who] >= own:
		return nil, tooManyStreams(c.Writer, "%s has %d streams of events, as many as one caller may have: end some of them", c.Caller.Name, own)
	}
	s.all++
	s.by[who]++
	return func() { s.release(who) }, nil
}

func (s *streams) release(who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.by[who]--; s.by[who] == 0 {
		delete(s.by, who)
	}
}

// streamOwner tells callers apart: tokens, the user, and where nobody signs in the addresses that requests come from, of
// IPv6 the networks of 64 bits.
func streamOwner(caller access.Caller, address string) string {
	switch caller.Kind {
	case access.KindToken:
		return fmt.Sprint("token ", caller.Token.ID)
	case access.KindNone:
		return "address " + access.Origin(address)
	case access.KindBasic:
	}
	return "user " + caller.Name
}

// tooManyStreams is the refusal of a stream. Its connection is closed: one that is kept for a later request would take
// the room that there is not.
func tooManyStreams(w http.ResponseWriter, format string, args ...any) error {
	w.Header().Set("Connection", "close")
	return rest.Errorf(http.StatusServiceUnavailable, format, args...)
}
