package store

import (
	"context"
	"fmt"
)

const (
	sqlInsertBlobPart = `INSERT INTO blob_part (key, part, data) VALUES ($1, $2, $3)`
	sqlFindBlobPart   = `SELECT data FROM blob_part WHERE key = $1 AND part = $2`
	sqlDeleteBlob     = `DELETE FROM blob_part WHERE key = $1`
	sqlListBlobs      = `SELECT key FROM blob_part WHERE key >= $1 AND key > $2 AND key < $3 AND part = 0 ORDER BY key LIMIT $4`
)

func (t *tx) InsertBlobPart(ctx context.Context, key string, part int, data []byte) error {
	if data == nil {
		data = []byte{} // an empty part is not NULL
	}
	if _, err := t.exec(ctx, sqlInsertBlobPart, key, part, data); err != nil {
		return fmt.Errorf("insert part %d of blob %q: %w", part, key, err)
	}
	return nil
}

func (t *tx) FindBlobPart(ctx context.Context, key string, part int) ([]byte, error) {
	var data []byte
	if err := t.row(ctx, sqlFindBlobPart, []any{key, part}, &data); err != nil {
		return nil, fmt.Errorf("find part %d of blob %q: %w", part, key, err)
	}
	return data, nil
}

func (t *tx) DeleteBlob(ctx context.Context, key string) error {
	if _, err := t.exec(ctx, sqlDeleteBlob, key); err != nil {
		return fmt.Errorf("delete blob %q: %w", key, err)
	}
	return nil
}

// lastRune is larger than any character of a key.
const lastRune = "\U0010ffff"

func (t *tx) ListBlobs(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	var keys []string
	err := t.rows(ctx, sqlListBlobs, []any{prefix, after, prefix + lastRune, limit}, func(scan func(...any) error) error {
		var key string
		err := scan(&key)
		keys = append(keys, key)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list blobs %q: %w", prefix, err)
	}
	return keys, nil
}
