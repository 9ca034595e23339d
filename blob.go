package trowel

import "context"

// BlobTx is the part of a transaction about blobs that the database keeps, in parts.
type BlobTx interface {
	// InsertBlobPart stores one part of a blob. Parts are numbered from 0.
	InsertBlobPart(ctx context.Context, key string, part int, data []byte) error
	// FindBlobPart returns one part of a blob. After the last part there is an ErrNotFound.
	FindBlobPart(ctx context.Context, key string, part int) ([]byte, error)
	// DeleteBlob deletes all parts of a blob. It is no error if there are none.
	DeleteBlob(ctx context.Context, key string) error
	// ListBlobs returns up to limit keys that begin with prefix and are larger than after, in ascending
	// order.
	ListBlobs(ctx context.Context, prefix, after string, limit int) ([]string, error)
}
