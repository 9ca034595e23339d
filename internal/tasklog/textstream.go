package tasklog

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
)

// Open returns the text from an offset to its end, as it was when Text was called. Its size does not affect memory use.
func (t *Text) Open(ctx context.Context, offset int64) io.ReadCloser {
	return &stream{ctx: ctx, text: t, offset: max(offset, 0)}
}

// stream reads one part after the other.
type stream struct {
	ctx    context.Context //nolint:containedctx // of the caller of Open
	text   *Text
	offset int64 // of what is read next

	packed io.Closer // of the present part; nil between parts
	zip    io.Reader
	left   int64 // bytes of it
}

// Read implements io.Reader.
func (s *stream) Read(data []byte) (int, error) {
	for s.left == 0 {
		if err := errors.Join(s.Close(), s.open()); err != nil {
			return 0, err
		}
		if s.packed == nil {
			return 0, io.EOF
		}
	}
	n, err := s.zip.Read(data[:min(int64(len(data)), s.left)])
	s.left -= int64(n)
	s.offset += int64(n)
	switch {
	case n > 0:
		return n, nil
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// open goes to the part at the offset, if there is one.
func (s *stream) open() error {
	p := s.text.partAt(s.offset)
	if p == nil {
		return nil
	}
	reader, within := s.text.reader, s.offset-p.offset
	c, err := reader.chunkAt(s.ctx, s.text.attempt, &p.file, within)
	if err != nil {
		return err
	}
	packed := reader.open(s.ctx, s.text.attempt, p.file.Name, c.Seq, p.file.Chunks-c.Seq)
	zip, err := gzip.NewReader(packed)
	if err == nil {
		_, err = io.CopyN(io.Discard, zip, within-c.Offset)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("read log %s: %w", p.file.Name, err), packed.Close())
	}
	s.packed, s.zip, s.left = packed, zip, p.end()-s.offset
	return nil
}

// Close implements io.Closer.
func (s *stream) Close() error {
	if s.packed == nil {
		return nil
	}
	err := s.packed.Close()
	s.packed, s.left = nil, 0
	return err
}
