//go:build chaos

package cmd

import (
	"os"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// offsetVariable names a file that says how far ahead the clock of this process is, such as "-2m3s". There is no
// offset if the file is missing or says anything else.
const offsetVariable = "TROWEL_CLOCK_OFFSET"

// offsetAge is how long a value read from that file is used.
const offsetAge = 20 * time.Millisecond

// processClock returns a clock that is wrong and may be set while the process runs. Durations are still right, as
// they are when the clock of a machine is set: they come from a monotonic clock.
func processClock() func() time.Time {
	path := os.Getenv(offsetVariable)
	if path == "" {
		return time.Now
	}
	c := &wrongClock{path: path}
	return func() time.Time { return c.read(time.Now()) }
}

type wrongClock struct {
	path string

	mu     sync.Mutex
	asked  time.Time
	offset time.Duration
}

func (c *wrongClock) read(now time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked.IsZero() || now.Sub(c.asked) > offsetAge {
		c.asked = now
		text, _ := os.ReadFile(c.path)
		c.offset, _ = time.ParseDuration(strings.TrimSpace(string(text)))
	}
	return setWall(now, c.offset)
}

// instant is the layout of time.Time, which holds a reading of both clocks: the wall clock and the monotonic one.
// The test of this file fails if that changes.
type instant struct {
	wall uint64
	ext  int64
	loc  *time.Location
}

// setWall moves the wall clock alone. time.Time.Add moves both clocks.
func setWall(t time.Time, offset time.Duration) time.Time {
	moved := t.Add(offset)
	(*instant)(unsafe.Pointer(&moved)).ext = (*instant)(unsafe.Pointer(&t)).ext //nolint:gosec // a clock that is set
	return moved
}
