package sqldb

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// lateConn is a connection whose writes return some time after the other end has read them.
type lateConn struct{ net.Conn }

// Write implements net.Conn.
func (c lateConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	<-time.After(50 * time.Millisecond)
	return n, err
}

// pipedSession returns a session with a server that calls parsed for each statement and has no results.
func pipedSession(t *testing.T, parsed func()) *pgSession {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	wire := &silentConn{Conn: lateConn{near}}
	go func() {
		server := pgproto3.NewBackend(far, far)
		for {
			message, err := server.Receive()
			if err != nil {
				return
			}
			switch message.(type) {
			case *pgproto3.Parse:
				parsed()
			case *pgproto3.Sync:
				server.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
				if server.Flush() != nil {
					return
				}
			}
		}
	}()
	return &pgSession{wire: wire, server: pgproto3.NewFrontend(wire, wire)}
}

// The answers to a script that is sent aside may come before what has sent it is done. It is not sent again.
func TestAnsweredWhileSent(t *testing.T) {
	t.Parallel()
	var statements atomic.Int32
	s := pipedSession(t, func() { statements.Add(1) })
	for _, text := range []string{"SELECT '" + strings.Repeat("x", sendAside) + "'", "COMMIT"} {
		if err := s.run(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if got := statements.Load(); got != 2 {
		t.Errorf("the server has heard %d statements, want 2", got)
	}
}

// A server that accepts connections and says nothing.
func TestConnectTimeout(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	address := listener.Addr().(*net.TCPAddr)
	for _, d := range []*dialect{newPostgres(), newMySQL()} {
		to := login{host: address.IP.String(), port: address.Port, user: "u", database: "d", connectTimeout: 100 * time.Millisecond}
		_, err := newDatabase(d, Settings{}).open(t.Context(), to)
		want := "Failed to connect to the database [" + address.String() + " did not answer within 100ms]"
		if err == nil || err.Error() != want {
			t.Errorf("%s: the error = %v, want %s", d.name, err, want)
		}
	}
}
