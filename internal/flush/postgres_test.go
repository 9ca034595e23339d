package flush_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
	"github.com/trowel-project/trowel/internal/trowtest"
)

var onPostgres = flag.Bool("flush.postgres", false, "tests and benchmarks of the flusher run on PostgreSQL, not on SQLite in memory")

// openStore opens an empty store.
func openStore(tb testing.TB) trowel.Store {
	tb.Helper()
	if *onPostgres {
		return pgtest.Open(tb)
	}
	return trowtest.Store(tb)
}

// TestFaultsOnPostgres runs a few of the rounds of TestFaults on PostgreSQL, whose sockets do not go
// into a bubble: retries take the time that they take.
func TestFaultsOnPostgres(t *testing.T) {
	t.Parallel()
	for number := uint64(1); number <= 4; number++ {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			t.Parallel()
			if err := newFaultRound(t, number).runOn(t, pgtest.Open(t)); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestDeathsOnPostgres has three servers at a time on PostgreSQL, which die: their transactions meet.
func TestDeathsOnPostgres(t *testing.T) {
	t.Parallel()
	for number := uint64(1); number <= 3; number++ {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			t.Parallel()
			d := newDeathRound(t, number)
			d.sole, d.calm, d.lease, d.poll = false, true, time.Second, 200*time.Millisecond
			if err := d.runOn(t, pgtest.Open(t), 3, false); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestLostOnceOnPostgres has several servers find the same agents lost at the same time: the audit says it once
// of each.
func TestLostOnceOnPostgres(t *testing.T) {
	t.Parallel()
	const agents, servers = 20, 4
	store := pgtest.Open(t)
	for n := range agents {
		trowtest.PutAgent(t, store, fmt.Sprintf("dead %d", n), -time.Second)
	}
	for n := range servers {
		serve(t, store, fmt.Sprintf("living %d", n), false)
	}
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for there := agents; there > 0; <-look.C {
		trowtest.View(t, store, func(tx trowel.Tx) error {
			rows, err := tx.ListAgents(t.Context())
			there = len(rows)
			return err
		})
	}
	trowtest.View(t, store, func(tx trowel.Tx) error {
		records, err := tx.ListRecords(t.Context(), trowel.RecordFilter{Action: trowel.ActionAgentLost, Limit: 2 * agents})
		of := map[string]bool{}
		for _, r := range records {
			of[r.ObjectID] = true
		}
		if len(records) != agents || len(of) != agents {
			t.Errorf("%d records of %d agents, want one of each of %d", len(records), len(of), agents)
		}
		return err
	})
}
