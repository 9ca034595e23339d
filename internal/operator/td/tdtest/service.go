package tdtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Service is the service. Its fields are set before it is used; mu guards what requests change.
type Service struct {
	// Host is where it listens, without TLS.
	Host string
	// Key is the API key that it accepts; empty for any.
	Key string
	// Looks is how often a job is seen running before it ends.
	Looks int
	// Ends is how jobs end; success if it is empty.
	Ends string
	// Output and Errors are what failed jobs print.
	Output, Errors string
	// Columns and Rows are the result of each job. Without rows there is no result.
	Columns [][2]string
	Rows    [][]any
	// Before and Answered are called around the handling of a request. If they return false, the connection is broken. Nil for no calls.
	Before, Answered func(r *http.Request) bool

	mu     sync.Mutex
	jobs   []*Job
	faults []*Fault
	seen   []Request
	tables map[string]bool // DATABASE.TABLE
}

// Job is a job that the service has begun.
type Job struct {
	ID        string
	DomainKey string
	Form      url.Values // what was sent, with the query of the URL
	Status    string
	looks     int
}

// Request is a request that has come.
type Request struct {
	Call   string // method and path
	Form   url.Values
	Body   string
	Header http.Header
}

// Fault is how some requests fail.
type Fault struct {
	Call   string // what the method and the path begin with
	Times  int    // how many requests fail
	Status int
	Header map[string]string
	Body   string
	// Handled is set if the request is handled before, so that only its answer is lost. Break ends the connection without an
	// answer, and Cut in the middle of the usual one. Stall keeps the connection without an answer.
	Handled, Break, Cut, Stall bool
}

// Start starts the service. Jobs succeed at the first look.
func Start(tb testing.TB) *Service {
	tb.Helper()
	s := &Service{tables: map[string]bool{}}
	server := httptest.NewServer(s)
	tb.Cleanup(server.CloseClientConnections)
	tb.Cleanup(server.Close)
	s.Host = strings.TrimPrefix(server.URL, "http://")
	return s
}

// Fail makes requests fail.
func (s *Service) Fail(f Fault) *Service {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
	return s
}

// Table makes a table, which is named with its database.
func (s *Service) Table(name string) *Service {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tables[name] = true
	return s
}

// Jobs returns the jobs that were begun.
func (s *Service) Jobs() []Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	jobs := make([]Job, len(s.jobs))
	for i, job := range s.jobs {
		jobs[i] = *job
	}
	return jobs
}

// Forget makes the service forget all jobs.
func (s *Service) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs = nil
}

// Seen returns the requests that have come.
func (s *Service) Seen() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.seen...)
}

// Calls returns the methods and paths of the requests that have come.
func (s *Service) Calls() []string {
	var calls []string
	for _, r := range s.Seen() {
		calls = append(calls, r.Call)
	}
	return calls
}

// fault returns how a request fails; nil for not at all.
func (s *Service) fault(call string) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		if f.Times > 0 && strings.HasPrefix(call, f.Call) {
			f.Times--
			return f
		}
	}
	return nil
}

// begin begins a job, or returns the one with its domain key.
func (s *Service) begin(form url.Values) (job *Job, conflict bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := form.Get("domain_key")
	for _, known := range s.jobs {
		if key != "" && known.DomainKey == key {
			return known, true
		}
	}
	job = &Job{ID: strconv.Itoa(1000 + len(s.jobs)), DomainKey: key, Form: form, Status: "queued"}
	s.jobs = append(s.jobs, job)
	return job, false
}

// look returns a job and lets it go on; nil if it is not known.
func (s *Service) look(id string, goOn bool) *Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, job := range s.jobs {
		if job.ID != id {
			continue
		}
		if goOn && (job.Status == "queued" || job.Status == "running") {
			job.Status = "running"
			if job.looks++; job.looks > s.Looks {
				job.Status = s.end()
			}
		}
		copied := *job
		return &copied
	}
	return nil
}

func (s *Service) end() string {
	if s.Ends == "" {
		return "success"
	}
	return s.Ends
}

// kill ends a job, and reports whether it is known.
func (s *Service) kill(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, job := range s.jobs {
		if job.ID == id {
			if job.Status == "queued" || job.Status == "running" {
				job.Status = "killed"
			}
			return true
		}
	}
	return false
}

// Killed returns the ids of the jobs that were killed.
func (s *Service) Killed() (ids []string) {
	for _, job := range s.Jobs() {
		if job.Status == "killed" {
			ids = append(ids, job.ID)
		}
	}
	return ids
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"error":%q,"text":%q,"severity":"error"}`, http.StatusText(status), text)
}
