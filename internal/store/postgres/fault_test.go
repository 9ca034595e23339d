package postgres_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/store/postgres"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

func open(t *testing.T, opts postgres.Options) *store.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), opts, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

// put stores a value and get reads it. The effect of these transactions can be counted.
func put(ctx context.Context, db trowel.Store, key string) error {
	return db.Update(ctx, func(tx trowel.Tx) error {
		return tx.PutParamValues(ctx, []trowel.ParamValue{{Key: key, Value: "v", UpdatedAt: time.UnixMicro(1)}})
	})
}

func has(ctx context.Context, db trowel.Store, key string) (found bool, err error) {
	err = db.View(ctx, func(tx trowel.Tx) error {
		list, err := tx.ListParamValues(ctx, []string{key}, time.UnixMicro(0))
		found = len(list) > 0
		return err
	})
	return found, err
}

// terminate ends the server's side of all connections of a store.
const terminate = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = $1`

// A connection that the server ends in the middle of a transaction is reported as unavailable, and replaced.
func TestTerminatedConnections(t *testing.T) {
	t.Parallel()
	opts := pgtest.Options(t)
	opts.Parameters = map[string]string{"application_name": opts.Schema}
	db := open(t, opts)
	admin := pgtest.Connect(t, opts)
	kill := func() {
		if _, err := admin.ExecContext(t.Context(), terminate, opts.Schema); err != nil {
			t.Fatal(err)
		}
	}
	err := db.Update(t.Context(), func(tx trowel.Tx) error {
		if err := tx.PutParamValues(t.Context(), []trowel.ParamValue{{Key: "lost", UpdatedAt: time.UnixMicro(1)}}); err != nil {
			return err
		}
		kill()
		_, err := tx.ListAgents(t.Context())
		return err
	})
	if !errors.Is(err, trowel.ErrUnavailable) {
		t.Errorf("Update whose connection ends = %v, want unavailable", err)
	}
	err = db.Update(t.Context(), func(tx trowel.Tx) error {
		err := tx.PutParamValues(t.Context(), []trowel.ParamValue{{Key: "lost", UpdatedAt: time.UnixMicro(1)}})
		kill() // the commit meets a connection that is gone
		return err
	})
	if !errors.Is(err, trowel.ErrUnavailable) {
		t.Errorf("Update whose connection ends before the commit = %v, want unavailable", err)
	}
	if err := put(t.Context(), db, "next"); err != nil {
		t.Errorf("Update after lost connections: %v", err)
	}
	kill() // while idle in the pool
	if err := put(t.Context(), db, "after"); err != nil {
		t.Errorf("Update after an idle connection was lost: %v", err)
	}
	for key, want := range map[string]bool{"lost": false, "next": true, "after": true} {
		if got, err := has(t.Context(), db, key); err != nil || got != want {
			t.Errorf("value %q is stored: %v, %v, want %v", key, got, err, want)
		}
	}
}

// A restart of the server makes open transactions fail as unavailable. What was reported as committed is there
// afterwards, and the store works again without being reopened.
func TestRestart(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	opts := server.Options()
	opts.ConnectionTimeout = 5 * time.Second
	db := open(t, opts)
	var running sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var committed sync.Map
	var successes, failures atomic.Int64
	firstFailures := make(chan struct{}, 1)
	for i := range 4 {
		running.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				key := string(rune('a'+i)) + time.Duration(n).String()
				err := put(ctx, db, key)
				switch {
				case err == nil:
					committed.Store(key, true)
					successes.Add(1)
				case ctx.Err() != nil:
				case errors.Is(err, trowel.ErrUnavailable):
					if failures.Add(1) == 20 {
						firstFailures <- struct{}{}
					}
				default:
					t.Errorf("Update during a restart = %v, want unavailable", err)
				}
			}
		})
	}
	await := func(more int64) {
		for from := successes.Load(); successes.Load() < from+more && t.Context().Err() == nil; {
			if _, err := has(t.Context(), db, "a0s"); err != nil && !errors.Is(err, trowel.ErrUnavailable) {
				t.Fatalf("View during a restart = %v", err)
			}
		}
	}
	await(100)
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-firstFailures
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	await(100)
	stop()
	running.Wait()
	committed.Range(func(key, _ any) bool {
		name, _ := key.(string)
		if found, err := has(t.Context(), db, name); err != nil || !found {
			t.Errorf("value %q, whose commit was confirmed, is stored: %v, %v", name, found, err)
			return false
		}
		return true
	})
}

// Two transactions lock the same rows in opposite order. The one that loses runs again.
func TestDeadlock(t *testing.T) {
	t.Parallel()
	db := open(t, pgtest.Options(t))
	value := func(key string) []trowel.ParamValue {
		return []trowel.ParamValue{{Key: key, Value: "v", UpdatedAt: time.UnixMicro(1)}}
	}
	var runs atomic.Int64
	var both sync.WaitGroup // has begun, at the first run of each
	both.Add(2)
	var running sync.WaitGroup
	for _, keys := range [][2]string{{"a", "b"}, {"b", "a"}} {
		var once sync.Once
		running.Go(func() {
			err := db.Update(t.Context(), func(tx trowel.Tx) error {
				runs.Add(1)
				if err := tx.PutParamValues(t.Context(), value(keys[0])); err != nil {
					return err
				}
				once.Do(both.Done)
				both.Wait()
				return tx.PutParamValues(t.Context(), value(keys[1]))
			})
			if err != nil {
				t.Errorf("Update in a deadlock: %v", err)
			}
		})
	}
	running.Wait()
	if n := runs.Load(); n < 3 {
		t.Errorf("the functions ran %d times, want one to run again", n)
	}
}

// Transactions do not wait for each other, even when both reserve task ids.
func TestParallelWriters(t *testing.T) {
	t.Parallel()
	db := open(t, pgtest.Options(t))
	reserve := func(inside func(first trowel.TaskID) error) error {
		return db.Update(t.Context(), func(tx trowel.Tx) error {
			first, err := tx.ReserveTaskIDs(t.Context(), 5000)
			if err != nil {
				return err
			}
			return inside(first)
		})
	}
	err := reserve(func(outer trowel.TaskID) error {
		return reserve(func(inner trowel.TaskID) error {
			if inner < outer+5000 {
				t.Errorf("ids from %d reserved inside of one from %d", inner, outer)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A statement that waits too long for a lock is given up, together with its connection.
func TestTimeout(t *testing.T) {
	t.Parallel()
	opts := pgtest.Options(t)
	one := open(t, opts)
	opts.SocketTimeout = 2 * time.Second
	two := open(t, opts)
	err := one.Update(t.Context(), func(tx trowel.Tx) error {
		err := tx.PutParamValues(t.Context(), []trowel.ParamValue{{Key: "k", Value: "v", UpdatedAt: time.UnixMicro(1)}})
		if err != nil {
			return err
		}
		if err := put(t.Context(), two, "k"); !errors.Is(err, trowel.ErrUnavailable) {
			t.Errorf("Update of a locked row = %v, want unavailable", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := put(t.Context(), two, "k"); err != nil {
		t.Errorf("Update after the row is free: %v", err)
	}
}

// A transaction whose begin is sent with its first statement does not run again when that waits too long. The
// connection was not lost, and another one would wait as long.
func TestTimeoutOfFirstStatement(t *testing.T) {
	t.Parallel()
	opts := pgtest.Options(t)
	one := open(t, opts)
	opts.SocketTimeout = time.Second
	two := open(t, opts)
	known := two.Update(t.Context(), func(tx trowel.Tx) error { return tx.CheckLimitsVersion(t.Context(), 1) })
	if known != nil { // the first one also prepares its statements, and waits for that
		t.Fatal(known)
	}
	err := one.Update(t.Context(), func(tx trowel.Tx) error {
		if err := tx.LockLimits(t.Context()); err != nil {
			return err
		}
		runs := 0
		err := two.Update(t.Context(), func(tx trowel.Tx) error {
			if runs++; runs > 1 {
				return errors.New("run again")
			}
			return tx.CheckLimitsVersion(t.Context(), 1)
		})
		if runs != 1 || !errors.Is(err, trowel.ErrUnavailable) {
			t.Errorf("Update that waits for a lock, run %d times = %v, want unavailable after one", runs, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The contexts of many writers end at random moments of their transactions. No transaction stays open,
// and the next caller can use the store.
func TestCanceledCallersLeaveNoTransaction(t *testing.T) {
	t.Parallel()
	opts := pgtest.Options(t)
	opts.Parameters = map[string]string{"application_name": opts.Schema, "idle_in_transaction_session_timeout": "0"}
	opts.MaxConnections = 2
	db := open(t, opts)
	for i := range 60 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%50)*20*time.Microsecond)
		_ = put(ctx, db, "k")
		cancel()
		if err := put(t.Context(), db, "k"); err != nil {
			t.Fatalf("transaction after canceled one %d: %v", i, err)
		}
	}
	const count = `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND state LIKE 'idle in transaction%'`
	admin, left := pgtest.Connect(t, opts), 1
	for look := 0; left > 0 && look < 10_000; look++ { // the server takes a moment to see that a connection is closed
		if err := admin.QueryRowContext(t.Context(), count, opts.Schema).Scan(&left); err != nil {
			t.Fatal(err)
		}
	}
	if left > 0 {
		t.Errorf("%d open transactions are left", left)
	}
}
