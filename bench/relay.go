package main

import (
	"errors"
	"io"
	"net"
	"sync"
)

// relay stands between programs and PostgreSQL and counts what they tell each other.
type relay struct {
	wireCounts
	to       string
	listener net.Listener
	running  sync.WaitGroup
}

// newRelay listens on a free port for connections to an address.
func newRelay(to string) (*relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{to: to, listener: l}
	r.running.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return // it is closed
			}
			r.running.Go(func() { r.serve(client) })
		}
	})
	return r, nil
}

func (r *relay) port() int {
	address, _ := r.listener.Addr().(*net.TCPAddr)
	return address.Port
}

// serve carries one connection, until one of its ends closes it.
func (r *relay) serve(client net.Conn) {
	defer client.Close() //nolint:errcheck // it is over
	database, err := net.Dial("tcp", r.to)
	if err != nil {
		return // the client sees that its connection ends
	}
	defer database.Close() //nolint:errcheck // it is over
	answers := &fromDatabase{counts: &r.wireCounts}
	requests := &fromClient{counts: &r.wireCounts, answer: answers}
	var both sync.WaitGroup
	both.Go(func() { carry(database, client, requests) })
	both.Go(func() { carry(client, database, answers) })
	both.Wait()
}

// carry copies one direction. What passes is counted before the other end has it.
func carry(to, from net.Conn, count io.Writer) {
	_, _ = io.Copy(io.MultiWriter(count, to), from) // an end that fails is closed, as one that ends
	_ = errors.Join(to.Close(), from.Close())
}

// close returns when all connections have ended: their clients are gone.
func (r *relay) close() error {
	err := r.listener.Close()
	r.running.Wait()
	return err
}
