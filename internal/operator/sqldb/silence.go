package sqldb

import (
	"net"
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
}

// Read implements net.Conn.
func (c *silentConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	if c.longest > 0 && !c.fixed {
		_ = c.Conn.SetReadDeadline(time.Now().Add(c.longest))
	}
	c.mu.Unlock()
	return c.Conn.Read(p)
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
