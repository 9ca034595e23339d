package blob

import (
	"context"
	"errors"
	"fmt"
	"io"

	trowel "github.com/trowel-project/trowel"
)

// Store keeps bytes by key. A key is a text of 1 to 1024 bytes of UTF-8 with slashes between its parts.
// Writing is atomic: a reader sees a complete blob or an error. Methods may be called concurrently,
// but only one call may put a key at a time.
//
// A missing key is a trowel.ErrNotFound. If the store cannot be used now, that is a
// trowel.ErrUnavailable.
type Store interface {
	// Put stores the bytes of from, whose number must be size. It replaces a blob with that key.
	Put(ctx context.Context, key string, from io.Reader, size int64) error
	// Open returns a reader of length bytes from an offset. At the end of the blob there are fewer, and with a negative
	// length it reads to the end. The caller must close it.
	Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error)
	// Delete deletes a blob. It is no error if there is none.
	Delete(ctx context.Context, key string) error
	// List returns up to limit keys that begin with prefix and are larger than after, in the order of
	// their bytes.
	List(ctx context.Context, prefix, after string, limit int) ([]string, error)
	// SignedGet and SignedPut return a URL with which anybody can download or upload the blob for a while.
	// A store without such URLs returns errors.ErrUnsupported.
	SignedGet(ctx context.Context, key string) (string, error)
	SignedPut(ctx context.Context, key string) (string, error)
}

// Unsigned is embedded in Stores that have no signed URLs.
type Unsigned struct{}

// SignedGet implements Store.
func (Unsigned) SignedGet(context.Context, string) (string, error) { return "", errors.ErrUnsupported }

// SignedPut implements Store.
func (Unsigned) SignedPut(context.Context, string) (string, error) { return "", errors.ErrUnsupported }

// Unavailable returns the error of a Store that cannot be used now.
func Unavailable(doing, key string, err error) error {
	return fmt.Errorf("%s blob %q: %w: %w", doing, key, trowel.ErrUnavailable, err)
}

// NotFound returns the error about a missing key.
func NotFound(key string) error {
	return fmt.Errorf("blob %q: %w", key, trowel.ErrNotFound)
}

// WrongSize returns the error about a reader with more or fewer bytes than announced.
func WrongSize(key string, want int64) error {
	return fmt.Errorf("put blob %q: there are not %d bytes to read", key, want)
}
