package sqldb_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"
)

// relay stands between tasks and a server, and breaks a connection.
type relay struct {
	t       *testing.T
	server  string
	port    int
	mu      sync.Mutex
	pattern []byte // breaks the connection of the client that sends it
	times   int    // the which time
	most    int    // bytes of the server's that pass; zero for no bound
	unheard bool   // the server does not get the text at which the connection breaks, and hears of the end a little later
}

func newRelay(t *testing.T, p *place) *relay {
	t.Helper()
	host, _ := p.options.Get("host")
	port, _ := p.options.Get("port")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	r := &relay{t: t, server: net.JoinHostPort(fmt.Sprint(host), fmt.Sprint(port)), port: listener.Addr().(*net.TCPAddr).Port}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go r.serve(conn)
		}
	}()
	return r
}

// breakAt breaks the connection, once, after a text was passed on for the given time.
func (r *relay) breakAt(text string, times int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pattern, r.times = []byte(text), times
}

// breakAfter breaks each connection after a number of bytes of the server's.
func (r *relay) breakAfter(most int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.most = most
}

func (r *relay) bound() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.most
}

func (r *relay) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", r.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		defer func() { _ = client.Close() }()
		if most := r.bound(); most > 0 {
			_, _ = io.CopyN(client, server, int64(most))
			return
		}
		_, _ = io.Copy(client, server)
	}()
	buffer := make([]byte, 1<<16)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		cut := r.cuts(buffer[:n])
		if cut {
			_ = client.Close() // it will not hear the answer
		}
		if cut && r.unheard {
			<-time.After(150 * time.Millisecond)
			return
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
		if cut {
			<-answered // the server has worked on it
			return
		}
	}
}

func (r *relay) cuts(sent []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.times == 0 || !bytes.Contains(sent, r.pattern) {
		return false
	}
	r.times--
	return r.times == 0
}

// logger returns a logger that writes to a record of several tasks.
func (*record) logger(to *record) *slog.Logger { return slog.New(slog.NewTextHandler(to, nil)) }
