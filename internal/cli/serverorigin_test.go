package cli

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// sendRaw sends a request as it is written, and returns the status and the body of the answer.
func sendRaw(t *testing.T, address, request string) (int, string) {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	w, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	defer func() { _ = w.Body.Close() }()
	if w.StatusCode == http.StatusOK {
		return w.StatusCode, "" // it may be a stream
	}
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	return w.StatusCode, string(text)
}

// A server without authentication answers only to its own names, on both listeners and in every form in which a
// request can name its host.
func TestServerHosts(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "server.admin.port", "0", "server.allowed-hosts", "trowel.example.com", "server.http.enable-http2", "true")
	bound := regexp.MustCompile(`Bound on (\S+) \(`).FindAllStringSubmatch(s.Log.String(), -1)
	if len(bound) != 2 {
		t.Fatalf("listeners: %v", bound)
	}
	for _, tc := range []struct {
		request string
		want    int
	}{
		{"GET /api/projects HTTP/1.1\r\nHost: localhost\r\n\r\n", 200},
		{"GET /metrics HTTP/1.1\r\nHost: TROWEL.example.com.:80\r\n\r\n", 200},
		{"GET /metrics HTTP/1.1\r\nHost: evil.example.com\r\n\r\n", 421},
		{"GET /api/events?topic=site HTTP/1.1\r\nHost: evil.example.com\r\n\r\n", 421},
		{"GET /api/events?topic=site HTTP/1.1\r\nHost: evil.example.com\r\nAccept: text/event-stream\r\n\r\n", 421},
		{"GET http://evil.example.com/api/projects HTTP/1.1\r\nHost: localhost\r\n\r\n", 421},
		{"GET http://evil.example.com/api/projects HTTP/1.1\r\nHost: evil.example.com\r\n\r\n", 421},
		{"GET http://localhost/api/projects HTTP/1.1\r\nHost: localhost\r\n\r\n", 200},
		{"GET //evil.example.com/api/projects HTTP/1.1\r\nHost: evil.example.com\r\n\r\n", 421},
		{"GET /api/projects HTTP/1.1\r\nHost:\r\n\r\n", 421},
		{"GET /api/projects HTTP/1.0\r\n\r\n", 421},
		{"GET /api/projects HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n", 200},
		{"GET /api/projects HTTP/1.1\r\nHost: localhost\r\nHost: evil.example.com\r\n\r\n", 400},
		{"OPTIONS * HTTP/1.1\r\nHost: evil.example.com\r\n\r\n", 421},
		{"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 200},
		{"CONNECT evil.example.com:80 HTTP/1.1\r\nHost: evil.example.com:80\r\n\r\n", 421},
		{"POST /api/attempts/1/kill HTTP/1.1\r\nHost: evil.example.com\r\nOrigin: http://evil.example.com\r\nContent-Length: 0\r\n\r\n", 421},
		{"POST /api/attempts/1/kill HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example.com\r\nContent-Length: 0\r\n\r\n", 403},
		{"POST /api/attempts/1/kill HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Length: 0\r\n\r\n", 404},
	} {
		for _, listener := range bound {
			status, body := sendRaw(t, listener[1], tc.request)
			if status != tc.want || status == http.StatusMisdirectedRequest && !strings.Contains(body, "server.allowed-hosts") {
				t.Errorf("%q to %s = %d %s, want %d", tc.request, listener[1], status, body, tc.want)
			}
		}
	}
	protocols := &http.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	defer client.CloseIdleConnections()
	for host, want := range map[string]int{"evil.example.com": 421, "localhost:1": 200} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/projects", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		w, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = w.Body.Close()
		if w.ProtoMajor != 2 || w.StatusCode != want {
			t.Errorf("authority %s: %d with HTTP/%d, want %d with HTTP/2", host, w.StatusCode, w.ProtoMajor, want)
		}
	}
}

// A server that answers to every name and has no authentication says so once.
func TestServerInsecureWarns(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "server.insecure", "true")
	if status, _ := sendRaw(t, strings.TrimPrefix(s.URL, "http://"), "GET /api/projects HTTP/1.1\r\nHost: any.example.com\r\n\r\n"); status != http.StatusOK {
		t.Errorf("any name: %d, want 200", status)
	}
	if n := strings.Count(s.Log.String(), "list the names of this server in server.allowed-hosts"); n != 1 {
		t.Errorf("%d warnings, want one\n%s", n, s.Log)
	}
}
