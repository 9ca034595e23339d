package filelock

import (
	"errors"
	"os"
	"time"
)

// Patience is how long TakeSoon waits for a lock.
const Patience = time.Second

// TakeSoon is Take for a lock that may have been that of a process which was killed a moment ago. If it
// was just starting another one, that has the lock until its own program begins, so a lock that is taken
// is tried again for as long as Patience before it is ErrTaken.
func TakeSoon(path string) (*os.File, error) {
	timeout := time.NewTimer(Patience)
	defer timeout.Stop()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		file, err := Take(path)
		if !errors.Is(err, ErrTaken) {
			return file, err
		}
		select {
		case <-again.C:
		case <-timeout.C:
			return nil, err
		}
	}
}
