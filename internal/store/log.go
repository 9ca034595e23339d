package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlListLogFiles = `SELECT file, sum(data_bytes), sum(text_bytes), sum(line_count), count(*), min(blob_key), max(blob_key), count(blob_key),
min(blob_offset) FROM log_chunk WHERE attempt_id = $1 AND file >= $2 AND file < $3 GROUP BY file ORDER BY file`
	sqlListOwnBlobs = `SELECT blob_key FROM log_chunk WHERE attempt_id = $1 AND blob_key IS NOT NULL GROUP BY blob_key
HAVING min(file) = max(file)`
	chunkNumbers  = `seq, first_line, line_count, text_offset, text_bytes, data_bytes, error_at`
	sqlListChunks = `SELECT ` + chunkNumbers + `, CASE WHEN $5 THEN data END, blob_key, blob_offset
FROM log_chunk WHERE attempt_id = $1 AND file = $2 AND seq >= $3 ORDER BY seq LIMIT $4`
	sqlFindErrorChunk = `SELECT ` + chunkNumbers + `, NULL, blob_key, blob_offset
FROM log_chunk WHERE attempt_id = $1 AND file = $2 AND seq < $3 AND coalesce(error_at, 0) >= 0 ORDER BY seq DESC LIMIT 1`
	sqlListUnpacked = `SELECT DISTINCT c.attempt_id FROM log_chunk c JOIN attempt a ON a.id = c.attempt_id
WHERE c.data IS NOT NULL AND a.finished_at IS NOT NULL ORDER BY c.attempt_id LIMIT $1`
	sqlListMarkedSQLite = `SELECT u.attempt_id FROM log_unpacked u JOIN attempt a ON a.id = u.attempt_id
WHERE a.finished_at IS NOT NULL ORDER BY u.attempt_id LIMIT $1`
	sqlUnmarkPackedSQLite = `DELETE FROM log_unpacked WHERE attempt_id = $1
AND NOT EXISTS (SELECT 1 FROM log_chunk c WHERE c.attempt_id = $1 AND c.data IS NOT NULL)`
	sqlMoveChunk    = `UPDATE log_chunk SET data = NULL, blob_key = $4, blob_offset = $5 WHERE attempt_id = $1 AND file = $2 AND seq = $3`
	sqlListLogBlobs = `SELECT DISTINCT blob_key FROM log_chunk WHERE attempt_id = $1 AND blob_key IS NOT NULL ORDER BY blob_key`
	sqlDeleteLogs   = `DELETE FROM log_chunk WHERE attempt_id = $1`
)

const chunkColumns = `attempt_id BIGINT, file TEXT, seq INTEGER, first_line BIGINT, line_count BIGINT, text_offset BIGINT, text_bytes BIGINT,
data_bytes BIGINT, data BYTEA, error_at INTEGER`

// nearby is how many attempts back an equal one is looked for before all are sorted.
const nearby = 16

func (t *tx) InsertLogChunks(ctx context.Context, chunks []trowel.LogChunk) error {
	return t.insertChunks(ctx, bulk{table: "log_chunk", columns: chunkColumns, unique: "attempt_id, file, seq"}, chunks)
}

// InsertNewLogChunks leaves the keys to the table: PostgreSQL looks twice for each row that may be ignored, and writes it in
// two steps.
func (t *tx) InsertNewLogChunks(ctx context.Context, chunks []trowel.LogChunk) error {
	return t.insertChunks(ctx, bulk{table: "log_chunk", columns: chunkColumns}, chunks)
}

func (t *tx) insertChunks(ctx context.Context, insert bulk, chunks []trowel.LogChunk) error {
	err := t.attemptsExist(ctx, len(chunks), func(i int) trowel.AttemptID { return chunks[i].AttemptID })
	if err != nil {
		return fmt.Errorf("insert %d pieces of output: %w", len(chunks), err)
	}
	err = t.bulk(ctx, insert, len(chunks), func(v *values, i int) {
		c := &chunks[i]
		v.number(int64(c.AttemptID))
		v.name(c.File)
		v.number(int64(c.Seq))
		v.number(c.FirstLine)
		v.number(c.Lines)
		v.number(c.Offset)
		v.number(c.TextBytes)
		v.number(c.DataBytes)
		v.bytes(c.Data)
		if c.Searched {
			v.number(c.ErrorAt)
		} else {
			v.null()
		}
	})
	if err == nil && t.dialect.MarksLogs {
		err = t.markLogs(ctx, chunks)
	}
	if err != nil {
		return fmt.Errorf("insert %d pieces of output: %w", len(chunks), err)
	}
	return nil
}

// markLogs notes which attempts have output that is in no blob yet. On SQLite an index over all pieces with data
// would be a third of the cost of a piece.
func (t *tx) markLogs(ctx context.Context, chunks []trowel.LogChunk) error {
	attempts := attemptsOf(chunks)
	mark := bulk{table: "log_unpacked", columns: "attempt_id BIGINT", unique: "attempt_id"}
	return t.bulk(ctx, mark, len(attempts), func(v *values, i int) { v.number(int64(attempts[i])) })
}

func attemptsOf(chunks []trowel.LogChunk) []trowel.AttemptID {
	var attempts []trowel.AttemptID
	for i := range chunks {
		if id := chunks[i].AttemptID; !slices.Contains(attempts[max(0, len(attempts)-nearby):], id) {
			attempts = append(attempts, id)
		}
	}
	slices.Sort(attempts)
	return slices.Compact(attempts)
}

func (t *tx) ListLogFiles(ctx context.Context, attempt trowel.AttemptID, prefix string) ([]trowel.LogFile, error) {
	var list []trowel.LogFile
	packed := false
	err := t.rows(ctx, sqlListLogFiles, []any{attempt, prefix, afterPrefix(prefix)}, func(scan func(...any) error) error {
		var f trowel.LogFile
		var low, high sql.NullString
		var offset sql.NullInt64
		var inBlobs int
		err := scan(&f.Name, &f.DataBytes, &f.TextBytes, &f.Lines, &f.Chunks, &low, &high, &inBlobs, &offset)
		if inBlobs == f.Chunks && low.String == high.String && offset.Int64 == 0 {
			f.BlobKey = low.String
			packed = true
		}
		list = append(list, f)
		return err
	})
	if err == nil && packed {
		err = t.keepOwnBlobs(ctx, attempt, list)
	}
	if err != nil {
		return nil, fmt.Errorf("list output of attempt %d: %w", attempt, err)
	}
	return list, nil
}

// afterPrefix returns a text that is larger than all names that begin with a prefix, and smaller than those behind them.
func afterPrefix(prefix string) string { return prefix + "\U0010FFFF" }

// keepOwnBlobs removes the keys of blobs that several files are in.
func (t *tx) keepOwnBlobs(ctx context.Context, attempt trowel.AttemptID, list []trowel.LogFile) error {
	own := map[string]bool{}
	err := t.rows(ctx, sqlListOwnBlobs, []any{attempt}, func(scan func(...any) error) error {
		var key string
		err := scan(&key)
		own[key] = true
		return err
	})
	for i := range list {
		if !own[list[i].BlobKey] {
			list[i].BlobKey = ""
		}
	}
	return err
}

func (t *tx) ListLogChunks(ctx context.Context, attempt trowel.AttemptID, file string, seq, limit int, withData bool) ([]trowel.LogChunk, error) {
	list, err := t.chunks(ctx, attempt, file, sqlListChunks, attempt, file, seq, limit, withData)
	if err != nil {
		return nil, fmt.Errorf("list output %q of attempt %d: %w", file, attempt, err)
	}
	return list, nil
}

func (t *tx) FindErrorChunk(ctx context.Context, attempt trowel.AttemptID, file string, seq int) (*trowel.LogChunk, error) {
	list, err := t.chunks(ctx, attempt, file, sqlFindErrorChunk, attempt, file, seq)
	if err == nil && len(list) == 0 {
		err = trowel.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("find an error in output %q of attempt %d: %w", file, attempt, err)
	}
	return &list[0], nil
}

func (t *tx) chunks(ctx context.Context, attempt trowel.AttemptID, file, query string, args ...any) ([]trowel.LogChunk, error) {
	var list []trowel.LogChunk
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		c := trowel.LogChunk{AttemptID: attempt, File: file}
		var key sql.NullString
		var offset, errorAt sql.NullInt64
		err := scan(&c.Seq, &c.FirstLine, &c.Lines, &c.Offset, &c.TextBytes, &c.DataBytes, &errorAt, &c.Data, &key, &offset)
		c.BlobKey, c.BlobOffset = key.String, offset.Int64
		c.Searched, c.ErrorAt = errorAt.Valid, errorAt.Int64
		list = append(list, c)
		return err
	})
	return list, err
}

func (t *tx) ListUnpackedLogs(ctx context.Context, limit int) ([]trowel.AttemptID, error) {
	var list []trowel.AttemptID
	query := sqlListUnpacked
	if t.dialect.MarksLogs {
		query = sqlListMarkedSQLite
	}
	err := t.rows(ctx, query, []any{limit}, func(scan func(...any) error) error {
		var id trowel.AttemptID
		err := scan(&id)
		list = append(list, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list attempts with output to pack: %w", err)
	}
	return list, nil
}

func (t *tx) MoveLogChunks(ctx context.Context, chunks []trowel.LogChunk) error {
	for i := range chunks {
		c := &chunks[i]
		rows, err := t.exec(ctx, sqlMoveChunk, c.AttemptID, c.File, c.Seq, c.BlobKey, c.BlobOffset)
		if err == nil && rows != 1 {
			err = trowel.ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("move output of attempt %d: %w", c.AttemptID, err)
		}
	}
	if !t.dialect.MarksLogs {
		return nil
	}
	for _, id := range attemptsOf(chunks) {
		if _, err := t.exec(ctx, sqlUnmarkPackedSQLite, id); err != nil {
			return fmt.Errorf("look for output of attempt %d to pack: %w", id, err)
		}
	}
	return nil
}

func (t *tx) DeleteLogs(ctx context.Context, attempt trowel.AttemptID) ([]string, error) {
	var keys []string
	err := t.rows(ctx, sqlListLogBlobs, []any{attempt}, func(scan func(...any) error) error {
		var key string
		err := scan(&key)
		keys = append(keys, key)
		return err
	})
	errDelete := err
	if err == nil {
		_, errDelete = t.exec(ctx, sqlDeleteLogs, attempt)
	}
	if errDelete == nil && t.dialect.MarksLogs {
		_, errDelete = t.exec(ctx, sqlUnmarkPackedSQLite, attempt)
	}
	if err := errors.Join(err, errDelete); err != nil {
		return nil, fmt.Errorf("delete output of attempt %d: %w", attempt, err)
	}
	return keys, nil
}
