package cmd

import (
	"errors"
	"io"
	"sync"
	"syscall"
)

// keptWriter keeps the first error of a writer, so that the exit code says that output was lost, for example on a full
// disk. It is no error if the reader of a pipe has gone away (head, grep -q). It is safe for concurrent use: all parts of a
// server log to it.
type keptWriter struct {
	w io.Writer

	mu     sync.Mutex
	err    error
	unread bool // nobody reads any more
}

func (k *keptWriter) Write(data []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.unread {
		return len(data), nil
	}
	n, err := k.w.Write(data)
	if errors.Is(err, syscall.EPIPE) {
		k.unread = true
		return len(data), nil
	}
	if k.err == nil {
		k.err = err
	}
	return n, err
}

// failed returns the first error; nil if there was none.
func (k *keptWriter) failed() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}

// Behind returns the wrapped writer.
func (k *keptWriter) Behind() io.Writer { return k.w }
