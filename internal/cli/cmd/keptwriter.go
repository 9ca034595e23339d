package cmd

import (
	"errors"
	"io"
	"syscall"
)

// keptWriter keeps the first error of a writer, so that output which got lost, as on a full disk,
// ends with an exit code that says so. A pipe whose reader has gone away (head, grep -q) is no error:
// the rest is for nobody. It is for one goroutine at a time, like what it wraps.
type keptWriter struct {
	w      io.Writer
	err    error
	unread bool // nobody reads any more
}

func (k *keptWriter) Write(data []byte) (int, error) {
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

// Behind is the writer itself.
func (k *keptWriter) Behind() io.Writer { return k.w }
