package rest

import (
	"net"
	"net/http"
	"time"

	"github.com/trowel-project/trowel/internal/server/accesslog"
)

// recorder remembers what was answered, for the access log and metrics.
type recorder struct {
	http.ResponseWriter
	status int
	size   int64
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(p)
	r.size += int64(n)
	return n, err
}

// answered is the status of the answer: net/http says 200 when a handler says nothing.
func (r *recorder) answered() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func accessOf(r *http.Request, rec *recorder, began, ended time.Time) accesslog.Entry {
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
