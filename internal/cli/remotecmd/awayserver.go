package remotecmd

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/textutil"
	"github.com/trowel-project/trowel/internal/wait"
)

// awayMost is the longest interval between two attempts to reach a server that went away.
const awayMost = 10 * time.Second

// awayServer waits for a server that went away while something on it was followed. It does not wait for a server that
// never answered, since the address may be wrong.
type awayServer struct {
	least time.Duration // before the first new try
	note  func(text string)

	answered bool
	misses   int // failures in a row
}

// back must be called after each answer.
func (s *awayServer) back() {
	s.answered = true
	if s.misses > 0 {
		s.note("the server answers again")
		s.misses = 0
	}
}

// wait waits before the next attempt, longer each time. It returns err if that does not mean that the server
// went away.
func (s *awayServer) wait(ctx context.Context, err error) error {
	if !s.answered || ctx.Err() != nil || !wentAway(err) {
		return err
	}
	if s.misses == 0 {
		s.note("waiting for the server: " + textutil.FirstLine(serverErrorText(err)))
	}
	pause := min(s.least<<min(s.misses, 8), awayMost)
	s.misses++
	return wait.Sleep(ctx, pause)
}

// wentAway reports whether a server may be back later.
func wentAway(err error) bool {
	if refused, ok := errors.AsType[*client.StatusError](err); ok {
		return refused.Code >= 500 || refused.Code == http.StatusTooManyRequests || refused.Code == http.StatusRequestTimeout
	}
	if _, unreachable := errors.AsType[*client.UnreachableError](err); unreachable {
		return true
	}
	_, broken := errors.AsType[net.Error](err) // in the middle of a body
	return broken
}
