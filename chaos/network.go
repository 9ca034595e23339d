package main

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"time"
)

// wire carries what the first server and PostgreSQL say to each other. While it is cut, nothing comes
// through, and neither side is told.
type wire struct {
	listener net.Listener
	to       string

	mu     sync.Mutex
	whole  chan struct{} // closed while it is not cut
	ends   []net.Conn
	closed bool
	pumps  sync.WaitGroup
}

// newWire lays a wire to a port of this machine.
func newWire(ctx context.Context, port int) (*wire, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &wire{listener: l, to: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), whole: make(chan struct{})}
	close(w.whole)
	w.pumps.Go(func() { w.accept(ctx) })
	return w, nil
}

func (w *wire) port() int {
	addr, _ := w.listener.Addr().(*net.TCPAddr)
	return addr.Port
}

func (w *wire) accept(ctx context.Context) {
	for {
		near, err := w.listener.Accept()
		if err != nil {
			return
		}
		far, err := (&net.Dialer{}).DialContext(ctx, "tcp", w.to)
		if err != nil {
			_ = near.Close() // as a database would that is not there
			continue
		}
		w.mu.Lock()
		w.ends = append(w.ends, near, far)
		if w.closed {
			_ = errors.Join(near.Close(), far.Close())
		}
		w.mu.Unlock()
		w.pumps.Go(func() { w.pump(near, far) })
		w.pumps.Go(func() { w.pump(far, near) })
	}
}

// pump carries one direction until either side hangs up.
func (w *wire) pump(from, to net.Conn) {
	defer func() { _ = errors.Join(from.Close(), to.Close()) }()
	data := make([]byte, 32<<10)
	for {
		n, err := from.Read(data)
		w.mu.Lock()
		whole := w.whole
		w.mu.Unlock()
		<-whole
		if n > 0 {
			if _, err := to.Write(data[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return // io.EOF, or a side that is gone
		}
	}
}

// cut holds everything up; mend lets it through.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.whole = make(chan struct{})
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.whole)
}

// Close ends all connections.
func (w *wire) Close() error {
	err := w.listener.Close()
	w.mu.Lock()
	w.closed = true
	for _, end := range w.ends {
		_ = end.Close() // it may be closed already
	}
	w.mu.Unlock()
	w.pumps.Wait()
	return err
}

// cuttingNetwork cuts one of two servers off from the database for longer than its lease, again and
// again: its tasks run on the other one, and what it reports of them afterwards is refused.
func cuttingNetwork(ctx context.Context, a *arena) (int, error) {
	troubles := max(a.kills/20, 2)
	for n := range troubles {
		if err := a.steady(ctx, 2*time.Second); err != nil {
			return n, err
		}
		a.wire.cut()
		err := a.steady(ctx, time.Second+time.Duration(a.rand.Int64N(int64(6*time.Second))))
		a.wire.mend()
		if err != nil {
			return n, err
		}
	}
	return troubles, a.steady(ctx, 2*time.Second)
}
