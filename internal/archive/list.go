package archive

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // names a content, as the hash of archives does
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
)

// Listed is a file or link of a stored archive.
type Listed struct {
	File
	MD5    []byte // of the content, 16 bytes; nil for a link
	Binary bool   // a zero byte is among the first ones

	number int // of its entry in the archive
}

// textHead is how much of a file is looked at to tell text from other content, as Git does.
const textHead = 8000

// List returns the files and links of a stored archive, those of a folder in a row. Zero limits are those of Unpack.
func List(ctx context.Context, from io.Reader, limits Limits) ([]Listed, error) {
	byName := map[string]Listed{} // of two entries with one name the last one counts
	r, err := openStored(from, limits)
	if err != nil {
		return nil, err
	}
	for {
		e, err := r.following(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		listed := Listed{File: File{Name: e.name, Mode: e.perm, Link: e.target}, number: r.entries}
		switch e.kind {
		case kindFolder:
			continue
		case kindLink:
		case kindFile:
			sum, head := md5.New(), &head{} //nolint:gosec // see above
			if listed.SizeBytes, err = io.Copy(io.MultiWriter(sum, head), r); err != nil {
				return nil, err
			}
			listed.MD5, listed.Binary = sum.Sum(nil), head.zero
		}
		byName[e.name] = listed
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b Listed) int { return compareNames(a.Name, b.Name) }), nil
}

// ReadFrom returns the content of a file, from the archive in which List has found it. It is read from the archive as
// it is needed.
func (l *Listed) ReadFrom(ctx context.Context, from io.Reader, limits Limits) (io.Reader, error) {
	r, err := openStored(from, limits)
	if err != nil {
		return nil, err
	}
	for {
		e, err := r.following(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil, fs.ErrNotExist // the archive is another one
		case err != nil:
			return nil, err
		case r.entries == l.number && e.kind == kindFile && e.name == l.Name:
			return r, nil
		}
	}
}

// ReadAll calls visit with each of some files of the archive in which List has found them, in one pass.
func ReadAll(ctx context.Context, from io.Reader, limits Limits, files []*Listed, visit func(f *Listed, content io.Reader) error) error {
	wanted := make(map[int]*Listed, len(files))
	for _, f := range files {
		wanted[f.number] = f
	}
	r, err := openStored(from, limits)
	if err != nil {
		return err
	}
	for len(wanted) > 0 {
		e, err := r.following(ctx)
		if errors.Is(err, io.EOF) {
			return fs.ErrNotExist // the archive is another one
		}
		if err != nil {
			return err
		}
		f := wanted[r.entries]
		if f == nil {
			continue
		}
		if e.kind != kindFile || e.name != f.Name {
			return fs.ErrNotExist
		}
		if err := visit(f, r); err != nil {
			return err
		}
		delete(wanted, r.entries)
	}
	return nil
}

func openStored(from io.Reader, limits Limits) (*reader, error) {
	if limits.MaxBytes <= 0 {
		limits.MaxBytes = defaultUnpackBytes
	}
	return newReader(source{from}, limits)
}

// following is next for an archive that was accepted before.
func (r *reader) following(ctx context.Context) (*entry, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	e, err := r.next()
	if err == nil {
		err = r.tooLarge()
	}
	if err == nil && e.outside {
		err = invalid(nil, "", textBadEntry, e.raw)
	}
	return e, err
}

// head looks for a zero byte at the beginning of what is written to it.
type head struct {
	seen int
	zero bool
}

// Write implements io.Writer.
func (h *head) Write(p []byte) (int, error) {
	h.zero = h.zero || bytes.IndexByte(p[:min(len(p), max(0, textHead-h.seen))], 0) >= 0
	h.seen += len(p)
	return len(p), nil
}
