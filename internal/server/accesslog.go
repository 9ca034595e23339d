package server

import (
	"net"
	"net/http"
	"time"
)

// Access is what the access log has of one request (server 3.5).
type Access struct {
	At        time.Time
	Host      string // who called, without the port
	Method    string
	URI       string // with the query
	Protocol  string
	Status    int
	SizeBytes int64
	VHost     string // the Host header
	Took      time.Duration
	Header    http.Header // of the request
}

func accessOf(r *http.Request, rec *recorder, began, ended time.Time) Access {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return Access{
		At: began, Host: host, Method: r.Method, URI: r.URL.RequestURI(),
		Protocol: r.Proto, Status: rec.status, SizeBytes: rec.size, VHost: r.Host,
		Took: ended.Sub(began), Header: r.Header,
	}
}
