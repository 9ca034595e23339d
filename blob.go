package trowel

import "context"

// BlobTx is the part of a transaction about blobs that are kept in the database, in parts.
type BlobTx interface {
	// InsertBlobPart stores one part of a blob. Parts count from 0.
	InsertBlobPart(ctx context.Context, key string, part int, data []byte) error
	// FindBlobPart returns one part of a blob; after the last one an ErrNotFound.
	FindBlobPart(ctx context.Context, key string, part int) ([]byte, error)
	// DeleteBlob deletes all parts; a blob that is not there is no error.
	DeleteBlob(ctx context.Context, key string) error
	// ListBlobs returns up to limit keys that begin with prefix and are larger than after, in their
	// order.
	ListBlobs(ctx context.Context, prefix, after string, limit int) ([]string, error)
}
