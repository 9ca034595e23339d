package accesslog

import (
	"net/http"
	"time"
)

// Entry is what the access log has of one request (server 3.5).
type Entry struct {
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
