package sqldb

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

// silentConn bounds how long its other end may be silent. A deadline that is set counts until it is taken back, and then
// the bound counts again.
type silentConn struct {
	net.Conn

	mu      sync.Mutex
	longest time.Duration // zero for no bound
	fixed   bool          // a deadline is set
	ended   bool          // the bound was reached
}

// Read implements net.Conn.
func (c *silentConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	if c.longest > 0 && !c.fixed {
		_ = c.SetReadDeadline(time.Now().Add(c.longest))
	}
	c.mu.Unlock()
	n, err := c.Conn.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.mu.Lock()
		c.ended = !c.fixed
		c.mu.Unlock()
	}
	return n, err
}

// tooLong returns the error about a server that was silent for too long; nil if it was not.
func (c *silentConn) tooLong() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		return nil
	}
	return fmt.Errorf("the server was silent for %s (socket_timeout)", c.longest)
}

// SetDeadline implements net.Conn.
func (c *silentConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fixed = !t.IsZero()
	return c.Conn.SetDeadline(t)
}

// limit bounds the silence from now on.
func (c *silentConn) limit(longest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.longest = longest
}
