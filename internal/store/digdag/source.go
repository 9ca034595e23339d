package digdag

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store/postgres"
)

// lastMigration is the version of the only known schema, that of the last Digdag 0.10
// (server 6.2).
const lastMigration = "20221021035534"

const (
	sqlHasMigrations = `SELECT to_regclass('schema_migrations') IS NOT NULL AND to_regclass('session_attempts') IS NOT NULL`
	sqlLastMigration = `SELECT coalesce(max(name), ''), count(*) FILTER (WHERE name = '` + lastMigration + `') FROM schema_migrations`
)

// Source is a Digdag database that is read in one transaction. It is not for concurrent use.
type Source struct {
	pool  *sql.DB
	tx    *sql.Tx
	where string
}

// Open begins to read a database. An empty schema means "public". A schema that is not Digdag's,
// or of another version, is an ErrInvalid.
func Open(ctx context.Context, opts postgres.Options) (*Source, error) {
	if opts.Schema == "" {
		opts.Schema = "public"
	}
	opts.MaxConnections = 1
	parameters := map[string]string{
		"default_transaction_read_only": "on", "application_name": "trowel migrate from-digdag",
		// The target may take a long time between two rows.
		"statement_timeout": "0", "idle_in_transaction_session_timeout": "0",
		// Whole tables are read.
		"enable_seqscan": "on", "enable_hashjoin": "on", "enable_mergejoin": "on",
	}
	maps.Copy(parameters, opts.Parameters)
	opts.Parameters = parameters
	pool, err := postgres.Connect(opts)
	if err != nil {
		return nil, err
	}
	s := &Source{pool: pool, where: fmt.Sprintf("schema %q of %s", opts.Schema, opts.Where())}
	if err := s.begin(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("read Digdag's database, %s: %w", s.where, postgres.Classify(err)), s.Close())
	}
	return s, nil
}

func (s *Source) begin(ctx context.Context) (err error) {
	s.tx, err = s.pool.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	exists := false
	if err := s.tx.QueryRowContext(ctx, sqlHasMigrations).Scan(&exists); err != nil {
		return err
	}
	if !exists {
		return &trowel.Error{
			Kind: trowel.ErrInvalid, Message: "it has no tables of Digdag",
			Hint: "name the PostgreSQL database that Digdag's server used, and the schema if it is not \"public\"",
		}
	}
	var last string
	var known int
	if err := s.tx.QueryRowContext(ctx, sqlLastMigration).Scan(&last, &known); err != nil {
		return err
	}
	if last > lastMigration {
		return &trowel.Error{
			Kind: trowel.ErrInvalid, Message: fmt.Sprintf("its tables are of version %s; known is %s, that of Digdag 0.10", last, lastMigration),
			Hint: "use a newer version of this program",
		}
	}
	if known == 0 {
		return &trowel.Error{
			Kind: trowel.ErrInvalid, Message: fmt.Sprintf("its tables are of version %q; known is %s, that of Digdag 0.10", last, lastMigration),
			Hint: "start the last Digdag 0.10 once on it, which brings them up to date",
		}
	}
	return nil
}

// Where describes the database for people, without the password.
func (s *Source) Where() string { return s.where }

// Close ends the transaction and the connection.
func (s *Source) Close() error {
	if s.tx != nil {
		_ = s.tx.Rollback() // nothing was written, whatever the error
	}
	return s.pool.Close()
}

// rows calls each for every row of a query.
func (s *Source) rows(ctx context.Context, query string, args []any, each func(scan func(...any) error) error) error {
	rows, err := s.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return postgres.Classify(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return postgres.Classify(err)
	}
	return nil
}

// number reads a single number.
func (s *Source) number(ctx context.Context, query string, args ...any) (n int64, err error) {
	err = s.rows(ctx, query, args, func(scan func(...any) error) error { return scan(&n) })
	return n, err
}
