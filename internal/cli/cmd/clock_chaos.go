//go:build chaos

package cmd

import (
	"os"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// offsetVariable names a file with how much the clock of this process is fast, as "-2m3s". A file
// that is not there, or says something else, is no offset.
const offsetVariable = "TROWEL_CLOCK_OFFSET"

// offsetAge is how old a reading of that file may be.
const offsetAge = 20 * time.Millisecond

// processClock is a clock that is wrong, and that somebody sets while the process runs. Lengths of
// time are right, as they are where a machine's clock is set: they come from another clock.
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

// instant is how time.Time keeps a reading of both clocks: what people call the time, and the time since
// the process began. The test of this file fails if that changes.
type instant struct {
	wall uint64
	ext  int64
	loc  *time.Location
}

// setWall moves what people call the time alone. time.Time.Add moves both.
func setWall(t time.Time, offset time.Duration) time.Time {
	moved := t.Add(offset)
	(*instant)(unsafe.Pointer(&moved)).ext = (*instant)(unsafe.Pointer(&t)).ext //nolint:gosec // a clock that is set
	return moved
}
