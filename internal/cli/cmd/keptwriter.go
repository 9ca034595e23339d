package cmd

import (
	"errors"
	"io"
	"syscall"
)

// keptWriter keeps the first error of a writer, so that the exit code says that output was lost, for example on a full
// disk. It is no error if the reader of a pipe has gone away (head, grep -q). Only one goroutine at a time may use it,
// like the writer that it wraps.
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

// Behind returns the wrapped writer.
func (k *keptWriter) Behind() io.Writer { return k.w }
