package client

import (
	"context"
	"errors"
	"io"
	"time"
)

// silenceTime is the default of Options.Silence.
const silenceTime = 5 * time.Minute

// errSilent is the error about an answer that has stopped without ending.
var errSilent = errors.New("the answer stopped in its middle")

// watchedBody is the body of an answer. Its request is canceled when a read takes too long. The time
// between two reads does not count.
type watchedBody struct {
	body   io.ReadCloser
	ctx    context.Context //nolint:containedctx // of the request; its cause distinguishes a silence from other errors
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
