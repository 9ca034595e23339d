package retention

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// The archive of a push is stored before its revision, and a server may be killed in between. So a mark is written
// first: an empty blob in the database whose key has instant, type and key. The transaction that stores the revision
// removes it. An old mark belongs to a push that never finished; the next pass replaces it by a mark that dooms the
// archive. Both sides take the mark in the same way, so that only one of them gets it: they insert a second part, which
// waits for the other's transaction, and then check that the first part still exists.

// pendingPrefix begins the keys of these marks.
const pendingPrefix = "retention/pending/"

// pendingTime is how long a push may take to store its archive and revision.
const pendingTime = time.Hour

// Database is the part of a trowel.Store that Begin and Drop need.
type Database interface {
	Update(ctx context.Context, f func(tx trowel.Tx) error) error
}

// Pending is an archive that is about to be stored. The instant is part of its mark.
type Pending struct {
	Archive trowel.Archive // only type and key
	Since   time.Time
}

func (a *Pending) mark() string {
	return fmt.Sprintf("%s%016x/%s/%s", pendingPrefix, a.Since.UnixMicro(), a.Archive.Type, a.Archive.Key)
}

// Begin writes the mark of an archive before the archive is stored.
func (a *Pending) Begin(ctx context.Context, db Database) error {
	return db.Update(ctx, func(tx trowel.Tx) error {
		if err := tx.DeleteBlob(ctx, a.mark()); err != nil { // left by an earlier run of this function
			return err
		}
		return tx.InsertBlobPart(ctx, a.mark(), 0, []byte{})
	})
}

// Confirm removes the mark in the transaction that stores the revision. If a pass has given the archive up, the error is
// a trowel.ErrUnavailable.
func (a *Pending) Confirm(ctx context.Context, tx trowel.Tx) error {
	taken, err := takeMark(ctx, tx, a.mark())
	if err == nil && !taken {
		err = &trowel.Error{Kind: trowel.ErrUnavailable, Message: "the push took longer than " + pendingTime.String(), Hint: "push again"}
	}
	return err
}

// Drop removes the mark of a deleted archive.
func (a *Pending) Drop(ctx context.Context, db Database) error {
	return db.Update(ctx, func(tx trowel.Tx) error { return tx.DeleteBlob(ctx, a.mark()) })
}

// takeMark deletes a mark and reports whether it existed.
func takeMark(ctx context.Context, tx trowel.Tx, mark string) (bool, error) {
	if err := tx.InsertBlobPart(ctx, mark, 1, []byte{}); err != nil {
		return false, err
	}
	_, err := tx.FindBlobPart(ctx, mark, 0)
	missing := errors.Is(err, trowel.ErrNotFound)
	if err != nil && !missing {
		return false, err
	}
	return !missing, tx.DeleteBlob(ctx, mark)
}

// pending gives up the archives of pushes that never finished.
func (p *pass) pending(ctx context.Context) error {
	old := fmt.Sprintf("%s%016x/", pendingPrefix, p.now.Add(-pendingTime).UnixMicro())
	for after := ""; ; {
		var marks []string
		err := p.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
			marks, err = tx.ListBlobs(ctx, pendingPrefix, after, blobsAtOnce)
			return err
		})
		if err != nil {
			return err
		}
		for _, mark := range marks {
			if after = mark; mark >= old {
				return nil
			}
			if err := p.giveUp(ctx, mark); err != nil {
				return err
			}
		}
		if len(marks) < blobsAtOnce {
			return nil
		}
	}
}

// giveUp marks an archive for deletion.
func (p *pass) giveUp(ctx context.Context, mark string) error {
	_, rest, _ := strings.Cut(strings.TrimPrefix(mark, pendingPrefix), "/")
	kind, key, _ := strings.Cut(rest, "/")
	if p.opts.DryRun {
		p.deleted(&p.result.Archives, "archive", 1)
		return nil
	}
	return p.update(ctx, func(tx trowel.Tx) error {
		taken, err := takeMark(ctx, tx, mark)
		if err != nil || !taken {
			return err
		}
		return doom(ctx, tx, []trowel.Archive{{Type: kind, Key: key}})
	})
}
