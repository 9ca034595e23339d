package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	_ "modernc.org/sqlite" // driver "sqlite"

	"github.com/trowel-project/trowel/internal/store/postgres"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// database is an empty one for servers.
type database struct {
	name     string
	settings string // of servers that use it
	driver   string // for bench to look into it
	source   string
}

// sqlite makes a database in a file.
func (b *bench) sqlite() (*database, error) {
	b.databases++
	dir := filepath.Join(b.dir, fmt.Sprintf("sqlite%d", b.databases))
	source := url.URL{Scheme: "file", Opaque: url.PathEscape(filepath.Join(dir, "trowel.db")), RawQuery: "mode=ro&_pragma=busy_timeout(10000)"}
	return &database{
		name: "SQLite", settings: "database.type = sqlite\ndatabase.path = " + filepath.ToSlash(dir) + "\n",
		driver: "sqlite", source: source.String(),
	}, nil
}

// postgresql makes a database on a PostgreSQL that waits for the disk with each commit, as it does
// unless told otherwise.
func (b *bench) postgresql() (*database, error) {
	if b.postgres == nil {
		cluster, err := pgtest.NewDurable(context.Background())
		if err != nil {
			return nil, err
		}
		b.postgres = cluster
	}
	return b.postgresqlOn(b.postgres.Options().Port)
}

// postgresqlOn makes a database that servers reach on a port of this machine: that of the PostgreSQL which runs, or of
// a relay in front of it.
func (b *bench) postgresqlOn(port int) (*database, error) {
	b.databases++
	name := fmt.Sprintf("bench%d", b.databases)
	if err := execute(b.postgres.Options(), "CREATE DATABASE "+name); err != nil {
		return nil, err
	}
	opts := b.postgres.Options()
	opts.Database = name
	return &database{
		name: "PostgreSQL",
		settings: fmt.Sprintf("database.type = postgresql\ndatabase.host = %s\ndatabase.port = %d\ndatabase.user = %s\ndatabase.database = %s\n",
			opts.Host, port, opts.User, opts.Database),
		driver: "pgx", source: sourceOf(opts),
	}, nil
}

func sourceOf(o postgres.Options) string {
	return fmt.Sprintf("postgresql://%s@%s:%d/%s?sslmode=disable&search_path=trowel,public", o.User, o.Host, o.Port, o.Database)
}

// execute runs statements, each in a transaction of its own.
func execute(opts postgres.Options, statements ...string) (err error) {
	db, err := sql.Open("pgx", sourceOf(opts))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// bothDatabases measures the same on a SQLite file and on PostgreSQL.
func (b *bench) bothDatabases(measure func(*bench, *database) ([]result, error)) ([]result, error) {
	var all []result
	for _, open := range []func() (*database, error){b.sqlite, b.postgresql} {
		db, err := open()
		if err != nil {
			return nil, err
		}
		results, err := measure(b, db)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", db.name, err)
		}
		all = append(all, results...)
	}
	return all, nil
}

// count is the answer to a query for one number.
func (d *database) count(query string) (n int64, err error) {
	rows, err := sql.Open(d.driver, d.source)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return n, rows.QueryRow(query).Scan(&n)
}
