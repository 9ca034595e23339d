package blob

import (
	"context"
	"errors"
	"fmt"
	"io"

	trowel "github.com/trowel-project/trowel"
)

// Store keeps bytes by key. A key is a text of 1 to 1024 bytes of UTF-8 with slashes between its parts.
// Blobs are made whole: a reader sees all of one or an error. Methods may be called concurrently,
// but only one call may put a key at a time.
//
// A key that is not there is a trowel.ErrNotFound; a store that cannot be used now is a
// trowel.ErrUnavailable.
type Store interface {
	// Put stores what from has, which must be size bytes. A blob of that key is replaced.
	Put(ctx context.Context, key string, from io.Reader, size int64) error
	// Open returns a reader of length bytes from an offset on, of fewer at the end of the blob, and of
	// all to the end if length is negative. It is to be closed.
	Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error)
	// Delete deletes a blob; one that is not there is no error.
	Delete(ctx context.Context, key string) error
	// List returns up to limit keys that begin with prefix and are larger than after, in the order of
	// their bytes.
	List(ctx context.Context, prefix, after string, limit int) ([]string, error)
	// SignedGet and SignedPut return a URL with which anybody can fetch or upload the blob for a while.
	// A store that has none returns errors.ErrUnsupported.
	SignedGet(ctx context.Context, key string) (string, error)
	SignedPut(ctx context.Context, key string) (string, error)
}

// Unsigned is a part of Stores that have no signed URLs.
type Unsigned struct{}

// SignedGet implements Store.
func (Unsigned) SignedGet(context.Context, string) (string, error) { return "", errors.ErrUnsupported }

// SignedPut implements Store.
func (Unsigned) SignedPut(context.Context, string) (string, error) { return "", errors.ErrUnsupported }

// Unavailable is the error of a Store that cannot do something with a key now.
func Unavailable(doing, key string, err error) error {
	return fmt.Errorf("%s blob %q: %w: %w", doing, key, trowel.ErrUnavailable, err)
}

// NotFound is the error about a key that is not there.
func NotFound(key string) error {
	return fmt.Errorf("blob %q: %w", key, trowel.ErrNotFound)
}

// WrongSize is the error about a reader that had more or fewer bytes than was said.
func WrongSize(key string, want int64) error {
	return fmt.Errorf("put blob %q: there are not %d bytes to read", key, want)
}
