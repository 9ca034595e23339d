package cli

import (
	"errors"
	"fmt"
	"io"
	"syscall"
)

// say writes a text. That a write failed is known to the keptWriter around standard output; for
// standard error there is nobody left to tell.
func say(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, format, args...)
}

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
