package main

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/trowel-project/trowel/chaos/wire"
)

// wireToDatabase makes a wire to PostgreSQL.
func (a *arena) wireToDatabase(ctx context.Context) (*wire.Wire, error) {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(a.database.server.Options().Port))
	return wire.New(ctx, func() (string, error) { return address, nil })
}

// cuttingNetwork cuts one of two servers off from the database for longer than its lease, again and
// again. Its tasks run on the other server, and its own later reports about them are refused.
func cuttingNetwork(ctx context.Context, a *arena) (int, error) {
	troubles := max(a.kills/20, 2)
	for n := range troubles {
		if err := a.steady(ctx, 2*time.Second); err != nil {
			return n, err
		}
		a.wire.Hold(wire.Forth, wire.Back)
		err := a.steady(ctx, time.Second+time.Duration(a.rand.Int64N(int64(6*time.Second))))
		a.wire.Mend()
		if err != nil {
			return n, err
		}
	}
	return troubles, a.steady(ctx, 2*time.Second)
}
