package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"
)

// echoServer is a server behind a wire that repeats each line, with a connection through the wire.
type echoServer struct {
	t    *testing.T
	wire *Wire
	conn *net.TCPConn
	back *bufio.Reader
}

func newEchoServer(t *testing.T) *echoServer {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go repeat(listener)
	w, err := New(t.Context(), func() (string, error) { return listener.Addr().String(), nil })
	if err != nil {
		t.Fatal(err)
	}
	h := &echoServer{t: t, wire: w}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	h.connect()
	return h
}

func repeat(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			lines := bufio.NewScanner(conn)
			for lines.Scan() {
				_, _ = fmt.Fprintln(conn, lines.Text())
			}
			_, _ = fmt.Fprintln(conn, "end")
			_ = conn.Close()
		}()
	}
}

func (h *echoServer) connect() {
	h.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(h.t.Context(), "tcp", h.wire.Addr())
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = conn.Close() })
	h.conn, _ = conn.(*net.TCPConn)
	h.back = bufio.NewReader(conn)
	h.says("hello")
}

func (h *echoServer) send(line string) {
	h.t.Helper()
	if _, err := fmt.Fprintln(h.conn, line); err != nil {
		h.t.Fatal(err)
	}
}

func (h *echoServer) receives(want string) {
	h.t.Helper()
	got, err := h.back.ReadString('\n')
	if err != nil || got != want+"\n" {
		h.t.Fatalf("got %q, %v, want %q", got, err, want)
	}
}

func (h *echoServer) says(line string) {
	h.t.Helper()
	h.send(line)
	h.receives(line)
}

// silent checks that nothing arrives for a moment.
func (h *echoServer) silent() {
	h.t.Helper()
	if err := h.conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		h.t.Fatal(err)
	}
	_, err := h.back.Peek(1)
	if timeout, ok := errors.AsType[net.Error](err); !ok || !timeout.Timeout() {
		h.t.Fatalf("got %v, want nothing", err)
	}
	if err := h.conn.SetReadDeadline(time.Time{}); err != nil {
		h.t.Fatal(err)
	}
}

func TestReset(t *testing.T) {
	t.Parallel()
	h := newEchoServer(t)
	h.wire.Reset()
	if _, err := h.back.ReadString('\n'); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("read from a reset connection: %v, want a reset", err)
	}
	h.connect()
}

func TestHold(t *testing.T) {
	t.Parallel()
	for _, directions := range [][]Direction{{Forth}, {Back}, {Forth, Back}} {
		h := newEchoServer(t)
		h.wire.Hold(directions...)
		h.send("late")
		h.silent()
		h.wire.Mend()
		h.receives("late")
		h.says("and on")
	}
}

func TestSlow(t *testing.T) {
	t.Parallel()
	h := newEchoServer(t)
	h.wire.Slow(30 * time.Millisecond)
	began := time.Now()
	h.says("slow")
	if took := time.Since(began); took < 60*time.Millisecond {
		t.Errorf("there and back took %s, want 60ms or more", took)
	}
}

func TestEnd(t *testing.T) {
	t.Parallel()
	h := newEchoServer(t)
	h.wire.End(Forth)
	h.receives("end") // the server has seen the end, and answers
	h.send("nobody reads this")
	if _, err := h.back.ReadString('\n'); !errors.Is(err, io.EOF) {
		t.Errorf("read after the end: %v, want EOF", err)
	}

	h = newEchoServer(t)
	h.wire.End(Back)
	if _, err := h.back.ReadString('\n'); !errors.Is(err, io.EOF) {
		t.Errorf("read from an ended direction: %v, want EOF", err)
	}
	h.send("still carried")
}

// A wire that holds everything can be closed.
func TestCloseWhileHeld(t *testing.T) {
	t.Parallel()
	h := newEchoServer(t)
	h.wire.Hold(Forth, Back)
	h.send("never")
	h.silent()
}

// Where nobody listens, a connection is reset.
func TestNobodyListens(t *testing.T) {
	t.Parallel()
	w, err := New(t.Context(), func() (string, error) { return "", errors.New("nobody") })
	if err != nil {
		t.Fatal(err)
	}
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", w.Addr())
	if err == nil {
		_, err = conn.Read(make([]byte, 1))
		_ = conn.Close()
	}
	if err == nil {
		t.Error("a connection to nobody was carried")
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
