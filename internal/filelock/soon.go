package filelock

import (
	"errors"
	"os"
	"time"
)

// Patience is how long TakeSoon waits for a lock.
const Patience = time.Second

// TakeSoon is Take for a lock whose process may just have been killed. If that process
// was starting another one, the new process holds the lock until its own program begins. So TakeSoon tries again
// for as long as Patience before it returns ErrTaken.
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
