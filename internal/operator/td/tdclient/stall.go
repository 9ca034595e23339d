package tdclient

import (
	"context"
	"fmt"
	"io"
	"time"
)

// watched is a request that is given up when nothing has come for a while.
type watched struct {
	ctx    context.Context //nolint:containedctx // of the request
	cancel context.CancelCauseFunc
	timer  *time.Timer
	stall  time.Duration
}

// watch watches a request by its context.
func watch(ctx context.Context, cancel context.CancelCauseFunc, stall time.Duration) *watched {
	timer := time.AfterFunc(stall, func() { cancel(fmt.Errorf("nothing has come for %v", stall)) })
	return &watched{ctx: ctx, cancel: cancel, timer: timer, stall: stall}
}

func (w *watched) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// why returns the cause of an error that came because the request was given up.
func (w *watched) why(err error) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	return err
}

// watchedBody is the body of the answer.
type watchedBody struct {
	io.ReadCloser
	watched *watched
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.watched.timer.Reset(b.watched.stall)
	}
	if err != nil && err != io.EOF { //nolint:errorlint // an unexpected end is another error
		err = b.watched.why(err)
	}
	return n, err
}

func (b *watchedBody) Close() error {
	b.watched.stop()
	return b.ReadCloser.Close()
}
