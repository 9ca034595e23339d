package kubernetes

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"
)

// logTime is how long a log may take to read.
const logTime = 5 * time.Minute

// copyLog passes on what is new in the log of the container. The state says how much was passed on before.
func (w *watch) copyLog(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, logTime)
	defer cancel()
	from, err := w.client.send(ctx, http.MethodGet, w.path()+"/log?container="+url.QueryEscape(w.state.pod), nil)
	if statusOf(err) == http.StatusBadRequest || statusOf(err) == http.StatusNotFound {
		w.log.DebugContext(ctx, "the container has no log", slog.Any("error", err))
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	text := bufio.NewReader(from)
	passed, err := io.CopyN(io.Discard, text, w.state.offset)
	if errors.Is(err, io.EOF) {
		w.log.WarnContext(ctx, "the node has cut the log of the container, so a part of the output is lost")
		w.state.offset = passed
		return nil
	}
	if err != nil {
		return &apiError{message: "the log of the container broke off: " + err.Error(), err: err}
	}
	out := &counted{to: w.request.Output}
	_, err = io.Copy(out, text)
	w.state.offset += out.n
	switch {
	case out.err != nil:
		return fmt.Errorf("write the output of the command: %w", out.err)
	case err != nil:
		return &apiError{message: "the log of the container broke off: " + err.Error(), err: err}
	}
	return nil
}

// counted counts what is written.
type counted struct {
	to  io.Writer
	n   int64
	err error
}

// Write implements io.Writer.
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n, c.err = c.n+int64(n), err
	return n, err
}
