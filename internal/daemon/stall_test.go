package daemon

import (
	"bufio"
	"crypto/tls"
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

// pipes is a listener with connections in memory, so that their deadlines use the bubble's clock.
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

// limits returns the defaults of server.http.* (server 3.1).
func limits() config.Listen {
	return config.Listen{HeadTimeout: 30 * time.Second, IdleTimeout: 60 * time.Second, StallTimeout: 300 * time.Second}
}

// pipedServer starts the HTTP server of trowel server with a handler, in a bubble.
func pipedServer(t *testing.T, handler http.HandlerFunc) *pipes {
	t.Helper()
	p := &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})}
	s := newHTTPServer(limits(), slog.New(slog.DiscardHandler))
	s.Handler = stalls{handler: handler, limit: limits().StallTimeout}
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

// blanks is an endless text.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
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

// closedAfter waits until the server closes the connection, and returns how long that took.
func closedAfter(r io.Reader) time.Duration {
	began := time.Now()
	_, _ = io.Copy(io.Discard, r)
	return time.Since(began)
}

func ok(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	fmt.Fprintln(w, "ok")
}

// Server 3.1: a head that is not completed is cut off after request-parse-timeout, and an idle
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
// not. A slow one does not.
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

// Server 3.1: an answer that is not read ends its request after io-idle-timeout. One that is read
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
		go closedAfter(client) // reads the rest
		synctest.Wait()
		if failed != nil {
			t.Errorf("writing an answer that is taken slowly: %v", failed)
		}
	})
}

// The deadlines of one request do not affect a later one on the same connection whose
// answer has no body, or a handler that takes long.
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

// A stalled body has one time limit, not another one for what follows, whether the handler reads it, answers before, or
// answers with a lot of data.
func TestStallEndsOnce(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"read": func(w http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			http.Error(w, fmt.Sprint(err), http.StatusBadRequest)
		},
		"refused": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"nothing": func(http.ResponseWriter, *http.Request) {},
		"much":    func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<16)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := pipedServer(t, handler).dial()
				send(t, client, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
				if got := closedAfter(client); got < 300*time.Second || got > 301*time.Second {
					t.Errorf("closed after %v, want 300 s", got)
				}
			})
		})
	}
}

// A refusal does not wait for a large body. The rest is read within limits after it, and the connection ends.
func TestLinger(t *testing.T) {
	t.Parallel()
	refuse := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(io.Discard, r.Body, 10)
		http.Error(w, "too large", http.StatusBadRequest)
	}
	for _, c := range []struct {
		name, length string
		sent         int64
		stays        bool // the client sends no more, but leaves the connection open
	}{
		{"all of it", "Content-Length: 40000000", 40_000_000, false},
		{"no length", "Transfer-Encoding: chunked", 40_000_000, false},
		{"more than is read", "Content-Length: 100000000", 100_000_000, false},
		{"a client that stops", "Content-Length: 40000000", 1000, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := pipedServer(t, refuse).dial()
				sent := make(chan int64, 1)
				go func() {
					_, _ = io.WriteString(client, "PUT / HTTP/1.1\r\nHost: x\r\n"+c.length+"\r\n\r\n")
					if strings.HasPrefix(c.length, "T") {
						_, _ = fmt.Fprintf(client, "%x\r\n", c.sent)
					}
					n, _ := io.Copy(client, io.LimitReader(blanks{}, c.sent))
					if strings.HasPrefix(c.length, "T") {
						_, _ = io.WriteString(client, "\r\n0\r\n\r\n")
					}
					sent <- n
				}()
				answers := bufio.NewReader(client)
				began := time.Now()
				if got := status(t, answers); got != http.StatusBadRequest || time.Since(began) > 0 {
					t.Errorf("status %d after %v, want 400 at once", got, time.Since(began))
				}
				took := closedAfter(answers)
				n := <-sent
				if c.sent <= lingerBytes && n != c.sent || n > lingerBytes+1<<20 {
					t.Errorf("%d bytes were read of %d", n, c.sent)
				}
				if limit := lingerTime + time.Second; c.stays != (took >= lingerTime) || took > limit {
					t.Errorf("closed after %v, want at most %v", took, limit)
				}
			})
		})
	}
}

// A client that waits for "100 Continue" does not get it when it is refused, and nobody waits for its body.
func TestLingerExpects(t *testing.T) {
	t.Parallel()
	refuse := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }
	synctest.Test(t, func(t *testing.T) {
		client := pipedServer(t, refuse).dial()
		send(t, client, "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 40000000\r\nExpect: 100-continue\r\n\r\n")
		answers := bufio.NewReader(client)
		if got := status(t, answers); got != http.StatusForbidden {
			t.Errorf("status %d, want 403", got)
		}
		if took := closedAfter(answers); took > time.Second {
			t.Errorf("closed after %v", took)
		}
	})
}

// If there is no room for a connection, the one that has waited longest for a request is closed. Busy ones stay.
func TestConnections(t *testing.T) {
	t.Parallel()
	room := newConnections(3)
	began := func() *closable {
		c := &closable{}
		room.changed(c, http.StateNew)
		return c
	}
	closed := func(c *closable) bool { return c.closed }
	busy, silent, idle := began(), began(), began()
	room.changed(busy, http.StateActive)
	room.changed(idle, http.StateActive)
	room.changed(idle, http.StateIdle)
	fourth := began()
	if closed(busy) || !closed(silent) || closed(idle) || closed(fourth) {
		t.Error("the one that has sent nothing should be closed")
	}
	room.changed(silent, http.StateClosed)
	fifth := began()
	room.changed(fourth, http.StateActive)
	room.changed(fifth, http.StateActive)
	if closed(busy) || !closed(idle) || closed(fourth) || closed(fifth) {
		t.Error("the idle one should be closed")
	}
	if sixth := began(); !closed(sixth) || closed(busy) || closed(fourth) || closed(fifth) {
		t.Error("where all are busy the new one should be closed")
	}
}

// Closing a connection of TLS to make room does not wait for its client, as that would delay all new connections.
func TestConnectionsOfTLS(t *testing.T) {
	t.Parallel()
	cert, key, _ := certificateFiles(t)
	certificate, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		far, near := net.Pipe()
		silent := tls.Server(near, &tls.Config{Certificates: []tls.Certificate{certificate}, SessionTicketsDisabled: true})
		served := make(chan error, 1)
		go func() { served <- silent.Handshake() }()
		client := tls.Client(far, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // it is a certificate of tests
		if err := errors.Join(client.Handshake(), <-served); err != nil {
			t.Fatal(err)
		}
		room := newConnections(1)
		room.changed(silent, http.StateNew)
		begun := time.Now()
		room.changed(&closable{}, http.StateNew)
		if waited := time.Since(begun); waited > 0 {
			t.Errorf("room was made after %v, want at once", waited)
		}
		if _, err := far.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("reading from the connection that made room: %v, want EOF", err)
		}
	})
}

// closable is a connection that can only be closed.
type closable struct {
	net.Conn

	closed bool
}

func (c *closable) Close() error {
	c.closed = true
	return nil
}
