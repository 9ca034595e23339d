package main

import (
	"context"
	"errors"
	"time"
)

// storming makes all kinds of trouble for two servers and PostgreSQL, one on top of the other.
func storming(ctx context.Context, a *arena) (int, error) {
	for n := range a.kills {
		s := a.servers[a.rand.IntN(len(a.servers))]
		if err := a.live(ctx, s, time.Duration(a.rand.Int64N(int64(800*time.Millisecond)))); err != nil {
			return n, err
		}
		if err := a.strike(ctx, s); err != nil {
			return n, err
		}
	}
	return a.kills, nil
}

// strike makes one kind of trouble. A server that starts while the database is away rightly ends with an error,
// so strike waits for the database.
func (a *arena) strike(ctx context.Context, s *server) error {
	kind := a.rand.IntN(20)
	if kind < 8 {
		if err := a.startAll(ctx); err != nil {
			return err
		}
	}
	switch {
	case kind == 0:
		return a.blink(ctx)
	case kind == 1:
		return a.hold(ctx, s)
	case kind < 6:
		return a.database.cutConnections(ctx)
	case kind < 8:
		return errors.Join(a.shutDown(ctx, s), s.start(ctx))
	default:
		return errors.Join(s.kill(), s.start(ctx))
	}
}

// blink stops PostgreSQL for a moment, and kills one of the servers meanwhile.
func (a *arena) blink(ctx context.Context) error {
	if err := a.database.server.Stop(ctx); err != nil {
		return err
	}
	sleep(ctx, time.Duration(a.rand.Int64N(int64(2*time.Second))))
	s := a.servers[a.rand.IntN(len(a.servers))]
	return errors.Join(s.kill(), a.database.server.Start(ctx), s.start(ctx))
}
