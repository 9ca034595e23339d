package stream

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server/rest"
)

const (
	// maxStreams is the largest number of streams of a server. Options.MaxStreams may be less.
	maxStreams = 1000
	// One caller may have a fraction (1/streamShare) of the streams.
	streamShare = 4
)

// streams limits the open streams of the server and of each caller, so that there is room for other requests and other
// callers. It is safe for concurrent use.
type streams struct {
	most int

	mu  sync.Mutex
	all int
	by  map[string]int // number of streams by caller, without zeros
}

func newStreams(most int) *streams {
	if most <= 0 || most > maxStreams {
		most = maxStreams
	}
	return &streams{most: most, by: map[string]int{}}
}

// acquire counts a stream of the caller until leave is called. It fails with 503 if there are too many.
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

// streamOwner identifies a caller: by the token, the user or, without credentials, the address. Of IPv6 addresses it is
// the network of 64 bits.
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

// tooManyStreams is the error if there are too many streams. It closes the connection, which would otherwise still
// take room.
func tooManyStreams(w http.ResponseWriter, format string, args ...any) error {
	w.Header().Set("Connection", "close")
	return rest.Errorf(http.StatusServiceUnavailable, format, args...)
}
