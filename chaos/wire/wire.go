package wire

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"
)

// Direction is the direction of data through a Wire.
type Direction int

// The directions: from the side that connects, and back.
const (
	Forth Direction = iota
	Back
)

// Wire accepts connections at a port of its own and carries them to another one. It is safe for concurrent
// use.
type Wire struct {
	listener net.Listener
	to       func() (string, error)
	closing  chan struct{}
	pumps    sync.WaitGroup

	mu    sync.Mutex
	open  [2]chan struct{} // for each direction; closed while it is not held
	held  [2]bool
	delay time.Duration
	links []*link
}

// link is one connection.
type link struct {
	ends  [2]*net.TCPConn // the near one, which was accepted, and the far one
	ended [2]bool         // directions that have ended
}

// New makes a wire. to returns the host and port of the other end, for each connection.
func New(ctx context.Context, to func() (string, error)) (*Wire, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &Wire{listener: listener, to: to, closing: make(chan struct{})}
	for d := range w.open {
		w.open[d] = make(chan struct{})
		close(w.open[d])
	}
	w.pumps.Go(func() { w.accept(ctx) })
	return w, nil
}

// Port returns the port at 127.0.0.1 where the wire accepts connections.
func (w *Wire) Port() int {
	addr, _ := w.listener.Addr().(*net.TCPAddr)
	return addr.Port
}

// Addr returns the host and port where the wire accepts connections.
func (w *Wire) Addr() string { return w.listener.Addr().String() }

func (w *Wire) accept(ctx context.Context) {
	for {
		conn, err := w.listener.Accept()
		if err != nil {
			return
		}
		near, _ := conn.(*net.TCPConn)
		w.pumps.Go(func() { w.carry(ctx, near) })
	}
}

// carry connects the far side and carries both directions until they have ended.
func (w *Wire) carry(ctx context.Context, near *net.TCPConn) {
	far, err := w.dial(ctx)
	if err != nil {
		_ = near.SetLinger(0) // a reset, as if nobody listened
		_ = near.Close()
		return
	}
	l := &link{ends: [2]*net.TCPConn{near, far}}
	w.mu.Lock()
	w.links = append(w.links, l)
	w.mu.Unlock()
	select {
	case <-w.closing:
		l.close()
	default:
	}
	var both sync.WaitGroup
	both.Go(func() { w.pump(l, Forth) })
	both.Go(func() { w.pump(l, Back) })
	both.Wait()
	l.close()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.links = slices.DeleteFunc(w.links, func(other *link) bool { return other == l })
}

func (w *Wire) dial(ctx context.Context) (*net.TCPConn, error) {
	address, err := w.to()
	if err != nil {
		return nil, err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	far, _ := conn.(*net.TCPConn)
	return far, nil
}

// pump carries one direction until its sender has nothing more, or a side is gone.
func (w *Wire) pump(l *link, d Direction) {
	from, to := l.ends[d], l.ends[1-d]
	data := make([]byte, 32<<10)
	for {
		n, err := from.Read(data)
		if !w.pass(d) {
			return
		}
		if n > 0 && !w.isOver(l, d) {
			if _, err := to.Write(data[:n]); err != nil && !w.isOver(l, d) {
				l.close()
				return
			}
		}
		if err != nil {
			_ = to.CloseWrite() // the other direction may go on
			return
		}
	}
}

// pass waits as long as the direction is held or slow, and reports whether the wire is still there.
func (w *Wire) pass(d Direction) bool {
	w.mu.Lock()
	open, delay := w.open[d], w.delay
	w.mu.Unlock()
	select {
	case <-open:
	case <-w.closing:
		return false
	}
	if delay == 0 {
		return true
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.closing:
		return false
	}
}

func (w *Wire) isOver(l *link, d Direction) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return l.ended[d]
}

func (l *link) close() {
	for _, end := range l.ends {
		_ = end.Close() // it may be closed already
	}
}

// Close ends all connections and waits for that.
func (w *Wire) Close() error {
	err := w.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	close(w.closing)
	w.mu.Lock()
	for _, l := range w.links {
		l.close()
	}
	w.mu.Unlock()
	w.pumps.Wait()
	return err
}
