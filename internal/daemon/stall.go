package daemon

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// stalls ends requests whose body does not arrive, or whose answer is not read: each piece has a time limit
// (server 3.1, server.http.io-idle-timeout). The time of the handler does not count. A refusal does not wait
// for the rest of a large body, see linger.
type stalls struct {
	handler http.Handler
	limit   time.Duration // zero for no limit
}

func (s stalls) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	body := &stallingBody{ReadCloser: r.Body, control: control, limit: s.limit, ended: r.ContentLength == 0}
	r = r.WithContext(r.Context()) // net/http continues to use its own
	r.Body = body
	out := &stallingWriter{ResponseWriter: w, control: control, limit: s.limit, request: r, body: body}
	s.handler.ServeHTTP(out, r)
	if out.lingers {
		linger(out, body)
	}
	if s.limit == 0 {
		return
	}
	// The rest happens after the handler: the rest of the body is read, and the end of the answer
	// is sent. Deadlines of an earlier request on this connection may be long over. A deadline that
	// this request has missed stays.
	now := time.Now()
	if !body.stalled && !out.begun {
		_ = control.SetReadDeadline(now.Add(s.limit)) // it fails only for a connection without deadlines
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
	ended   bool // everything was read
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
		// From here on the server reads to notice when the client leaves, which has no time limit.
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
	status  int          // status of a refusal that lingers
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
		// net/http reads the rest of a small body before it sends the answer.
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
