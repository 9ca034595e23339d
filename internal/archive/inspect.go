package archive

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// InspectOptions are the limits of an upload, and where it is stored meanwhile.
type InspectOptions struct {
	Limits Limits // MaxBytes is also the limit of the upload itself
	// ContentLength is the announced number of bytes. Negative if it is unknown.
	ContentLength int64
	// TempDir is a folder for temporary files. Empty for the system's.
	TempDir string
}

// Upload is an archive that was read and accepted. Close it at the end.
type Upload struct {
	MD5       []byte // 16 bytes, of the archive
	SizeBytes int64
	// Files are the files of the archive, for dig.LoadFS. A symbolic link counts as an empty file,
	// wherever it leads (server 2.6.2 step 6).
	Files *Files

	kept, contents *spool
}

// Inspect reads an upload once, to its end, and checks it (server 2.6.2 steps 4 and 5). It stores the upload in
// temporary files, so memory does not grow with its size. If something is wrong with it, the error is a
// trowel.ErrInvalid whose Message is Digdag's text. If a file cannot be written, it is an
// ErrUnavailable. Unlike in Digdag, links that leave the project are refused (design, section
// 9).
func Inspect(body io.Reader, opts InspectOptions) (*Upload, error) {
	opts.Limits = opts.Limits.orDefault()
	if opts.ContentLength > opts.Limits.MaxBytes {
		return nil, tooLargeUpload(opts.Limits.MaxBytes)
	}
	u := &Upload{}
	var err error
	if u.kept, err = newSpool(opts.TempDir); err == nil {
		u.contents, err = newSpool(opts.TempDir)
	}
	if err == nil {
		err = u.read(body, opts.Limits)
	}
	if err != nil {
		return nil, errors.Join(err, u.Close())
	}
	return u, nil
}

func (u *Upload) read(body io.Reader, limits Limits) error {
	in := newIncoming(body, limits.MaxBytes, u.kept)
	err := u.index(in, limits)
	if in.err != nil {
		return in.err
	}
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return err
	}
	u.MD5, u.SizeBytes = in.sum.Sum(nil), u.kept.size
	return nil
}

// index reads the entries.
func (u *Upload) index(in io.Reader, limits Limits) error {
	r, err := newReader(in, limits)
	if err != nil {
		return err
	}
	byName := map[string]File{} // of two entries with one name the last one counts
	folders := map[string]bool{}
	for {
		e, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		switch {
		case e.outside:
			return invalid(nil, "", textOutside)
		case e.kind == kindFolder:
			folders[e.name] = true
		case e.kind == kindLink:
			if e.target == "" {
				return invalid(nil, "", textBadLink, e.raw, e.target)
			}
			byName[e.name] = File{Name: e.name, Link: e.target, Mode: e.perm}
		case e.kind == kindFile:
			at := u.contents.size
			if r.tooLarge() == nil { // otherwise only the sum is still needed
				if _, err := io.Copy(u.contents, r); err != nil {
					return err
				}
			}
			byName[e.name] = File{Name: e.name, SizeBytes: e.size, Mode: e.perm, offset: at}
		}
	}
	for name := range byName {
		if folders[name] {
			return invalid(nil, hintPackAnew, textInTheWay, name, name+"/")
		}
	}
	u.Files, err = newFiles(u.contents, byName)
	return err
}

// newFiles checks that the entries fit together.
func newFiles(contents io.ReaderAt, byName map[string]File) (*Files, error) {
	f := &Files{contents: contents, all: make([]File, 0, len(byName))}
	all := &links{targets: map[string]string{}}
	var names []string
	for name, file := range byName {
		f.all = append(f.all, file)
		if file.Link != "" {
			all.targets[name] = file.Link
			names = append(names, name)
		}
	}
	slices.SortFunc(f.all, func(a, b File) int { return compareNames(a.Name, b.Name) })
	for i := 1; i < len(f.all); i++ {
		if isBelow(f.all[i].Name, f.all[i-1].Name) {
			return nil, invalid(nil, "", textInTheWay, f.all[i-1].Name, f.all[i].Name)
		}
	}
	slices.Sort(names)
	if name := all.firstOutside(names); name != "" {
		return nil, invalid(nil, hintLinkInside, textBadLink, name, all.targets[name])
	}
	return f, nil
}

// CheckLength compares the size with the header Content-Length, which is -1 if it was missing (server 2.6.2
// step 7).
func (u *Upload) CheckLength(contentLength int64) error {
	if u.SizeBytes != contentLength {
		return invalid(nil, "", "Content-Length header doesn't match with uploaded data size")
	}
	return nil
}

// Open returns a reader of the archive as it was uploaded, which is valid until Close. It may be called
// several times.
func (u *Upload) Open() *io.SectionReader { return io.NewSectionReader(u.kept, 0, u.SizeBytes) }

// Close deletes the temporary files. A second call does nothing.
func (u *Upload) Close() error {
	var err error
	for _, file := range []**spool{&u.kept, &u.contents} {
		if *file != nil {
			err = errors.Join(err, (*file).remove())
			*file = nil
		}
	}
	if err != nil {
		return fmt.Errorf("remove an upload: %w", err)
	}
	return nil
}
