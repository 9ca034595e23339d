package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trowel-project/trowel/internal/config"
)

// pipes is a listener whose connections are in memory, so that their deadlines go by the bubble's clock.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// dial connects to the server.
func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.accepted <- server
	return client
}

// limits are the defaults of server.http.* (server 3.1).
func limits() config.Listen {
	return config.Listen{HeadTimeout: 30 * time.Second, IdleTimeout: 60 * time.Second, StallTimeout: 300 * time.Second}
}

// pipedServer starts the HTTP server of trowel server with a handler, in a bubble.
func pipedServer(t *testing.T, handler http.HandlerFunc) *pipes {
	t.Helper()
	p := &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})}
	s := newHTTPServer(limits(), handler, slog.New(slog.DiscardHandler))
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(p) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("Serve = %v", err)
		}
	})
	return p
}

// send writes a part of a request.
func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatalf("send %q: %v", text, err)
	}
}

// status reads an answer to its end.
func status(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	w, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatalf("read an answer: %v", err)
	}
	defer func() { _ = w.Body.Close() }()
	if _, err := io.Copy(io.Discard, w.Body); err != nil {
		t.Fatalf("read the body of an answer: %v", err)
	}
	return w.StatusCode
}

// closedAfter waits until the server closes the connection, and tells how long that took.
func closedAfter(r io.Reader) time.Duration {
	began := time.Now()
	_, _ = io.Copy(io.Discard, r)
	return time.Since(began)
}

func ok(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	fmt.Fprintln(w, "ok")
}

// Server 3.1: a head that does not come to its end is cut off after request-parse-timeout, an idle
// connection is closed after no-request-timeout.
func TestSlowHeads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, sent string
		answers    int
		want       time.Duration
	}{
		{"nothing", "", 0, 30 * time.Second},
		{"half a line", "GET / HT", 0, 30 * time.Second},
		{"half a head", "GET / HTTP/1.1\r\nHost: x\r\nA: b", 0, 30 * time.Second},
		{"a request and no further one", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 1, 60 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := pipedServer(t, ok)
				client := p.dial()
				send(t, client, c.sent)
				answers := bufio.NewReader(client)
				for range c.answers {
					if got := status(t, answers); got != http.StatusOK {
						t.Errorf("status = %d", got)
					}
				}
				if got := closedAfter(answers); got != c.want {
					t.Errorf("closed after %v, want %v", got, c.want)
				}
			})
		})
	}
}

// Server 3.1: a body that stalls ends its request after io-idle-timeout, whether the handler reads it or
// not; one that comes slowly does not.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	const head = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n"
	t.Run("a body that stalls", func(t *testing.T) {
		t.Parallel()
		var failed error
		var took time.Duration
		read := func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			_, failed = io.ReadAll(r.Body)
			took = time.Since(began)
			http.Error(w, "cut off", http.StatusBadRequest)
		}
		synctest.Test(t, func(t *testing.T) {
			p := pipedServer(t, read)
			client := p.dial()
			send(t, client, head+"0123456789")
			closedAfter(client)
			synctest.Wait()
			if took != 300*time.Second || !errors.Is(failed, os.ErrDeadlineExceeded) {
				t.Errorf("reading the body ended after %v with %v, want 300 s and a timeout", took, failed)
			}
		})
	})
	t.Run("a body that nobody reads", func(t *testing.T) {
		t.Parallel()
		refuse := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }
		synctest.Test(t, func(t *testing.T) {
			p := pipedServer(t, refuse)
			client := p.dial()
			send(t, client, head+"0123456789")
			if got := closedAfter(client); got > 360*time.Second {
				t.Errorf("closed after %v, want at most 300 s and the time for a further request", got)
			}
		})
	})
	t.Run("a body that comes slowly", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			p := pipedServer(t, ok)
			client := p.dial()
			send(t, client, head)
			for range 20 {
				<-time.After(299 * time.Second)
				send(t, client, "x")
			}
			if got := status(t, bufio.NewReader(client)); got != http.StatusOK {
				t.Errorf("status = %d", got)
			}
		})
	})
}

// Server 3.1: an answer that is not taken ends its request after io-idle-timeout; one that is taken
// slowly does not.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	const head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	var failed error
	var took time.Duration
	large := func(w http.ResponseWriter, _ *http.Request) {
		piece, began := []byte(strings.Repeat("x", 1<<16)), time.Now()
		failed = nil
		for i := 0; i < 10 && failed == nil; i++ {
			_, failed = w.Write(piece)
		}
		took = time.Since(began)
	}
	synctest.Test(t, func(t *testing.T) {
		p := pipedServer(t, large)
		client := p.dial()
		send(t, client, head)
		<-time.After(time.Hour)
		synctest.Wait()
		if took != 300*time.Second || !errors.Is(failed, os.ErrDeadlineExceeded) {
			t.Errorf("writing an answer that nobody takes ended after %v with %v, want 300 s and a timeout", took, failed)
		}
		client = p.dial()
		send(t, client, head)
		for range 5 {
			<-time.After(250 * time.Second)
			if _, err := io.CopyN(io.Discard, client, 1<<17); err != nil {
				t.Errorf("taking an answer slowly: %v", err)
			}
		}
		go closedAfter(client) // takes the rest
		synctest.Wait()
		if failed != nil {
			t.Errorf("writing an answer that is taken slowly: %v", failed)
		}
	})
}

// The deadlines of one request do not outlive it: neither for a later one on the same connection whose
// answer has no body, nor for a handler that takes its time.
func TestDeadlinesAreOfOneRequest(t *testing.T) {
	t.Parallel()
	long := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch r.URL.Path {
		case "/bare":
			w.WriteHeader(http.StatusNotFound)
		case "/long":
			select {
			case <-r.Context().Done():
				w.WriteHeader(http.StatusServiceUnavailable)
			case <-time.After(time.Hour):
				w.WriteHeader(http.StatusNoContent)
			}
		default:
			fmt.Fprintln(w, "ok")
		}
	}
	synctest.Test(t, func(t *testing.T) {
		p := pipedServer(t, long)
		client := p.dial()
		answers := bufio.NewReader(client)
		for _, c := range []struct {
			path string
			want int
		}{
			{"/", 200},
			{"/bare", 404},
			{"/bare", 404},
			{"/bare", 404},
			{"/bare", 404},
			{"/bare", 404},
			{"/bare", 404},
			{"/bare", 404},
			{"/long", 204},
			{"/bare", 404},
			{"/", 200},
		} {
			send(t, client, "PUT "+c.path+" HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
			if got := status(t, answers); got != c.want {
				t.Fatalf("status of %s = %d, want %d", c.path, got, c.want)
			}
			<-time.After(50 * time.Second)
		}
	})
}
