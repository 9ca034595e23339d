package tasklog

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"sort"

	trowel "github.com/trowel-project/trowel"
)

// ReadText returns up to limit bytes of a log's text from an offset on; nothing if there is no more now. To follow a
// log, ask again from the offset plus the length of the answer. It reads only the chunks that it needs.
func (r *Reader) ReadText(ctx context.Context, attempt trowel.AttemptID, name string, offset int64, limit int) ([]byte, error) {
	f, err := r.find(ctx, attempt, name)
	if err != nil {
		return nil, err
	}
	return r.readText(ctx, attempt, f, offset, int64(limit))
}

func (r *Reader) readText(ctx context.Context, attempt trowel.AttemptID, f *trowel.LogFile, offset, limit int64) ([]byte, error) {
	if offset >= f.TextBytes || offset < 0 || limit <= 0 {
		return nil, nil
	}
	c, err := r.chunkAt(ctx, attempt, f, offset)
	if err != nil {
		return nil, err
	}
	return r.text(ctx, attempt, f, c, offset-c.Offset, limit)
}

// chunkAt returns the chunk that has an offset of the text.
func (r *Reader) chunkAt(ctx context.Context, attempt trowel.AttemptID, f *trowel.LogFile, offset int64) (*trowel.LogChunk, error) {
	return r.firstChunk(ctx, attempt, f, func(c *trowel.LogChunk) bool { return c.Offset+c.TextBytes > offset })
}

// LineOffset returns the offset in the text of a log at which a line begins; the first line is 0. Lines that do not
// exist yet begin at the end.
func (r *Reader) LineOffset(ctx context.Context, attempt trowel.AttemptID, name string, line int64) (int64, error) {
	f, err := r.find(ctx, attempt, name)
	if err != nil {
		return 0, err
	}
	return r.lineOffset(ctx, attempt, f, line)
}

func (r *Reader) lineOffset(ctx context.Context, attempt trowel.AttemptID, f *trowel.LogFile, line int64) (int64, error) {
	switch {
	case line <= 0:
		return 0, nil
	case line > f.Lines:
		return f.TextBytes, nil
	}
	// The chunk in which the line before ends.
	c, err := r.firstChunk(ctx, attempt, f, func(c *trowel.LogChunk) bool { return c.FirstLine+c.Lines >= line })
	if err != nil {
		return 0, err
	}
	text, err := r.text(ctx, attempt, f, c, 0, c.TextBytes)
	if err != nil {
		return 0, err
	}
	offset := c.Offset
	for range line - c.FirstLine {
		end := bytes.IndexByte(text, '\n') + 1
		text, offset = text[end:], offset+int64(end)
	}
	return offset, nil
}

// firstChunk finds the first chunk that fits. All later chunks must fit too.
func (r *Reader) firstChunk(ctx context.Context, attempt trowel.AttemptID, f *trowel.LogFile, fits func(*trowel.LogChunk) bool) (*trowel.LogChunk, error) {
	var found *trowel.LogChunk
	var failure error
	sort.Search(f.Chunks, func(seq int) bool {
		list, err := r.chunks(ctx, attempt, f.Name, seq, 1, false)
		if err == nil && len(list) == 0 {
			err = trowel.ErrNotFound
		}
		if err != nil {
			failure = errors.Join(failure, err)
			return true
		}
		if !fits(&list[0]) {
			return false
		}
		found = &list[0]
		return true
	})
	if failure == nil && found == nil {
		failure = trowel.ErrNotFound
	}
	if failure != nil {
		return nil, fmt.Errorf("find a piece of log %s: %w", f.Name, failure)
	}
	return found, nil
}

// text returns text from a chunk on, without its first bytes.
func (r *Reader) text(ctx context.Context, attempt trowel.AttemptID, f *trowel.LogFile, c *trowel.LogChunk, skip, limit int64) (text []byte, err error) {
	from := r.open(ctx, attempt, f.Name, c.Seq, f.Chunks-c.Seq)
	defer func() { err = errors.Join(err, from.Close()) }()
	zip, err := gzip.NewReader(from)
	if err != nil {
		return nil, fmt.Errorf("read log %s: %w", f.Name, err)
	}
	if _, err := io.CopyN(io.Discard, zip, skip); err != nil {
		return nil, fmt.Errorf("read log %s: %w", f.Name, err)
	}
	text, err = io.ReadAll(io.LimitReader(zip, limit))
	if err != nil {
		return nil, fmt.Errorf("read log %s: %w", f.Name, err)
	}
	return text, nil
}
