package retention_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	blobdb "github.com/trowel-project/trowel/internal/blob/db"
	"github.com/trowel-project/trowel/internal/retention"
)

// The archive of a push that was cut off goes with a later pass, and one that is under way stays, whatever
// a pass on another server does meanwhile.
func TestPending(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		passAfter    time.Duration // between the beginning of the push and the pass
		confirm      bool          // before the pass
		dry          bool
		stays, lasts bool // the archive; a push that goes on after the pass
	}{
		{name: "cut off long ago", passAfter: 2 * time.Hour},
		{name: "a dry pass", passAfter: 2 * time.Hour, dry: true, stays: true, lasts: true},
		{name: "under way", passAfter: time.Minute, stays: true, lasts: true},
		{name: "a server whose clock is behind", passAfter: -time.Minute, stays: true, lasts: true},
		{name: "done long ago", passAfter: 2 * time.Hour, confirm: true, stays: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			db := openSQLite(t)
			blobs := blobdb.New(db)
			push := retention.Pending{Archive: trowel.Archive{Type: "db", Key: "0/p/r.x.tar.gz"}, Since: now}
			if err := push.Begin(t.Context(), db); err != nil {
				t.Fatal(err)
			}
			if err := blobs.Put(t.Context(), push.Archive.Key, strings.NewReader("files"), 5); err != nil {
				t.Fatal(err)
			}
			confirm := func() error {
				return db.Update(t.Context(), func(tx trowel.Tx) error { return push.Confirm(t.Context(), tx) })
			}
			if c.confirm {
				if err := confirm(); err != nil {
					t.Fatal(err)
				}
			}
			result, err := retention.Clean(t.Context(), retention.Options{
				Store: db, Now: func() time.Time { return now.Add(c.passAfter) }, Log: slog.New(slog.DiscardHandler),
				Archives: map[string]retention.Blobs{"db": blobs}, DryRun: c.dry,
			})
			if err != nil {
				t.Fatal(err)
			}
			if deleted := !c.stays || c.dry; (result.Archives == 1) != deleted {
				t.Errorf("Clean = %+v, want an archive: %v", result, deleted)
			}
			file, err := blobs.Open(context.WithoutCancel(t.Context()), push.Archive.Key, 0, -1)
			if err == nil {
				_ = file.Close()
			}
			if (err == nil) != c.stays {
				t.Errorf("the archive after the pass: %v, want it to stay: %v", err, c.stays)
			}
			if err := confirm(); (err == nil) != c.lasts || err != nil && !errors.Is(err, trowel.ErrUnavailable) {
				t.Errorf("a push that goes on = %v, want it to succeed: %v", err, c.lasts)
			}
			left, err := blobs.List(t.Context(), "retention/", "", 10)
			if err != nil || len(left) != 0 {
				t.Errorf("marks are left: %v, %v", left, err)
			}
		})
	}
}
