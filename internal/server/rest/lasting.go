package rest

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
)

// lasting is a body that can be read until its context ends. Deadlines are not enough, since each piece sets a new one.
type lasting struct {
	io.ReadCloser

	ctx context.Context //nolint:containedctx // of the request
}

// Read implements io.Reader.
func (l *lasting) Read(data []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	return l.ReadCloser.Read(data)
}

// upload is the body of a request, and whether all of it has been read.
type upload struct {
	io.ReadCloser
	whole atomic.Bool
}

// Read implements io.Reader.
func (u *upload) Read(data []byte) (int, error) {
	n, err := u.ReadCloser.Read(data)
	if errors.Is(err, io.EOF) {
		u.whole.Store(true)
	}
	return n, err
}
