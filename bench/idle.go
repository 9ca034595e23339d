package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"
)

// How long an idle server is measured, and how long it may settle down before.
const (
	settling = 15 * time.Second
	idling   = 60 * time.Second
)

// idleServer measures the cost of a server that has nothing to do any more.
func idleServer(b *bench) (results []result, err error) {
	db, err := b.postgresql()
	if err != nil {
		return nil, err
	}
	s, err := b.serve(db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	id, err := s.push("hello", "hello", "hello.dig", "schedule:\n  monthly>: 1,00:00:00\n\n+hello:\n  echo>: hello\n")
	if err == nil {
		_, err = s.atOnce(id, 10)
	}
	if err != nil {
		return nil, err
	}
	<-time.After(settling)
	busy, err := s.usage()
	if err != nil {
		return nil, err
	}
	asked, err := b.statements(idling)
	if err != nil {
		return nil, err
	}
	idle, err := s.usage()
	if err != nil {
		return nil, err
	}
	return []result{
		{name: "idle server: RSS", got: idle.rssMB, limit: 60, unit: "MB"},
		{name: "idle server: part of a core", got: 100 * (idle.cpu - busy.cpu).Seconds() / idling.Seconds(), limit: 0.2, unit: "%"},
		{
			name: "idle server: queries a second", got: asked.queries, limit: 1, unit: "1/s",
			note: fmt.Sprintf("%.4g/s more begin and end transactions", asked.control),
		},
	}, nil
}

// statements are the numbers of statements a second: queries, and those that begin and end transactions.
type statements struct{ queries, control float64 }

// statements counts statements for some time, in the log of PostgreSQL, which gets each text meanwhile.
func (b *bench) statements(length time.Duration) (n statements, err error) {
	if err := execute(b.postgres.Options(), "ALTER SYSTEM SET log_statement = 'all'", "SELECT pg_reload_conf()"); err != nil {
		return n, err
	}
	defer func() {
		err = errors.Join(err, execute(b.postgres.Options(), "ALTER SYSTEM RESET log_statement", "SELECT pg_reload_conf()"))
	}()
	<-time.After(time.Second) // all processes of the database have read it
	before, err := os.Stat(b.postgres.LogFile())
	if err != nil {
		return n, err
	}
	<-time.After(length)
	log, err := os.ReadFile(b.postgres.LogFile())
	if err != nil {
		return n, err
	}
	count := func(text string) float64 {
		return float64(bytes.Count(log[before.Size():], []byte(text))) / length.Seconds()
	}
	n.control = count("LOG:  statement: BEGIN") + count("LOG:  statement: COMMIT") + count("LOG:  statement: ROLLBACK")
	n.queries = count("LOG:  statement: ") + count("LOG:  execute ") - n.control
	return n, nil
}
