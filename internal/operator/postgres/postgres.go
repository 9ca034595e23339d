// Package postgres stores the parameters of param_set> and param_get> in a PostgreSQL database with Digdag's
// table, so that both programs can share it (operators 6.1). It does not use Trowel's own store, for which
// there is operator.StoreParams. It has a folder of its own because of the library that it uses. Server is an
// operator.ParamServer.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// Statements about Digdag's table. Its only site is 0, and a text has the type 0.
const (
	sqlHasTable  = `SELECT to_regclass('params') IS NOT NULL`
	sqlMakeTable = `CREATE TABLE IF NOT EXISTS params (
key text NOT NULL, value text NOT NULL, value_type int NOT NULL, site_id integer NOT NULL,
updated_at timestamp with time zone NOT NULL, created_at timestamp with time zone NOT NULL,
CONSTRAINT params_site_id_key_uniq UNIQUE (site_id, key))`
	sqlSetParam = `INSERT INTO params (key, value, value_type, site_id, updated_at, created_at) VALUES ($1, $2, 0, 0, now(), now())
ON CONFLICT ON CONSTRAINT params_site_id_key_uniq DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`
	sqlFindParams = `SELECT key, value FROM params WHERE site_id = 0 AND key = ANY($1) AND updated_at + $2 * interval '1 second' >= now()`
)

// Options say where the database is: the keys param_server.* (operators 6.1). Host, User and Database are
// required.
type Options struct {
	Host     string
	Port     int // 0 for 5432
	User     string
	Password secret.Value
	Database string
	// SSLMode is one of libpq's. Empty means disable. The other three are names of files in PEM format.
	SSLMode, SSLCert, SSLKey, SSLRootCert string
	LoginTimeout                          time.Duration // 0 for 30 seconds
	SocketTimeout                         time.Duration // of each call; 0 for 30 minutes
}

// Server is a PostgreSQL database. Each call has a connection of its own. It is safe for concurrent use.
type Server struct {
	options  Options
	config   *pgx.ConnConfig
	hasTable atomic.Bool
}

// New returns a Server, or an error about its options. If several are missing, it is about Digdag's first one. It
// does not connect yet.
func New(options Options) (*Server, error) {
	for _, required := range []struct{ key, value string }{
		{"user", options.User}, {"host", options.Host}, {"database", options.Database},
	} {
		if required.value == "" {
			return nil, param.Missing("param_server." + required.key)
		}
	}
	setDefault(&options.Port, 5432)
	setDefault(&options.SSLMode, "disable")
	setDefault(&options.LoginTimeout, 30*time.Second)
	setDefault(&options.SocketTimeout, 30*time.Minute)
	config, err := options.config()
	if err != nil {
		return nil, fmt.Errorf("settings param_server.*: cannot connect to %s: %w", options.where(), err)
	}
	return &Server{options: options, config: config}, nil
}

func setDefault[T comparable](to *T, value T) {
	var zero T
	if *to == zero {
		*to = value
	}
}

// where describes the database for people.
func (o Options) where() string {
	return fmt.Sprintf("postgresql://%s@%s/%s", o.User, net.JoinHostPort(o.Host, strconv.Itoa(o.Port)), o.Database)
}

// config returns the driver's configuration. It sets everything that the driver would otherwise read from the environment.
func (o Options) config() (*pgx.ConnConfig, error) {
	var text strings.Builder
	escape := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	for _, setting := range []struct{ key, value string }{
		{"host", o.Host},
		{"port", strconv.Itoa(o.Port)},
		{"user", o.User},
		{"database", o.Database},
		{"sslmode", o.SSLMode},
		{"sslcert", o.SSLCert},
		{"sslkey", o.SSLKey},
		{"sslrootcert", o.SSLRootCert},
		{"application_name", "trowel"},
		{"target_session_attrs", "any"},
	} {
		text.WriteString(setting.key + "='" + escape.Replace(setting.value) + "' ")
	}
	config, err := pgx.ParseConfig(text.String())
	if err != nil {
		return nil, err
	}
	config.Password = o.Password.Reveal()
	config.ConnectTimeout = o.LoginTimeout
	return config, nil
}

// SetParams implements operator.ParamServer.
func (s *Server) SetParams(ctx context.Context, values map[string]string) error {
	return s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			for _, key := range slices.Sorted(maps.Keys(values)) { // all writers use one order, so that they do not run into a deadlock
				text := param.JSON(param.Of("value", values[key]))
				if _, err := tx.Exec(ctx, sqlSetParam, key, text); err != nil {
					return fmt.Errorf("set %q: %w", key, err)
				}
			}
			return nil
		})
	})
}

// FindParams implements operator.ParamServer.
func (s *Server) FindParams(ctx context.Context, keys []string) (map[string]string, error) {
	values := map[string]string{}
	err := s.with(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, sqlFindParams, keys, int64(operator.ParamTTL.Seconds()))
		if err != nil {
			return err
		}
		var key, text string
		_, err = pgx.ForEachRow(rows, []any{&key, &text}, func() error {
			record, err := param.ParseMap(text)
			if err != nil {
				return fmt.Errorf("value of %q in PostgreSQL: %w", key, err)
			}
			if values[key], err = param.NewReader(record).String("value"); err != nil {
				return fmt.Errorf("value of %q in PostgreSQL: %w", key, err)
			}
			return nil
		})
		return err
	})
	return values, err
}

// with calls do with a connection to a database that has the table.
func (s *Server) with(ctx context.Context, do func(context.Context, *pgx.Conn) error) (err error) {
	within, cancel := context.WithTimeout(ctx, s.options.SocketTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(within, s.config.Copy())
	if err != nil {
		return fmt.Errorf("connect to %s: %w", s.options.where(), err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if err := s.makeTable(within, conn); err != nil {
		return fmt.Errorf("make the table params: %w", err)
	}
	return do(within, conn)
}

// makeTable makes the table if there is none. Callers that only use it need no right to make one.
func (s *Server) makeTable(ctx context.Context, conn *pgx.Conn) error {
	if s.hasTable.Load() {
		return nil
	}
	var found bool
	if err := conn.QueryRow(ctx, sqlHasTable).Scan(&found); err != nil {
		return err
	}
	if !found {
		if _, err := conn.Exec(ctx, sqlMakeTable); err != nil {
			// Another program may have made it at the same time.
			if again := conn.QueryRow(ctx, sqlHasTable).Scan(&found); again != nil || !found {
				return err
			}
		}
	}
	s.hasTable.Store(true)
	return nil
}
