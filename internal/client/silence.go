package client

import (
	"context"
	"errors"
	"io"
	"time"
)

// silenceTime is how long an answer that has begun may say nothing.
const silenceTime = 5 * time.Minute

// errSilent is the error of an answer that goes on no more, but does not end.
var errSilent = errors.New("the answer stopped in its middle")

// watchedBody is the body of an answer whose request ends when a read takes too long. How long its reader takes
// between two reads does not count.
type watchedBody struct {
	body   io.ReadCloser
	ctx    context.Context //nolint:containedctx // of the request: its cause tells a silence from other errors
	cancel context.CancelCauseFunc
	limit  time.Duration
}

// Read implements io.Reader.
func (b *watchedBody) Read(into []byte) (int, error) {
	watch := time.AfterFunc(b.limit, func() { b.cancel(errSilent) })
	n, err := b.body.Read(into)
	watch.Stop()
	if err != nil && errors.Is(context.Cause(b.ctx), errSilent) {
		err = errSilent
	}
	return n, err
}

// Close implements io.Closer.
func (b *watchedBody) Close() error {
	err := b.body.Close()
	b.cancel(nil)
	return err
}
