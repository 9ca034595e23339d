package main

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// rawMoves measures the limit of the database for a flusher that batches: moves of tasks a second,
// where each updates two rows and a transaction has 512 of them.
func rawMoves(db *database) (rate float64, err error) {
	const rows, moves, transactions = 100_000, 512, 100
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, db.source)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	for _, statement := range []string{
		"CREATE TABLE public.raw (id bigint PRIMARY KEY, state smallint NOT NULL, version bigint NOT NULL)",
		"INSERT INTO public.raw SELECT i, 0, 0 FROM generate_series(1, 100000) i",
		"VACUUM ANALYZE public.raw",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return 0, err
		}
	}
	ids, next := make([]int64, 2*moves), 0
	begun := time.Now()
	for range transactions {
		for i := range ids {
			next = next%rows + 1
			ids[i] = int64(next)
		}
		// A single statement is a transaction.
		if _, err := conn.Exec(ctx, "UPDATE public.raw SET state = 1, version = version + 1 WHERE id = ANY($1)", ids); err != nil {
			return 0, err
		}
	}
	return moves * transactions / time.Since(begun).Seconds(), nil
}
