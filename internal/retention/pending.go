package retention

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// The archive of a push is stored before its revision is, and a server may be killed in between. So a mark
// goes first, an empty blob in the database with instant, type and key in its own key; the transaction that
// stores the revision takes it away. A mark that is old is that of a push which never came to its end: the next
// pass puts the mark of an archive to be deleted in its place. Both sides take the mark in the same way, so that
// only one of them has it: a second part is inserted, which waits for the other's transaction, and then the first one
// must still be there.

// pendingPrefix begins the keys of these marks.
const pendingPrefix = "retention/pending/"

// pendingTime is how long a push may take to store archive and revision.
const pendingTime = time.Hour

// Database is what Begin and Drop need of a trowel.Store.
type Database interface {
	Update(ctx context.Context, f func(tx trowel.Tx) error) error
}

// Pending is an archive that is about to be stored, and since when. The instant is part of its name.
type Pending struct {
	Archive trowel.Archive // its type and key
	Since   time.Time
}

func (a *Pending) mark() string {
	return fmt.Sprintf("%s%016x/%s/%s", pendingPrefix, a.Since.UnixMicro(), a.Archive.Type, a.Archive.Key)
}

// Begin marks an archive before it is stored.
func (a *Pending) Begin(ctx context.Context, db Database) error {
	return db.Update(ctx, func(tx trowel.Tx) error {
		if err := tx.DeleteBlob(ctx, a.mark()); err != nil { // of this transaction, run before
			return err
		}
		return tx.InsertBlobPart(ctx, a.mark(), 0, []byte{})
	})
}

// Settle is part of the transaction that stores the revision. An archive that was given up is a
// trowel.ErrUnavailable.
func (a *Pending) Settle(ctx context.Context, tx trowel.Tx) error {
	taken, err := takeMark(ctx, tx, a.mark())
	if err == nil && !taken {
		err = &trowel.Error{Kind: trowel.ErrUnavailable, Message: "the push took longer than " + pendingTime.String(), Hint: "push again"}
	}
	return err
}

// Drop takes the mark of an archive away that was deleted.
func (a *Pending) Drop(ctx context.Context, db Database) error {
	return db.Update(ctx, func(tx trowel.Tx) error { return tx.DeleteBlob(ctx, a.mark()) })
}

// takeMark deletes a mark and reports whether it was there.
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

// pending gives up archives whose pushes never came to their end.
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

// giveUp marks an archive to be deleted.
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
