package cloud

import (
	"errors"
	"io"
	"sync"
)

// exact reads a certain number of bytes. If there are more or fewer, it fails before it returns the last of them,
// so that an upload is not completed.
type exact struct {
	from  io.Reader
	left  int64
	wrong error // about a wrong number of bytes

	mu  sync.Mutex // an upload may still read after it was given up
	err error
}

// Read implements io.Reader.
func (e *exact) Read(data []byte) (int, error) {
	if e.left == 0 {
		return 0, e.end()
	}
	n, err := e.from.Read(data[:min(int64(len(data)), e.left)])
	e.left -= int64(n)
	switch {
	case e.left == 0 && (err == nil || errors.Is(err, io.EOF)):
		if err := e.end(); !errors.Is(err, io.EOF) {
			return 0, err
		}
		return n, io.EOF
	case errors.Is(err, io.EOF):
		return 0, e.fail(e.wrong)
	case err != nil:
		return n, e.fail(err)
	}
	return n, nil
}

// end returns io.EOF if there is nothing more.
func (e *exact) end() error {
	var more [1]byte
	switch n, err := io.ReadFull(e.from, more[:]); {
	case n > 0:
		return e.fail(e.wrong)
	case errors.Is(err, io.EOF):
		return io.EOF
	default:
		return e.fail(err)
	}
}

func (e *exact) fail(err error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = err
	return err
}

// failure returns what was wrong with the reader.
func (e *exact) failure() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}
