package tasklog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Logs are the logs of tasks in a directory. It is safe for concurrent use.
type Logs struct {
	dir  string
	zips compressors
}

// New returns the logs in a directory, which it creates if needed and checks for writing.
func New(dir string) (*Logs, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil { //nolint:gosec // the umask decides
		return nil, err
	}
	probe, err := os.CreateTemp(dir, ".tmp-*")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return nil, err
	}
	return &Logs{dir: dir, zips: newCompressors()}, nil
}

// Open begins the log of a try at an instant. createdAt is when its attempt was created; agentID, as <pid>@<host>, is
// who runs it. Others can read what is written within a second. The log is safe for concurrent use; each Write stays in
// one piece.
func (l *Logs) Open(lease *trowel.Lease, agentID string, createdAt, at time.Time) (io.WriteCloser, error) {
	var err error
	for _, limit := range nameLimits() {
		folder := filepath.Join(l.dir, folderName(lease, createdAt, limit))
		if err = os.MkdirAll(folder, 0o777); err == nil { //nolint:gosec // the umask decides
			var file *os.File
			if file, err = create(folder, lease, agentID, at, limit); err == nil {
				return begin(l, file)
			}
		}
		if !errors.Is(err, syscall.ENAMETOOLONG) {
			break
		}
	}
	return nil, fmt.Errorf("open the log of task %s: %w", lease.FullName, err)
}

// create creates a file that did not exist; the clock may stand still for a while.
func create(folder string, lease *trowel.Lease, agentID string, at time.Time, limit int) (*os.File, error) {
	for {
		path := filepath.Join(folder, fileName(lease, agentID, at, limit))
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666) //nolint:gosec // the umask decides
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
		at = at.Add(time.Nanosecond)
	}
}
