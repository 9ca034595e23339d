package tasklog

import (
	"bytes"
	"context"
	"fmt"
	"sort"
	"unicode/utf8"

	trowel "github.com/trowel-project/trowel"
)

// wholeLine is up to how many bytes a line is never cut. Longer ones are read in pieces.
const wholeLine = 64 << 10

// Piece is some of a Text.
type Piece struct {
	Data  []byte
	Start int64 // the offset of Data
	Line  int64 // the number of the line in which Data begins, from 1
}

// End is the offset behind the piece.
func (p *Piece) End() int64 { return p.Start + int64(len(p.Data)) }

// Read returns about limit bytes from an offset on, as whole lines: from the beginning of the line of that offset to the
// end of one. A line of more than 64 KiB may be cut on both sides, where a character begins. At the end of the text, the last line
// may have no end yet.
func (t *Text) Read(ctx context.Context, offset int64, limit int) (*Piece, error) {
	offset = min(max(offset, 0), t.Size)
	begin, end := t.around(offset)
	before := min(offset-begin, wholeLine)
	data, err := t.bytes(ctx, offset-before, min(before+int64(limit)+wholeLine, end-offset+before))
	if err != nil {
		return nil, err
	}
	start := lineStart(data, int(before))
	p := &Piece{Data: cutLines(data[start:], limit, offset-before+int64(len(data)) >= end), Start: offset - before + int64(start)}
	p.Line, err = t.lineAt(ctx, p.Start)
	return p, err
}

// lineStart returns where the line begins that has the byte at an offset of data. If the beginning of the line is further away
// than data reaches, it is the first offset from there on at which a character begins.
func lineStart(data []byte, offset int) int {
	offset = min(offset, len(data))
	if at := bytes.LastIndexByte(data[:offset], '\n'); at >= 0 {
		return at + 1
	}
	if offset < wholeLine {
		return 0 // the beginning of the text
	}
	for n := 1; n < utf8.UTFMax; n++ {
		if before := data[offset-n:]; utf8.RuneStart(before[0]) {
			_, size := utf8.DecodeRune(before)
			return offset + max(size-n, 0)
		}
	}
	return offset
}

// cutLines returns the whole lines of about limit bytes. all says that the text ends with data.
func cutLines(data []byte, limit int, all bool) []byte {
	if len(data) <= limit && all {
		return data
	}
	if at := bytes.LastIndexByte(data[:min(limit, len(data))], '\n'); at >= 0 {
		return data[:at+1]
	}
	if at := bytes.IndexByte(data, '\n'); at >= 0 {
		return data[:at+1]
	}
	if all && len(data) <= wholeLine {
		return data
	}
	data = data[:min(max(limit, wholeLine), len(data))]
	return data[:wholeRunes(data)]
}

// wholeRunes returns the length of text without the beginning of a character at its end.
func wholeRunes(text []byte) int {
	for n := 1; n <= min(utf8.UTFMax, len(text)); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if n < len(text) && !utf8.FullRune(last) {
				return len(text) - n
			}
			break
		}
	}
	return len(text)
}

// bytes returns up to limit bytes from an offset on; fewer only at the end of the text.
func (t *Text) bytes(ctx context.Context, offset, limit int64) ([]byte, error) {
	var data []byte
	for i := range t.parts {
		p := &t.parts[i]
		if limit <= 0 || p.offset > offset {
			break
		}
		if p.end() <= offset {
			continue
		}
		some, err := t.reader.readText(ctx, t.attempt, &p.file, offset-p.offset, min(limit, p.end()-offset))
		if err != nil {
			return nil, err
		}
		data = append(data, some...)
		offset, limit = offset+int64(len(some)), limit-int64(len(some))
		if len(some) == 0 {
			return nil, fmt.Errorf("log %s ends before its time: %w", p.file.Name, trowel.ErrNotFound)
		}
	}
	return data, nil
}

// lineAt returns the number of the line that has an offset, from 1.
func (t *Text) lineAt(ctx context.Context, offset int64) (int64, error) {
	p := t.partAt(offset)
	if p == nil {
		return t.Lines + 1, nil
	}
	c, err := t.reader.chunkAt(ctx, t.attempt, &p.file, offset-p.offset)
	if err != nil {
		return 0, err
	}
	before, err := t.reader.text(ctx, t.attempt, &p.file, c, 0, offset-p.offset-c.Offset)
	return p.line + c.FirstLine + int64(bytes.Count(before, []byte{'\n'})) + 1, err
}

// Line returns the offset at which a line begins, counted from 1. Lines that do not exist yet begin at the end.
func (t *Text) Line(ctx context.Context, line int64) (int64, error) {
	if line <= 1 {
		return 0, nil
	}
	ends := line - 1 // how many lines end before it
	i := sort.Search(len(t.parts), func(i int) bool { return t.parts[i].line+t.parts[i].file.Lines >= ends })
	if i == len(t.parts) {
		return t.Size, nil
	}
	offset, err := t.reader.lineOffset(ctx, t.attempt, &t.parts[i].file, ends-t.parts[i].line)
	return t.parts[i].offset + offset, err
}

// Tail returns the last lines, as many as are asked for and fit into limit bytes.
func (t *Text) Tail(ctx context.Context, lines int64, limit int) (*Piece, error) {
	count := t.Lines
	if last, err := t.bytes(ctx, max(t.Size-1, 0), 1); err != nil {
		return nil, err
	} else if len(last) == 1 && last[0] != '\n' {
		count++ // the last line has no end
	}
	offset, err := t.Line(ctx, count-lines+1)
	if err != nil {
		return nil, err
	}
	begin, _ := t.around(t.Size)
	offset = max(offset, begin)
	first := t.Size - int64(limit)
	if offset >= first {
		return t.Read(ctx, offset, limit)
	}
	p, err := t.Read(ctx, first, limit+wholeLine)
	if err != nil {
		return nil, err
	}
	if at := bytes.IndexByte(p.Data, '\n'); p.Start < first && at >= 0 && at+1 < len(p.Data) {
		p.Start, p.Data, p.Line = p.Start+int64(at)+1, p.Data[at+1:], p.Line+1
	}
	return p, nil
}
