package sqldb

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// Texts of PostgreSQL's JDBC driver, which Digdag shows (operators 7.1).
const (
	pgRefused  = "Connection to %s refused. Check that the hostname and port are correct and that the postmaster is accepting TCP/IP connections."
	pgBadName  = "The hostname %s could not be verified by hostnameverifier PgjdbcHostnameVerifier."
	pgNoSecret = "The server requested password-based authentication, but no password was provided."
)

// errNoTLS has the text of that driver, too.
var errNoTLS = errors.New("The server does not support SSL.") //nolint:staticcheck,revive // operators 7.1

const (
	pgTLSRequest    = 80877103
	pgCancelRequest = 80877102

	stateBadCredentials = "28000"
)

// pgReadSize is how much is read from a connection at a time.
const pgReadSize = 64 << 10

// pgDefaults returns the driver's configuration without what it takes from the environment.
var pgDefaults = sync.OnceValues(func() (*pgconn.Config, error) { //nolint:gochecknoglobals // read once, never changed
	return pgconn.ParseConfig("host=localhost port=5432 user=none database=none sslmode=disable target_session_attrs=any passfile=/dev/null")
})

// pgDialer opens connections to servers that speak PostgreSQL's protocol.
type pgDialer struct{ keys *scramCache }

// connect opens a connection and begins a session. Without ssl the connection is still encrypted if the server offers it.
func (d *pgDialer) connect(ctx context.Context, to login) (connection, error) {
	session, err := d.dial(ctx, to, true)
	if err == nil {
		return session, nil
	}
	if to.ssl || ctx.Err() != nil {
		return nil, err
	}
	// A server may offer encryption that it cannot provide, or refuse who comes with it.
	refused, ok := errors.AsType[*serverError](err)
	if _, broken := errors.AsType[*tlsError](err); broken || ok && refused.state == stateBadCredentials {
		if plain, err := d.dial(ctx, to, false); err == nil {
			return plain, nil
		}
	}
	return nil, err
}

func (d *pgDialer) dial(ctx context.Context, to login, encrypt bool) (*pgSession, error) {
	if strings.HasPrefix(to.host, "/") || strings.HasPrefix(to.host, "@") {
		return nil, fmt.Errorf("%q is no host: want a name or an address", to.host)
	}
	session, err := d.begin(ctx, to, encrypt)
	if err != nil {
		return nil, pgConnectError(ctx, to, err)
	}
	session.wire.limit(to.socketTimeout)
	if version, _, _ := strings.Cut(session.parameters["server_version"], "."); version == "9" || version == "10" || version == "11" {
		if err := session.run(ctx, "SET extra_float_digits = 3"); err != nil {
			session.close() //nolint:contextcheck // it ends what goes on after a context has ended, too
			return nil, err
		}
	}
	return session, nil
}

// begin begins a session.
func (d *pgDialer) begin(ctx context.Context, to login, encrypt bool) (*pgSession, error) {
	conn, err := (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext(ctx, "tcp", net.JoinHostPort(to.host, strconv.Itoa(to.port)))
	if err != nil {
		return nil, err
	}
	plain := conn
	if encrypt {
		if conn, err = startTLS(ctx, plain, to); err != nil {
			_ = plain.Close()
			return nil, err
		}
	}
	wire := &silentConn{Conn: conn}
	// SCRAM wants the characters of passwords in one form. That of ASCII is the text as it is; others are the driver's.
	sign := d.signIn
	if strings.ContainsFunc(to.password, func(r rune) bool { return r > unicode.MaxASCII }) {
		sign = signInByDriver
	}
	session, err := sign(ctx, wire, to)
	if err != nil {
		_ = wire.Close()
		return nil, err
	}
	return session, nil
}

// startup returns the settings with which a session begins.
func (to login) startup() map[string]string {
	settings := map[string]string{"client_encoding": "UTF8", "DateStyle": "ISO", "TimeZone": localZone()}
	if to.schema != "" {
		settings["search_path"] = to.schema
	}
	return settings
}

// signInByDriver is signIn, done by the driver.
func signInByDriver(ctx context.Context, wire *silentConn, to login) (*pgSession, error) {
	defaults, err := pgDefaults()
	if err != nil {
		return nil, err
	}
	config := defaults.Copy()
	config.Host, config.Port, config.User, config.Password, config.Database = to.host, uint16(to.port), to.user, to.password, to.database //nolint:gosec // a port
	config.TLSConfig, config.Fallbacks, config.ConnectTimeout = nil, nil, to.connectTimeout
	config.ChannelBinding, config.RequireAuth, config.KerberosSrvName, config.KerberosSpn = "", "", "", ""
	config.RuntimeParams = to.startup()
	config.LookupFunc = func(context.Context, string) ([]string, error) { return []string{to.host}, nil }
	config.DialFunc = func(context.Context, string, string) (net.Conn, error) { return wire, nil }
	config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		return pgproto3.NewFrontend(bufio.NewReaderSize(r, pgReadSize), w)
	}
	raw, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	taken, err := raw.Hijack()
	if err != nil {
		return nil, err
	}
	return &pgSession{wire: wire, server: taken.Frontend, pid: taken.PID, key: taken.SecretKey, parameters: maps.Clone(taken.ParameterStatuses), to: to}, nil
}

// localZone returns the name of the system's time zone, which sessions have, as in Digdag.
func localZone() string {
	if name := time.Local.String(); strings.Contains(name, "/") && !strings.HasPrefix(name, "/") {
		return name
	} else if name != "Local" {
		return "UTC"
	}
	if at, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, found := strings.Cut(at, "zoneinfo/"); found {
			return name
		}
	}
	return "UTC"
}

// tlsError is an error in the beginning of an encrypted connection.
type tlsError struct{ err error }

func (e *tlsError) Error() string { return e.err.Error() }

// Unwrap returns what went wrong.
func (e *tlsError) Unwrap() error { return e.err }

// startTLS asks a server for an encrypted connection. With ssl that must succeed, and the certificate must be of the host, whoever has
// signed it. Without it the connection may remain as it is (operators 7.1, quirk 29).
func startTLS(ctx context.Context, plain net.Conn, to login) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok {
		_ = plain.SetDeadline(deadline)
	}
	stop := context.AfterFunc(ctx, func() { _ = plain.SetDeadline(time.Now()) })
	defer func() {
		if stop() {
			_ = plain.SetDeadline(time.Time{})
		}
	}()
	request := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 8), pgTLSRequest)
	if _, err := plain.Write(request); err != nil {
		return nil, err
	}
	answer := make([]byte, 1)
	if _, err := io.ReadFull(plain, answer); err != nil {
		return nil, err
	}
	switch {
	case answer[0] == 'S':
	case to.ssl:
		return nil, errNoTLS
	default:
		return plain, nil
	}
	conn := tls.Client(plain, tlsConfig(to, pgBadName))
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, &tlsError{err}
	}
	return conn, nil
}

// tlsConfig accepts any certificate, and with ssl only one that names the host. badName is the text about another one.
func tlsConfig(to login, badName string) *tls.Config {
	config := &tls.Config{InsecureSkipVerify: true, ServerName: to.host, MinVersion: tls.VersionTLS12} //nolint:gosec // operators 7.1
	if to.ssl {
		config.VerifyConnection = func(state tls.ConnectionState) error {
			if state.PeerCertificates[0].VerifyHostname(to.host) != nil {
				return fmt.Errorf(badName, to.host)
			}
			return nil
		}
	}
	return config
}

// pgConnectError returns what is to be told of an error of the driver, without the user and the database that the driver adds.
func pgConnectError(ctx context.Context, to login, err error) error {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pgServerError(answer)
	}
	if broken, ok := errors.AsType[*tlsError](err); ok && ctx.Err() == nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return broken
	}
	return connectError(ctx, to, err, pgRefused)
}

// connectError returns what is to be told of a connection that could not be opened. refused is the text for a port where nobody listens.
func connectError(ctx context.Context, to login, err error, refused string) error {
	address := net.JoinHostPort(to.host, strconv.Itoa(to.port))
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		return lookup
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf(refused, address)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return noAnswer(to)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s closed the connection", address)
	}
	return innermost(err)
}

// noAnswer is the error about a server that takes too long to open a connection.
func noAnswer(to login) error {
	return fmt.Errorf("%s did not answer within %s", net.JoinHostPort(to.host, strconv.Itoa(to.port)), to.connectTimeout)
}

// innermost returns the last error in a chain.
func innermost(err error) error {
	for {
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			if all := several.Unwrap(); len(all) > 0 {
				err = all[len(all)-1]
				continue
			}
		}
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// pgServerError puts an error of the server into the words of the JDBC driver (operators 7.1).
func pgServerError(e *pgconn.PgError) *serverError {
	var text strings.Builder
	text.WriteString(cmp.Or(e.Severity, e.SeverityUnlocalized) + ": " + e.Message)
	for _, part := range []struct{ name, text string }{
		{"Detail", e.Detail}, {"Hint", e.Hint}, {"Position", positionText(e.Position)}, {"Where", e.Where},
	} {
		if part.text != "" {
			text.WriteString("\n  " + part.name + ": " + part.text)
		}
	}
	return &serverError{state: e.Code, text: text.String()}
}

func positionText(position int32) string {
	if position == 0 {
		return ""
	}
	return strconv.Itoa(int(position))
}
