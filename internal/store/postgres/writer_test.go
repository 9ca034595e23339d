package postgres_test

import (
	"context"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store/storetest"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

func TestRaisedWriters(t *testing.T) {
	t.Parallel()
	opts := pgtest.Options(t)
	storetest.Raised(t, open(t, opts), func(statement string) {
		if _, err := pgtest.Connect(t, opts).ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	})
}

// A change of who may write waits for those who claim, and keeps others from it until it is committed. All servers hear
// of it then.
func TestRaiseWaitsForClaims(t *testing.T) {
	t.Parallel()
	opts := pgtest.Options(t)
	one, two, three := open(t, opts), open(t, opts), pgtest.Connect(t, opts)
	ctx, stop := context.WithCancel(t.Context())
	heard, ended := make(chan string, 10), make(chan struct{})
	go func() {
		defer close(ended)
		_ = one.Listen(ctx, func(topic string) { heard <- topic }) // until ctx ends
	}()
	defer func() { <-ended }()
	defer stop()
	<-heard // the connection is there
	share := func(db trowel.Store) (found trowel.Writers) {
		err := db.Update(t.Context(), func(tx trowel.Tx) (err error) {
			_, found, err = tx.ShareLimits(t.Context())
			return err
		})
		if err != nil {
			t.Error(err)
		}
		return found
	}
	share(two)
	raised := make(chan struct{})
	conn, err := three.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var pid int
	if err := conn.QueryRowContext(t.Context(), "SELECT pg_backend_pid()").Scan(&pid); err != nil {
		t.Fatal(err)
	}
	err = one.Update(t.Context(), func(tx trowel.Tx) error {
		_, _, err := tx.ShareLimits(t.Context())
		go func() {
			defer close(raised)
			if _, err := conn.ExecContext(t.Context(), "UPDATE writer SET lowest = 7, since = '0.7.0'"); err != nil {
				t.Error(err)
			}
		}()
		for waits := 0; waits == 0 && err == nil; {
			err = three.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_locks WHERE pid = $1 AND locktype = 'advisory' AND NOT granted", pid).Scan(&waits)
		}
		select {
		case <-raised:
			t.Error("who may write has changed while somebody claims")
		default:
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// This one waits for the change, however it stands with it.
	if got := share(two); got.Lowest != 7 {
		t.Errorf("who may write, after somebody waited to change it: %+v", got)
	}
	<-raised
	if got := <-heard; got != "writers" {
		t.Errorf("heard %q, want writers", got)
	}
}
