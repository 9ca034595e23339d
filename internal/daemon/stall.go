package daemon

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// stalls ends requests whose body does not come, or whose answer is not taken: each piece has a while
// (server 3.1, server.http.io-idle-timeout). How long the handler takes makes no difference. A refusal does not wait
// for the rest of a large body, see linger.
type stalls struct {
	handler http.Handler
	limit   time.Duration // none if it is zero
}

func (s stalls) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	body := &stallingBody{ReadCloser: r.Body, control: control, limit: s.limit, ended: r.ContentLength == 0}
	r = r.WithContext(r.Context()) // net/http goes on to use its own
	r.Body = body
	out := &stallingWriter{ResponseWriter: w, control: control, limit: s.limit, request: r, body: body}
	s.handler.ServeHTTP(out, r)
	if out.lingers {
		linger(out, body)
	}
	if s.limit == 0 {
		return
	}
	// What is left happens after the handler: the rest of the body is read away, the end of the answer
	// is sent. The deadlines of an earlier request on this connection are over, maybe long ago. One that
	// this request has missed stays: its time is up.
	now := time.Now()
	if !body.stalled && !out.begun {
		_ = control.SetReadDeadline(now.Add(s.limit)) // a connection without deadlines has none to be set
	}
	if !out.stalled {
		_ = control.SetWriteDeadline(now.Add(s.limit))
	}
}

type stallingBody struct {
	io.ReadCloser
	control *http.ResponseController
	limit   time.Duration
	begun   bool
	ended   bool // there is nothing left of it
	stalled bool
}

func (b *stallingBody) Read(p []byte) (int, error) {
	b.begun = true
	if b.limit > 0 && !b.stalled {
		if err := b.control.SetReadDeadline(time.Now().Add(b.limit)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return 0, err
		}
	}
	n, err := b.ReadCloser.Read(p)
	b.stalled = b.stalled || errors.Is(err, os.ErrDeadlineExceeded)
	b.ended = b.ended || err != nil
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
	request *http.Request
	body    *stallingBody
	begun   bool
	stalled bool

	lingers bool
	status  int          // of a refusal that lingers
	refusal bytes.Buffer // its body
}

// WriteHeader implements http.ResponseWriter.
func (w *stallingWriter) WriteHeader(status int) {
	if !w.begun && status >= http.StatusOK {
		w.begun = true
		w.beforeHeader(status)
	}
	if w.lingers {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *stallingWriter) beforeHeader(status int) {
	if w.lingers = lingers(w.request, w.body, status); w.lingers {
		return
	}
	if w.limit > 0 && !w.body.ended && !w.body.stalled {
		// net/http reads what is left of a small body before it sends the answer.
		_ = w.control.SetReadDeadline(time.Now().Add(w.limit))
	}
}

func (w *stallingWriter) Write(p []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	if w.lingers {
		return w.refusal.Write(p)
	}
	if w.limit > 0 {
		if err := w.control.SetWriteDeadline(time.Now().Add(w.limit)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return 0, err
		}
	}
	n, err := w.ResponseWriter.Write(p)
	w.stalled = w.stalled || errors.Is(err, os.ErrDeadlineExceeded)
	return n, err
}

// Unwrap is for http.ResponseController.
func (w *stallingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
