package retention

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// An archive must not be deleted before its revision, nor be left behind after it. So the transaction that deletes the
// revision writes a mark: an empty blob in the database whose key has the type and key of the archive. Then the archive
// is deleted, and then the mark. After a crash the next pass finds the mark.

// markPrefix begins the keys of marks.
const markPrefix = "retention/archive/"

// doom marks archives for deletion.
func doom(ctx context.Context, tx trowel.Tx, archives []trowel.Archive) error {
	for _, a := range archives {
		key := markPrefix + a.Type + "/" + a.Key
		if err := tx.DeleteBlob(ctx, key); err != nil { // a mark may exist already
			return err
		}
		if err := tx.InsertBlobPart(ctx, key, 0, []byte{}); err != nil {
			return err
		}
	}
	return nil
}

// archives deletes all marked archives.
func (p *pass) archives(ctx context.Context) error {
	if p.opts.DryRun {
		return nil
	}
	for after := ""; ; {
		var marks []string
		err := p.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
			marks, err = tx.ListBlobs(ctx, markPrefix, after, blobsAtOnce)
			return err
		})
		if err != nil {
			return err
		}
		for _, mark := range marks {
			after = mark
			if err := p.archive(ctx, mark); err != nil {
				return err
			}
		}
		if len(marks) < blobsAtOnce {
			return nil
		}
	}
}

// archive deletes one archive and its mark.
func (p *pass) archive(ctx context.Context, mark string) error {
	kind, key, _ := strings.Cut(strings.TrimPrefix(mark, markPrefix), "/")
	blobs := p.opts.Archives[kind]
	if blobs == nil {
		p.opts.Log.WarnContext(ctx, "archive of a deleted revision is in a store that is not configured", slog.String("type", kind), slog.String("key", key))
		return nil
	}
	if err := blobs.Delete(ctx, key); err != nil {
		return fmt.Errorf("delete archive %q: %w", key, err)
	}
	if err := p.update(ctx, func(tx trowel.Tx) error { return tx.DeleteBlob(ctx, mark) }); err != nil {
		return err
	}
	p.deleted(&p.result.Archives, "archive", 1)
	return nil
}
