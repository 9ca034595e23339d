package accesslog

import (
	"net/http"
	"time"
)

// Entry is one request in the access log (server 3.5).
type Entry struct {
	At        time.Time
	Host      string // of the caller, without the port
	Method    string
	URI       string // with the query
	Protocol  string
	Status    int
	SizeBytes int64
	VHost     string // the Host header
	Took      time.Duration
	Header    http.Header // of the request
}
