package servertest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Answer is an answer of the server.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Do sends a request. header has names and values in turn.
func (s *Server) Do(t *testing.T, method, path, contentType, body string, header ...string) Answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Body.Close() }()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Answer{w.StatusCode, w.Header, string(text)}
}

// Get sends a GET.
func (s *Server) Get(t *testing.T, path string) Answer {
	t.Helper()
	return s.Do(t, http.MethodGet, path, "", "")
}

// Put sends a PUT with a JSON body.
func (s *Server) Put(t *testing.T, path, body string) Answer {
	t.Helper()
	return s.Do(t, http.MethodPut, path, "application/json", body)
}

// Post sends a POST with a JSON body.
func (s *Server) Post(t *testing.T, path, body string) Answer {
	t.Helper()
	return s.Do(t, http.MethodPost, path, "application/json", body)
}

// Delete sends a DELETE.
func (s *Server) Delete(t *testing.T, path string) Answer {
	t.Helper()
	return s.Do(t, http.MethodDelete, path, "", "")
}

// Read decodes an answer. The test fails if its status is another one.
func Read[T any](t *testing.T, a Answer, status int) T {
	t.Helper()
	var value T
	if a.Status != status {
		t.Fatalf("status %d, want %d: %s", a.Status, status, a.Body)
	}
	if err := json.Unmarshal([]byte(a.Body), &value); err != nil {
		t.Fatalf("%v: %s", err, a.Body)
	}
	return value
}

// Short is the beginning of a text.
func Short(text string) string { return text[:min(len(text), 300)] }
