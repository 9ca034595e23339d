package daemon

import (
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	// lingerFrom is the size of a body from which on a refusal is sent before the rest of it has come. What is left
	// of smaller ones net/http reads away itself, and the connection goes on.
	lingerFrom = 256 << 10
	// lingerBytes and lingerTime bound what is read of a body after its refusal.
	lingerBytes = 64 << 20
	lingerTime  = 10 * time.Second
)

// lingers reports whether the body of a refused request is to be read on after the answer. Clients that send all of
// it before they read would otherwise see a broken connection, and never why. One that waits to be told to send its
// body has been told.
func lingers(r *http.Request, body *stallingBody, status int) bool {
	small := 0 <= r.ContentLength && r.ContentLength < lingerFrom
	waits := r.Header.Get("Expect") != "" && !body.begun
	return status >= http.StatusBadRequest && r.ProtoMajor == 1 && !small && !waits && !body.ended
}

// linger sends the answer, and reads on within bounds. Nothing is kept. The connection is closed after it.
func linger(w *stallingWriter, body *stallingBody) {
	_ = w.control.EnableFullDuplex() // the answer does not wait for the body
	w.Header().Set("Connection", "close")
	w.Header().Set("Content-Length", strconv.Itoa(w.refusal.Len())) // its end is not that of the connection
	if w.limit > 0 {
		_ = w.control.SetWriteDeadline(time.Now().Add(w.limit))
	}
	w.ResponseWriter.WriteHeader(w.status)
	if _, err := w.ResponseWriter.Write(w.refusal.Bytes()); err != nil || w.control.Flush() != nil {
		return
	}
	if w.control.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(body.ReadCloser, lingerBytes)) // it ends, however that is
	}
	body.stalled = true // nothing more is read
}
