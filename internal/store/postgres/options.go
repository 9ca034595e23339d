package postgres

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	trowel "github.com/trowel-project/trowel"
)

// Options say where the database is and how it is used: the keys database.* of a server's settings
// (server 3.1). Host, User and Database are required.
type Options struct {
	// Host is a name, an address, or the folder of a Unix socket.
	Host string
	// Port is the port of the server. Zero means 5432.
	Port     int
	User     string
	Password string
	Database string
	// Schema contains all tables. It is made if it is missing. Empty means "trowel".
	Schema string

	// SSLMode is one of libpq's: disable, allow, prefer, require, verify-ca or verify-full. Empty means disable.
	// The other three are names of files in PEM format.
	SSLMode, SSLCert, SSLKey, SSLRootCert string
	// Parameters are further settings of the server for each connection, such as statement_timeout.
	Parameters map[string]string

	// LoginTimeout is how long making one connection may take (loginTimeout). Zero means 30
	// seconds.
	LoginTimeout time.Duration
	// SocketTimeout is how long one statement may take (socketTimeout). Zero means 1 minute. After that the connection
	// counts as lost.
	SocketTimeout time.Duration
	// ConnectionTimeout is how long a transaction waits for a connection (connectionTimeout). Zero means 30
	// seconds.
	ConnectionTimeout time.Duration
	// IdleTimeout is how long an unused connection is kept (idleTimeout). Zero means 10
	// minutes.
	IdleTimeout time.Duration
	// MaxConnections is the largest number of connections (maximumPoolSize). Zero means 32 for each CPU. They are made
	// when they are needed. Listen has one more.
	MaxConnections int

	// KeepSchema forbids changes of the schema (migrate=false). A schema that is not up to date is refused.
	KeepSchema bool
	// Log receives warnings about lost connections of Listen. Nil for none.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	setDefault(&o.Schema, "trowel")
	setDefault(&o.SSLMode, "disable")
	setDefault(&o.Port, 5432)
	setDefault(&o.LoginTimeout, 30*time.Second)
	setDefault(&o.SocketTimeout, time.Minute)
	setDefault(&o.ConnectionTimeout, 30*time.Second)
	setDefault(&o.IdleTimeout, 10*time.Minute)
	setDefault(&o.MaxConnections, 32*runtime.NumCPU())
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func setDefault[T comparable](to *T, value T) {
	var zero T
	if *to == zero {
		*to = value
	}
}

// where describes the database for people, without the password.
func (o Options) where() string {
	return fmt.Sprintf("postgresql://%s@%s/%s", o.User, net.JoinHostPort(o.Host, strconv.Itoa(o.Port)), o.Database)
}

// check returns an error about the first missing field that is required.
func (o Options) check() error {
	for _, field := range []struct{ key, value string }{{"host", o.Host}, {"user", o.User}, {"database", o.Database}} {
		if field.value == "" {
			return &trowel.Error{
				Kind: trowel.ErrInvalid, Message: "database." + field.key + " is missing",
				Hint: "set database.host, database.user and database.database",
			}
		}
	}
	return nil
}

// config returns the driver's configuration. It sets everything that the driver would otherwise read from the
// environment.
func (o Options) config() (*pgx.ConnConfig, error) {
	var text strings.Builder
	for _, setting := range []struct{ key, value string }{
		{"host", o.Host},
		{"port", strconv.Itoa(o.Port)},
		{"user", o.User},
		{"password", o.Password},
		{"database", o.Database},
		{"sslmode", o.SSLMode},
		{"sslcert", o.SSLCert},
		{"sslkey", o.SSLKey},
		{"sslrootcert", o.SSLRootCert},
		{"connect_timeout", strconv.Itoa(max(1, int(o.LoginTimeout.Seconds())))},
		{"application_name", "trowel"},
		{"target_session_attrs", "any"},
	} {
		text.WriteString(setting.key + "='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(setting.value) + "' ")
	}
	config, err := pgx.ParseConfig(text.String())
	if err != nil {
		return nil, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: "cannot connect to " + o.where(), Err: err,
			Hint: "check database.host, database.port and database.ssl* in the settings",
		}
	}
	config.Password = o.Password // so that the driver does not look for one in a file
	config.RuntimeParams["search_path"] = pgx.Identifier{o.Schema}.Sanitize()
	// If a server is stopped or cut off in a transaction, others must not wait for its locks.
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "20s"
	config.RuntimeParams["tcp_keepalives_idle"] = "10"
	config.RuntimeParams["tcp_keepalives_interval"] = "5"
	config.RuntimeParams["tcp_keepalives_count"] = "4"
	maps.Copy(config.RuntimeParams, Planner())
	maps.Copy(config.RuntimeParams, o.Parameters)
	dialer := &net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 4}}
	config.DialFunc = dialer.DialContext
	if config.TLSConfig != nil {
		config.TLSConfig.MinVersion = tls.VersionTLS12
	}
	return config, nil
}

// Planner returns the settings of PostgreSQL's planner on each connection. Statements stay prepared while
// their tables grow. A plan that reads a small table as a whole would still be used for
// the large one. All statements have their indexes.
func Planner() map[string]string {
	return map[string]string{"enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off", "jit": "off"}
}
