package rest

import (
	"net"
	"net/http"
	"time"

	"github.com/trowel-project/trowel/internal/server/accesslog"
)

// recorder keeps the status and size of an answer, for the access log and metrics.
type recorder struct {
	http.ResponseWriter
	status int
	size   int64
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(p)
	r.size += int64(n)
	return n, err
}

// answered returns the status of the answer. net/http sends 200 if a handler sets none.
func (r *recorder) answered() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func accessEntry(r *http.Request, rec *recorder, began, ended time.Time) accesslog.Entry {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return accesslog.Entry{
		At: began, Host: host, Method: r.Method, URI: r.URL.RequestURI(),
		Protocol: r.Proto, Status: rec.status, SizeBytes: rec.size, VHost: r.Host,
		Took: ended.Sub(began), Header: r.Header,
	}
}
