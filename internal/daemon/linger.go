package daemon

import (
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	// lingerFrom is the size of a body from which a refusal is sent before the rest of the body has arrived. net/http itself
	// reads the rest of smaller ones, and the connection stays open.
	lingerFrom = 256 << 10
	// lingerBytes and lingerTime limit what is read of a body after its refusal.
	lingerBytes = 64 << 20
	lingerTime  = 10 * time.Second
)

// lingers reports whether the server should read the rest of a refused request's body after the answer. Clients that send
// everything before they read would otherwise only see a broken connection. A client that waits for "100 Continue"
// has got it by then.
func lingers(r *http.Request, body *stallingBody, status int) bool {
	small := 0 <= r.ContentLength && r.ContentLength < lingerFrom
	waits := r.Header.Get("Expect") != "" && !body.begun
	return status >= http.StatusBadRequest && r.ProtoMajor == 1 && !small && !waits && !body.ended
}

// linger sends the answer, and reads the rest of the body within limits. The connection is closed afterwards.
func linger(w *stallingWriter, body *stallingBody) {
	_ = w.control.EnableFullDuplex() // so that the answer does not wait for the body
	w.Header().Set("Connection", "close")
	w.Header().Set("Content-Length", strconv.Itoa(w.refusal.Len())) // so that its end is not that of the connection
	if w.limit > 0 {
		_ = w.control.SetWriteDeadline(time.Now().Add(w.limit))
	}
	w.ResponseWriter.WriteHeader(w.status)
	if _, err := w.ResponseWriter.Write(w.refusal.Bytes()); err != nil || w.control.Flush() != nil {
		return
	}
	if w.control.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(body.ReadCloser, lingerBytes)) // it ends in any case
	}
	body.stalled = true // nothing more may be read
}
