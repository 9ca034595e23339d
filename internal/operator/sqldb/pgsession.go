package sqldb

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// Texts of PostgreSQL's JDBC driver about statements with and without results (operators 7.1).
var (
	errNoResult       = errors.New("No results were returned by the query.")          //nolint:staticcheck,revive // see above
	errSeveralResults = errors.New("Multiple ResultSets were returned by the query.") //nolint:staticcheck,revive // see above
	errUnwantedResult = errors.New("A result was returned when none was expected.")   //nolint:staticcheck,revive // see above
)

var (
	errLost = errors.New("the connection to the server was lost")
	errCopy = errors.New("COPY FROM STDIN and COPY TO STDOUT are not possible here: nobody sends or takes the data")
)

const (
	// cancelTime is how long it may take to tell a server to end a query, and again for the server to answer.
	cancelTime = 5 * time.Second
	// endTime is how long a server may take to end a session.
	endTime = time.Second
	// lostTime is how long a server may take to end a session whose connection broke. Until then that has its locks: the next run would
	// find the status row locked, and come back a second later.
	lostTime = 200 * time.Millisecond
	// sendAside is the size from which on a script is sent while its results are read: else both sides could wait for the other.
	sendAside = 8 << 10
)

// pgSession is a session of PostgreSQL or Redshift. It sends the statements of a script as the JDBC driver does: each one as a message
// of its own, all of them before the first answer, and as one transaction unless one has been begun.
type pgSession struct {
	wire       *silentConn
	server     *pgproto3.Frontend
	pid        uint32
	key        []byte // with which a query is cancelled
	parameters map[string]string
	to         login
	busy       bool // the server works on something
	broken     bool // the connection
	// flushed is closed when what is sent aside has been sent. It is nil if nothing is.
	flushed chan struct{}
}

// run implements connection.
func (s *pgSession) run(ctx context.Context, text string) error {
	return s.exchange(ctx, text, func(pgproto3.BackendMessage) error { return nil })
}

// update implements connection.
func (s *pgSession) update(ctx context.Context, text string) error {
	return s.exchange(ctx, text, func(message pgproto3.BackendMessage) error {
		if _, result := message.(*pgproto3.RowDescription); result {
			return errUnwantedResult
		}
		return nil
	})
}

// query implements connection.
func (s *pgSession) query(ctx context.Context, text string, take func(rows) error) error {
	taken, ended := false, false
	err := s.exchange(ctx, text, func(message pgproto3.BackendMessage) error {
		switch message := message.(type) {
		case *pgproto3.RowDescription:
			if taken {
				return errSeveralResults
			}
			taken = true
			return take(newPgRows(s, message, &ended))
		case *pgproto3.CommandComplete:
			switch {
			case !taken:
				return errNoResult
			case ended:
				return errSeveralResults
			}
			ended = true
		}
		return nil
	})
	if err == nil && !taken {
		err = errNoResult
	}
	return err
}

// exchange sends the statements of a text and calls hear with the answers that tell about results, until all have come. It ends
// early with an error of hear.
func (s *pgSession) exchange(ctx context.Context, text string, hear func(pgproto3.BackendMessage) error) (err error) {
	statements := splitScript(text, s.parameters["standard_conforming_strings"] != "off")
	if len(statements) == 0 {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.busy = true
	stop := context.AfterFunc(ctx, s.cancel)
	defer func() {
		if !stop() && err != nil {
			err = context.Cause(ctx)
		}
	}()
	for _, statement := range statements {
		s.server.SendParse(&pgproto3.Parse{Query: statement})
		s.server.SendBind(&pgproto3.Bind{})
		s.server.SendDescribe(&pgproto3.Describe{ObjectType: 'P'})
		s.server.SendExecute(&pgproto3.Execute{})
	}
	s.server.SendSync(&pgproto3.Sync{})
	if len(text) < sendAside {
		if err := s.server.Flush(); err != nil {
			return s.lost(err)
		}
	} else {
		flushed := make(chan struct{})
		s.flushed = flushed
		go func() { // an error of it shows where answers are awaited
			defer close(flushed)
			_ = s.server.Flush()
		}()
	}
	return s.listen(hear)
}

// listen waits until all answers have come.
func (s *pgSession) listen(hear func(pgproto3.BackendMessage) error) error {
	var refused error
	for {
		message, err := s.receive()
		if answer, ok := errors.AsType[*serverError](err); ok {
			refused = answer
			continue
		}
		if err != nil {
			if refused != nil {
				return refused
			}
			return err
		}
		switch message := message.(type) {
		case *pgproto3.ReadyForQuery:
			if s.flushed != nil { // the server has read all of it, but the buffer may not be empty yet
				<-s.flushed
				s.flushed = nil
			}
			s.busy = false
			return refused
		case *pgproto3.CopyInResponse, *pgproto3.CopyOutResponse, *pgproto3.CopyBothResponse:
			return errCopy
		case *pgproto3.RowDescription, *pgproto3.CommandComplete, *pgproto3.EmptyQueryResponse:
			if err := hear(message); err != nil {
				return err
			}
		}
	}
}

// receive waits for the next message, which is valid until the next call. An error that the server tells is a *serverError, and
// ReadyForQuery follows it.
func (s *pgSession) receive() (pgproto3.BackendMessage, error) {
	message, err := s.server.Receive()
	if err != nil {
		return nil, s.lost(err)
	}
	if refused, ok := message.(*pgproto3.ErrorResponse); ok {
		s.busy = false
		return nil, pgServerError(pgconn.ErrorResponseToPgError(refused))
	}
	return message, nil
}

// lost returns what is to be told of a connection that broke.
func (s *pgSession) lost(err error) error {
	s.broken = true
	if silent := s.wire.tooLong(); silent != nil {
		return silent
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errLost
	}
	return fmt.Errorf("the connection to the server was lost: %w", innermost(err))
}

// cancel tells the server to end what it does, and gives it a while to do so. It may be called while another goroutine reads.
func (s *pgSession) cancel() {
	_ = s.sendCancel() // if it fails, the end of the connection is what the server hears
	_ = s.wire.SetDeadline(time.Now().Add(cancelTime))
}

func (s *pgSession) sendCancel() error {
	ctx, stop := context.WithTimeout(context.Background(), cancelTime) //nolint:forbidigo // that of the run has ended
	defer stop()
	conn, err := (&net.Dialer{}).DialContext(ctx, s.wire.RemoteAddr().Network(), s.wire.RemoteAddr().String())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if _, encrypted := s.wire.Conn.(*tls.Conn); encrypted {
		if conn, err = startTLS(ctx, conn, s.to); err != nil {
			return err
		}
	}
	_ = conn.SetDeadline(time.Now().Add(cancelTime))
	request := binary.BigEndian.AppendUint32(nil, uint32(12+len(s.key))) //nolint:gosec // a few bytes
	request = binary.BigEndian.AppendUint32(request, pgCancelRequest)
	request = binary.BigEndian.AppendUint32(request, s.pid)
	if _, err = conn.Write(append(request, s.key...)); err != nil {
		return err
	}
	_, _ = conn.Read(make([]byte, 1)) // the server closes when it has done it
	return nil
}

// close implements connection. What is still going on is cancelled. Otherwise it returns when the server has ended the session, so that
// the server never has more sessions than the gate has places.
func (s *pgSession) close() {
	if s.busy || s.flushed != nil {
		s.cancel()
	} else {
		_ = s.wire.SetDeadline(time.Now().Add(endTime))
		s.server.Send(&pgproto3.Terminate{})
		if s.server.Flush() == nil {
			_, _ = io.Copy(io.Discard, s.wire)
		}
	}
	_ = s.wire.Close()
	if s.broken {
		<-time.After(lostTime)
	}
}
