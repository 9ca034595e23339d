package tasklog

import (
	"bytes"
	"context"
	"errors"

	trowel "github.com/trowel-project/trowel"
)

// errorBudget bounds how much of a text is read to find an error that nobody has looked for when the text was stored.
const errorBudget = 64 << 20

// FindError returns where the line begins that tells best why the task failed: the last one that looks like an error and that the
// task itself has printed, else the last one of level ERROR, else the last one.
func (t *Text) FindError(ctx context.Context) (int64, error) {
	left := int64(errorBudget)
	for i := len(t.parts) - 1; i >= 0; i-- {
		at, err := t.errorIn(ctx, &t.parts[i], &left)
		if err != nil || at >= 0 {
			return at, err
		}
	}
	offset := max(t.Size-wholeLine, 0)
	data, err := t.bytes(ctx, offset, wholeLine)
	if err != nil {
		return 0, err
	}
	data = bytes.TrimRight(data, "\r\n")
	at := bytes.LastIndex(data, []byte("[ERROR] ("))
	if at < 0 {
		at = len(data)
	}
	return offset + int64(bytes.LastIndexByte(data[:at], '\n')+1), nil
}

// errorIn returns the offset of the last line of a part that looks like an error, or -1.
func (t *Text) errorIn(ctx context.Context, p *part, left *int64) (int64, error) {
	var finder *errorFinder
	for before := p.file.Chunks; *left > 0; {
		var c *trowel.LogChunk
		err := t.reader.database.View(ctx, func(tx trowel.Tx) (err error) {
			c, err = tx.FindErrorChunk(ctx, t.attempt, p.file.Name, before)
			return err
		})
		if errors.Is(err, trowel.ErrNotFound) {
			return -1, nil
		}
		if err != nil {
			return 0, err
		}
		if c.Searched {
			return p.offset + c.Offset + c.ErrorAt, nil
		}
		if finder == nil {
			finder = newErrorFinder()
		}
		text, err := t.reader.text(ctx, t.attempt, &p.file, c, 0, c.TextBytes)
		if err != nil {
			return 0, err
		}
		if at := finder.last(text); at >= 0 {
			return p.offset + c.Offset + int64(at), nil
		}
		before = c.Seq
		*left -= c.TextBytes
	}
	return -1, nil
}
