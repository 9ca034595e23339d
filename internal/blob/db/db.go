package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/blob"
)

const (
	partBytes = 256 << 10
	// txParts is how many parts one transaction writes, so that other writers are not blocked during a large
	// blob.
	txParts = 4
	// undoTime is how long the removal of an unfinished blob may take.
	undoTime = 10 * time.Second
)

// Database has the methods of trowel.Store that a Store needs.
type Database interface {
	Update(ctx context.Context, f func(tx trowel.Tx) error) error
	View(ctx context.Context, f func(tx trowel.Tx) error) error
}

// Store keeps blobs in a database. It implements blob.Store.
//
// All parts of a blob are full except the last one, and an empty part ends it. A blob whose Put was not finished,
// because the process was killed, lacks that part. Such a blob cannot be read. List returns
// it, and Delete and another Put remove it.
type Store struct {
	blob.Unsigned

	database Database
}

// New returns the Store of a database.
func New(database Database) *Store { return &Store{database: database} }

// Put implements blob.Store.
func (s *Store) Put(ctx context.Context, key string, from io.Reader, size int64) error {
	err := s.put(ctx, key, from, size)
	if err == nil {
		return nil
	}
	undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	return errors.Join(fmt.Errorf("put blob %q: %w", key, err), s.Delete(undo, key))
}

func (s *Store) put(ctx context.Context, key string, from io.Reader, size int64) error {
	buffer := make([]byte, min(txParts*partBytes, size+1)) // one more byte, to check that there is none
	first, left := 0, size
	for {
		n, err := io.ReadFull(from, buffer)
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		if left -= int64(n); left < 0 || last && left > 0 {
			return blob.WrongSize(key, size)
		}
		parts := split(buffer[:n])
		if last {
			parts = append(parts, []byte{})
		}
		if err := s.insert(ctx, key, first, parts); err != nil {
			return err
		}
		first += len(parts)
		if last {
			return nil
		}
	}
}

func split(data []byte) (parts [][]byte) {
	for len(data) > 0 {
		n := min(partBytes, len(data))
		parts = append(parts, data[:n])
		data = data[n:]
	}
	return parts
}

// insert writes parts in one transaction. With the first part it deletes what was there.
func (s *Store) insert(ctx context.Context, key string, first int, parts [][]byte) error {
	return s.database.Update(ctx, func(tx trowel.Tx) error {
		if first == 0 {
			if err := tx.DeleteBlob(ctx, key); err != nil {
				return err
			}
		}
		for i, part := range parts {
			if err := tx.InsertBlobPart(ctx, key, first+i, part); err != nil {
				return err
			}
		}
		return nil
	})
}

// Open implements blob.Store. One part at a time is in memory.
func (s *Store) Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	r := &reader{ctx: ctx, store: s, key: key, part: int(offset / partBytes), left: length}
	if r.left < 0 {
		r.left = 1<<63 - 1
	}
	if err := r.next(); err != nil {
		return nil, err
	}
	r.data = r.data[min(offset%partBytes, int64(len(r.data))):]
	return r, nil
}

// reader reads a blob part by part.
type reader struct {
	ctx   context.Context //nolint:containedctx // the caller's context of Open
	store *Store
	key   string
	part  int    // number of the next part
	data  []byte // not yet read, of the part before it
	left  int64
	ended bool
}

// next fetches a part.
func (r *reader) next() error {
	err := r.store.database.View(r.ctx, func(tx trowel.Tx) error {
		data, err := tx.FindBlobPart(r.ctx, r.key, r.part)
		r.data = data
		return err
	})
	if err != nil {
		return fmt.Errorf("read blob %q: %w", r.key, err)
	}
	r.part++
	r.ended = len(r.data) == 0
	return nil
}

// Read implements io.Reader.
func (r *reader) Read(data []byte) (int, error) {
	for len(r.data) == 0 && !r.ended && r.left > 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(data[:min(int64(len(data)), r.left)], r.data)
	r.data = r.data[n:]
	r.left -= int64(n)
	if n == 0 && (r.ended || r.left == 0) {
		return 0, io.EOF
	}
	return n, nil
}

// Close implements io.Closer.
func (r *reader) Close() error {
	r.ended, r.data = true, nil
	return nil
}

// Delete implements blob.Store.
func (s *Store) Delete(ctx context.Context, key string) error {
	return s.database.Update(ctx, func(tx trowel.Tx) error { return tx.DeleteBlob(ctx, key) })
}

// List implements blob.Store.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	var keys []string
	err := s.database.View(ctx, func(tx trowel.Tx) error {
		var err error
		keys, err = tx.ListBlobs(ctx, prefix, after, limit)
		return err
	})
	return keys, err
}
