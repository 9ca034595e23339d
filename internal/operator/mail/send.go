package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/log"
)

// Limits of time (operators 5.2).
const (
	connectTimeout = 10 * time.Second
	readTimeout    = 60 * time.Second // of each read and write
)

// Server is an SMTP server and how to connect to it.
type Server struct {
	Host     string
	Port     int
	TLS      bool // STARTTLS, if the server offers it
	SSL      bool // TLS from the start; then TLS is ignored
	Username string
	Password string            // sent only with a Username
	Debug    func(line string) // gets each line of the conversation but those of the login; may be nil
	Config   *tls.Config       // nil for the system's certificates
}

// ErrAuthentication says that the server does not accept the user.
var ErrAuthentication = errors.New("authentication failed")

// Send sends a message to all recipients, or to none if the server refuses one of them. It returns an error
// when ctx ends.
func Send(ctx context.Context, server Server, message *Message) error {
	if len(message.To)+len(message.Cc)+len(message.Bcc) == 0 {
		return errNoRecipient
	}
	msg, closeFiles, err := message.content()
	if err != nil {
		return err
	}
	defer closeFiles()
	conn, err := server.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // the message is sent or failed already
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	client, err := gomail.NewClient(server.Host, server.options(conn)...)
	if err != nil {
		return err
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return explain(err)
	}
	if err := client.SendWithSMTPClient(session, msg); err != nil {
		return explain(err)
	}
	_ = client.CloseWithSMTPClient(session) // the message is accepted, whatever the server says now
	return nil
}

// connect opens the connection.
func (s *Server) connect(ctx context.Context) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: connectTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port)))
	if err != nil {
		return nil, err
	}
	patient := patientConn{conn}
	if !s.SSL {
		return patient, nil
	}
	secure := tls.Client(patient, s.config())
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return secure, nil
}

func (s *Server) config() *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.Config != nil {
		config = s.Config.Clone()
	}
	config.ServerName = s.Host
	return config
}

// options returns the options of the library.
func (s *Server) options(conn net.Conn) []gomail.Option {
	policy := gomail.NoTLS
	if s.TLS {
		policy = gomail.TLSOpportunistic
	}
	options := []gomail.Option{
		gomail.WithPort(s.Port), gomail.WithTimeout(connectTimeout), gomail.WithTLSConfig(s.config()),
		gomail.WithTLSPolicy(policy), gomail.WithoutNoop(),
		gomail.WithDialContextFunc(func(context.Context, string, string) (net.Conn, error) { return conn, nil }),
	}
	if s.SSL {
		options = append(options, gomail.WithSSL())
	}
	if s.Username != "" {
		options = append(options, gomail.WithSMTPAuthCustom(&login{username: s.Username, password: s.Password, host: s.Host}))
	}
	if s.Debug != nil {
		options = append(options, gomail.WithDebugLog(), gomail.WithLogger(lines(s.Debug)))
	}
	return options
}

// explain distinguishes a refused login from other refusals.
func explain(err error) error {
	reply, ok := errors.AsType[*textproto.Error](err)
	if ok && (reply.Code == 530 || reply.Code == 534 || reply.Code == 535) {
		return fmt.Errorf("%w: %d %s", ErrAuthentication, reply.Code, strings.Trim(reply.Msg, `"`))
	}
	return err
}

// patientConn has a time limit for each read and write, not for the whole conversation.
type patientConn struct{ net.Conn }

// SetDeadline does nothing, as the library would limit the whole conversation.
func (patientConn) SetDeadline(time.Time) error { return nil }

func (c patientConn) Read(data []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(readTimeout)); err != nil {
		return 0, err
	}
	return c.Conn.Read(data)
}

func (c patientConn) Write(data []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(readTimeout)); err != nil {
		return 0, err
	}
	return c.Conn.Write(data)
}

// lines passes the library's log to a function.
type lines func(line string)

func (l lines) line(entry log.Log) {
	prefix := "S: "
	if entry.Direction == log.DirClientToServer {
		prefix = "C: "
	}
	l(prefix + fmt.Sprintf(entry.Format, entry.Messages...))
}

// Debugf, Infof, Warnf and Errorf implement the library's Logger.
func (l lines) Debugf(entry log.Log) { l.line(entry) }

// Infof see Debugf.
func (l lines) Infof(entry log.Log) { l.line(entry) }

// Warnf see Debugf.
func (l lines) Warnf(entry log.Log) { l.line(entry) }

// Errorf see Debugf.
func (l lines) Errorf(entry log.Log) { l.line(entry) }
