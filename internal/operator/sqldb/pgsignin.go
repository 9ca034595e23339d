package sqldb

import (
	"bufio"
	"context"
	"crypto/md5" //nolint:gosec // a way to sign in that servers may still want
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// signInMessage is the largest message that a server may send before a session begins.
const signInMessage = 64 << 10

// errNoPassword stands for a server that wants a password where the task has none.
var errNoPassword = errors.New(pgNoSecret) //nolint:staticcheck // operators 7.1

// signIn begins a session on a connection: it says who comes, proves it in the way that the server wants, and waits until the server is
// ready. An error that the server tells is a *pgconn.PgError.
func (d *pgDialer) signIn(ctx context.Context, wire *silentConn, to login) (*pgSession, error) {
	stop := context.AfterFunc(ctx, func() { _ = wire.SetDeadline(time.Now()) })
	s := &signing{dialer: d, to: to, session: &pgSession{
		wire: wire, server: pgproto3.NewFrontend(bufio.NewReaderSize(wire, pgReadSize), wire), parameters: map[string]string{}, to: to,
	}}
	err := s.run()
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	return s.session, err
}

// signing is a session that has not begun yet.
type signing struct {
	dialer  *pgDialer
	to      login
	session *pgSession
	known   bool // the server knows who we are
	// Of the SCRAM exchange, if there is one.
	exchange *scramExchange
	name     scramName
	keys     scramKeys
	proven   bool // the server has proven that it knows the password
}

func (s *signing) run() error {
	parameters := s.to.startup()
	maps.Copy(parameters, map[string]string{"user": s.to.user, "database": s.to.database})
	if err := s.send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersionNumber, Parameters: parameters}); err != nil {
		return err
	}
	server := s.session.server
	server.SetMaxBodyLen(signInMessage)
	defer server.SetMaxBodyLen(0)
	for {
		message, err := server.Receive()
		if err != nil {
			return err
		}
		if ready, err := s.hear(message); ready || err != nil {
			return err
		}
	}
}

func (s *signing) send(message pgproto3.FrontendMessage) error {
	s.session.server.Send(message)
	return s.session.server.Flush()
}

// hear acts on a message. It reports whether the session has begun.
func (s *signing) hear(message pgproto3.BackendMessage) (ready bool, err error) {
	switch message := message.(type) {
	case *pgproto3.ErrorResponse:
		return false, pgconn.ErrorResponseToPgError(message)
	case *pgproto3.ParameterStatus:
		s.session.parameters[message.Name] = message.Value
	case *pgproto3.BackendKeyData:
		s.session.pid, s.session.key = message.ProcessID, message.SecretKey
	case *pgproto3.NoticeResponse, *pgproto3.NegotiateProtocolVersion:
	case *pgproto3.AuthenticationOk:
		if s.exchange != nil && !s.proven {
			return false, errScramServer
		}
		s.known = true
	case *pgproto3.ReadyForQuery:
		if !s.known {
			return false, errors.New("the server was ready before it knew who comes")
		}
		return true, nil
	default:
		return false, s.prove(message)
	}
	return false, nil
}

// prove answers a message that asks for a proof of who we are.
func (s *signing) prove(message pgproto3.BackendMessage) error {
	switch message := message.(type) {
	case *pgproto3.AuthenticationCleartextPassword:
		return s.password(s.to.password)
	case *pgproto3.AuthenticationMD5Password:
		return s.password("md5" + hexMD5(hexMD5(s.to.password+s.to.user)+string(message.Salt[:])))
	case *pgproto3.AuthenticationSASL:
		return s.beginScram(message.AuthMechanisms)
	case *pgproto3.AuthenticationSASLContinue:
		return s.continueScram(message.Data)
	case *pgproto3.AuthenticationSASLFinal:
		return s.endScram(message.Data)
	}
	return fmt.Errorf("the server wants something that is not known here: %T", message)
}

func (s *signing) password(text string) error {
	if s.to.password == "" {
		return errNoPassword
	}
	return s.send(&pgproto3.PasswordMessage{Password: text})
}

func hexMD5(text string) string {
	sum := md5.Sum([]byte(text)) //nolint:gosec // see above
	return hex.EncodeToString(sum[:])
}

func (s *signing) beginScram(offered []string) (err error) {
	if s.to.password == "" {
		return errNoPassword
	}
	var state *tls.ConnectionState
	if encrypted, ok := s.session.wire.Conn.(*tls.Conn); ok {
		now := encrypted.ConnectionState()
		state = &now
	}
	if s.exchange, err = newScramExchange(offered, state); err != nil {
		return err
	}
	return s.send(&pgproto3.SASLInitialResponse{AuthMechanism: s.exchange.mechanism, Data: s.exchange.begin()})
}

func (s *signing) continueScram(challenge []byte) error {
	if s.exchange == nil {
		return errScramAnswer
	}
	salt, rounds, err := s.exchange.challenged(challenge)
	if err != nil {
		return err
	}
	s.name = s.dialer.keys.name(s.to, salt, rounds)
	keys, found := s.dialer.keys.find(s.name)
	if !found {
		if keys, err = deriveScramKeys(s.to.password, salt, rounds); err != nil {
			return err
		}
	}
	s.keys = keys
	return s.send(&pgproto3.SASLResponse{Data: s.exchange.prove(keys)})
}

func (s *signing) endScram(answer []byte) error {
	if s.exchange == nil || s.exchange.last == "" {
		return errScramAnswer
	}
	if err := s.exchange.verify(s.keys, answer); err != nil {
		return err
	}
	s.proven = true
	s.dialer.keys.keep(s.name, s.keys)
	return nil
}
