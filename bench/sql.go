package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// sqlBars are those of operators that run SQL.
func sqlBars() []bar {
	const where = "pg_stat_activity tells what sessions wait for; a profile of the program, where its time goes"
	return []bar{
		{name: "sql: download_file", measure: downloadResult, look: where},
		{name: "sql: pg> tasks", measure: queryTasks, look: where},
	}
}

const sqlPassword = "open sesame"

// queried is a database with a user who needs a password, without encryption.
type queried struct {
	port       int
	name, user string
}

func (b *bench) queried() (*queried, error) {
	db, err := b.postgresql()
	if err != nil {
		return nil, err
	}
	options := b.postgres.Options()
	q := &queried{port: options.Port, name: fmt.Sprintf("bench%d", b.databases), user: fmt.Sprintf("user%d", b.databases)}
	if err := b.postgres.AddUser(context.Background(), q.user, sqlPassword); err != nil {
		return nil, err
	}
	options.Database = q.name
	_ = db
	return q, execute(options, "ALTER DATABASE "+q.name+" OWNER TO "+q.user, "GRANT ALL ON SCHEMA public TO "+q.user)
}

// block is the block of parameters of tasks that query it.
func (q *queried) block() string {
	return fmt.Sprintf("_export:\n  pg: {host: 127.0.0.1, port: %d, user: %s, database: %s}\n", q.port, q.user, q.name)
}

// rowsOfResult are 2,000,000 rows of 100 bytes, with quotes and nulls.
const rowsOfResult = `CREATE TABLE result AS SELECT
  1000000000000 + i AS id,
  timestamp '2026-01-01 00:00:00.123456' + i * interval '1 second' AS at,
  CASE WHEN i % 10 <> 0 THEN (i * 1.01)::numeric(12,2) END AS amount,
  CASE WHEN i % 7 = 0 THEN NULL WHEN i % 5 = 0 THEN 'said "' || i || '", twice: ' || md5(i::text) ELSE md5(i::text) || ' ' || i || ' 0123456' END AS note
FROM generate_series(1, 2000000) AS i`

// downloadResult compares pg> with download_file to psql, which writes the same rows as CSV.
func downloadResult(b *bench) ([]result, error) {
	q, err := b.queried()
	if err != nil {
		return nil, err
	}
	options := b.postgres.Options()
	options.Database = q.name
	if err := execute(options, rowsOfResult, "ALTER TABLE result OWNER TO "+q.user, "VACUUM ANALYZE result"); err != nil {
		return nil, err
	}
	dir, err := b.project("download", "bench.properties", "secrets.pg.password = "+sqlPassword+"\n",
		"download.dig", q.block()+"+download:\n  pg>: {data: SELECT * FROM result}\n  download_file: ours.csv\n",
		"small.dig", q.block()+"+download:\n  pg>: {data: SELECT * FROM result LIMIT 1}\n  download_file: small.csv\n")
	if err != nil {
		return nil, err
	}
	small, err := median(5, func() (sample, error) { return b.trowel(dir, "run", "small.dig", "--rerun", "-c", "bench.properties") })
	if err != nil {
		return nil, err
	}
	psql, err := exec.LookPath("psql")
	if err != nil {
		return nil, err
	}
	address := fmt.Sprintf("postgresql://%s:%s@127.0.0.1:%d/%s?sslmode=disable", q.user, strings.ReplaceAll(sqlPassword, " ", "%20"), q.port, q.name)
	var theirs sample
	ours, err := median(5, func() (sample, error) {
		s, err := b.process(dir, psql, "-X", "-q", address, "-c", `\copy (SELECT * FROM result) to theirs.csv csv header`)
		if err != nil {
			return sample{}, err
		}
		if theirs.wall == 0 || s.wall < theirs.wall {
			theirs = s
		}
		return b.trowel(dir, "run", "download.dig", "--rerun", "-c", "bench.properties")
	})
	if err != nil {
		return nil, err
	}
	note := fmt.Sprintf("%.3g s, psql %.3g s", ours.wall.Seconds(), theirs.wall.Seconds())
	return []result{
		{name: "pg> with download_file: rate against psql's \\copy", got: theirs.wall.Seconds() / ours.wall.Seconds(), limit: 0.7, unit: "x", least: true, note: note},
		{name: "pg> with download_file: RSS more than for one row", got: ours.rssMB - small.rssMB, limit: 30, unit: "MB"},
	}, nil
}

// queryTasks is the rate of pg> tasks that each open a connection.
func queryTasks(b *bench) (results []result, err error) {
	const tasks = 2000
	q, err := b.queried()
	if err != nil {
		return nil, err
	}
	db, err := b.sqlite()
	if err != nil {
		return nil, err
	}
	s, err := b.serve(db, "agent.max-task-threads = 64")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	id, err := s.push("sql", "sql", "sql.dig", q.block()+"_parallel: true\n"+repeat(tasks, "+t%d: {pg>: {data: select 1}}\n"))
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.dir, "pushed-sql")
	if _, err := b.trowel(dir, "secrets", "--project", "sql", "-e", s.Endpoint(), "--set", "pg.password="+sqlPassword); err != nil {
		return nil, err
	}
	// An attempt that takes seconds is asked for its end now and then: each answer is work for the server, too.
	took, err := median(3, func() (sample, error) { return togetherAsking([]*server{s}, id, 1, 10*time.Millisecond) })
	if err != nil {
		return nil, err
	}
	return []result{{name: "2,000 pg> tasks, 64 slots, SCRAM", got: tasks / took.wall.Seconds(), limit: 300, unit: "tasks/s", least: true}}, nil
}
