package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// A store hears what another one notifies once the transaction is committed, also after its
// connection was lost. It does not hear itself.
func TestNotifications(t *testing.T) {
	t.Parallel()
	opts := pgtest.Options(t)
	one := open(t, opts)
	opts.Parameters = map[string]string{"application_name": opts.Schema}
	two := open(t, opts)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	heard, ended := make(chan string, 10), make(chan error, 1)
	go func() { ended <- two.Listen(ctx, func(topic string) { heard <- topic }) }()
	notify := func(db trowel.Store, failure error, topics ...string) {
		err := db.Update(t.Context(), func(tx trowel.Tx) error {
			for _, topic := range topics {
				if err := tx.Notify(t.Context(), topic); err != nil {
					return err
				}
			}
			return failure
		})
		if !errors.Is(err, failure) {
			t.Errorf("notify: %v", err)
		}
	}
	want := func(topics ...string) {
		t.Helper()
		var got []string
		for range topics {
			got = append(got, <-heard)
		}
		if diff := cmp.Diff(topics, got); diff != "" {
			t.Errorf("heard (-want +got):\n%s", diff)
		}
	}
	want("") // the connection is there
	notify(two, nil, "own")
	notify(one, errors.New("rolled back"), "never")
	notify(one, nil, "attempts", "schedules", "attempts")
	want("attempts", "schedules")
	if _, err := pgtest.Connect(t, opts).ExecContext(t.Context(), terminate, opts.Schema); err != nil {
		t.Fatal(err)
	}
	want("")
	notify(one, nil, "again")
	want("again")
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Listen = %v, want context canceled", err)
	}
	if len(heard) > 0 {
		t.Errorf("heard %q at the end, want nothing", <-heard)
	}
}
