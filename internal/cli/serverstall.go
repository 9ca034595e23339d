package cli

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// stalls ends requests whose body does not come, or whose answer is not taken: each piece has a while
// (server 3.1, server.http.io-idle-timeout). How long the handler takes makes no difference.
type stalls struct {
	handler http.Handler
	limit   time.Duration // none if it is zero
}

func (s stalls) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.limit == 0 {
		s.handler.ServeHTTP(w, r)
		return
	}
	control := http.NewResponseController(w)
	body := &stallingBody{ReadCloser: r.Body, control: control, limit: s.limit}
	r.Body = body
	s.handler.ServeHTTP(&stallingWriter{ResponseWriter: w, control: control, limit: s.limit}, r)
	// What is left happens after the handler: the rest of the body is read away, the end of the answer
	// is sent. The deadlines of an earlier request on this connection are over, maybe long ago.
	now := time.Now()
	_ = control.SetReadDeadline(now.Add(s.limit)) // a connection without deadlines has none to be set
	_ = control.SetWriteDeadline(now.Add(s.limit))
}

type stallingBody struct {
	io.ReadCloser
	control *http.ResponseController
	limit   time.Duration
}

func (b *stallingBody) Read(p []byte) (int, error) {
	if err := b.control.SetReadDeadline(time.Now().Add(b.limit)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		// From here on the server reads to learn whether the client goes away. That has no limit.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

type stallingWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
}

func (w *stallingWriter) Write(p []byte) (int, error) {
	if err := w.control.SetWriteDeadline(time.Now().Add(w.limit)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *stallingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
