package archive

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// Texts of server 2.6.2 step 5 and 4.4, and Trowel's own.
const (
	textNoGzip     = "Input is not in the .gz format"
	textNoTar      = "Error detected parsing the header"
	textBigEntry   = "Size of a file in the archive exceeds limit (%d > %d bytes): %s"
	textBigTotal   = "Total size of the archive exceeds limit (%d > %d bytes)"
	textOutside    = "Bad zip entry"
	textBadEntry   = "Archive includes an invalid entry: %s"
	textBadLink    = "Archive includes an invalid symlink: %s -> %s"
	textBigStream  = "Headers in the archive are too large"
	textCutOff     = "Unexpected end of the archive"
	textDamaged    = "The archive is damaged"
	textManyFiles  = "Number of files in the archive exceeds limit (%d)"
	textOddKind    = "Archive includes an entry that is no file, folder or symbolic link: %s"
	textLongName   = "Archive includes a file or folder whose name is longer than %d bytes: %s"
	textLongPath   = "Archive includes a file whose path is longer than %d bytes: %s"
	textInTheWay   = "Archive includes a file in the place of a folder: %s and %s"
	hintRename     = "give it a shorter name, or leave it out with .digdagignore"
	hintPackAnew   = "make the archive anew, and upload all of it"
	hintLinkInside = "let the link point into the project, or push with --copy-outgoing-symlinks"
)

// Limits restrict what is read of an archive.
type Limits struct {
	// MaxBytes limits each entry and all entries together, and also an upload.
	MaxBytes int64
	// MaxEntries limits the number of entries. Zero means one for each KiB of MaxBytes, but at least
	// 10,000.
	MaxEntries int
}

const (
	defaultMaxBytes  = 2 << 20 // server 3.1, api.max_archive_total_size_limit
	leastMaxEntries  = 10_000
	bytesPerEntry    = 1 << 10
	overheadPerEntry = 4 << 10 // of tar: headers and padding
)

func (l Limits) orDefault() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = defaultMaxBytes
	}
	if l.MaxEntries <= 0 {
		l.MaxEntries = int(min(max(leastMaxEntries, l.MaxBytes/bytesPerEntry), 1<<30))
	}
	return l
}

// kind says what an entry is.
type kind uint8

const (
	kindFile kind = iota + 1
	kindFolder
	kindLink
)

// entry is one entry of an archive.
type entry struct {
	kind    kind
	raw     string // the name as it is in the archive
	name    string // slash path from the root; "." for a folder that is the root
	outside bool   // the name leads out of the project, and name is empty
	target  string // of a link
	size    int64  // of a file
	perm    fs.FileMode
}

// reader reads the entries of an archive.
type reader struct {
	stream  *stream
	tar     *tar.Reader
	limits  Limits
	entries int
	total   int64 // bytes of all entries so far
}

func newReader(from io.Reader, limits Limits) (*reader, error) {
	limits = limits.orDefault()
	buffer := bufio.NewReader(from)
	zip, err := gzip.NewReader(buffer)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, gzip.ErrHeader), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, invalid(nil, hintPackAnew, textNoGzip)
	case err != nil:
		return nil, err
	}
	zip.Multistream(false)
	s := &stream{from: buffer, zip: zip, left: limits.MaxBytes + int64(limits.MaxEntries)*overheadPerEntry}
	return &reader{stream: s, tar: tar.NewReader(s), limits: limits}, nil
}

// next returns the next entry, whose content Read reads. After the last one it returns io.EOF, once the whole stream was
// read and found complete.
func (r *reader) next() (*entry, error) {
	for {
		header, err := r.tar.Next()
		if err != nil {
			return nil, r.ended(err)
		}
		if header.Typeflag == tar.TypeXGlobalHeader { // of git archive
			continue
		}
		if r.entries++; r.entries > r.limits.MaxEntries {
			return nil, invalid(nil, "", textManyFiles, r.limits.MaxEntries)
		}
		return r.entry(header)
	}
}

func (r *reader) entry(header *tar.Header) (*entry, error) {
	if header.Size > r.limits.MaxBytes {
		return nil, invalid(nil, "", textBigEntry, header.Size, r.limits.MaxBytes, header.Name)
	}
	e := &entry{raw: header.Name, perm: header.FileInfo().Mode().Perm()}
	name, ok := cleanName(header.Name)
	if long := longElement(name); long != "" {
		return nil, invalid(nil, hintRename, textLongName, maxElement, shortened(long))
	}
	if len(name) > maxPath {
		return nil, invalid(nil, hintRename, textLongPath, maxPath, shortened(name))
	}
	e.name, e.outside = name, !ok
	switch header.Typeflag {
	case tar.TypeReg, tar.TypeGNUSparse, tar.TypeCont:
		e.kind, e.size = kindFile, header.Size
		r.total += e.size
	case tar.TypeDir:
		e.kind = kindFolder
	case tar.TypeSymlink:
		e.kind, e.target = kindLink, header.Linkname
	default:
		return nil, invalid(nil, "", textOddKind, header.Name)
	}
	if e.kind != kindFolder && e.name == "." {
		e.name, e.outside = "", true
	}
	return e, nil
}

// shortened returns the beginning of a name that is too long to show.
func shortened(name string) string { return strings.ToValidUTF8(name[:shownName], "") + "..." }

const shownName = 60

// ended returns the error of next for an error of the tar reader.
func (r *reader) ended(err error) error {
	switch {
	case r.stream.err != nil:
		return r.failure()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		// A rest that is too short for a header counts as the end (server 2.6.2). Reading the rest of the stream shows
		// whether it is complete.
		if _, err := io.Copy(io.Discard, r.stream); err != nil {
			return r.failure()
		}
		if err := r.tooLarge(); err != nil {
			return err
		}
		return io.EOF
	default:
		return invalid(nil, hintPackAnew, textNoTar)
	}
}

// tooLarge returns an error if the entries so far are together larger than the limit.
func (r *reader) tooLarge() error {
	if r.total <= r.limits.MaxBytes {
		return nil
	}
	return invalid(nil, "", textBigTotal, r.total, r.limits.MaxBytes)
}

// Read reads the content of the entry.
func (r *reader) Read(data []byte) (int, error) {
	n, err := r.tar.Read(data)
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return n, err
	case r.stream.err != nil:
		return n, r.failure()
	default:
		return n, invalid(err, hintPackAnew, textCutOff)
	}
}

// failure says what is wrong with the stream.
func (r *reader) failure() error {
	switch err := r.stream.err; {
	case errors.Is(err, errTooLong):
		if err := r.tooLarge(); err != nil {
			return err
		}
		return invalid(nil, "", textBigStream)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return invalid(nil, hintPackAnew, textCutOff)
	case isReadError(err):
		return err
	default:
		return invalid(err, hintPackAnew, textDamaged)
	}
}

// stream has the uncompressed bytes of an archive, up to a limit. It keeps its error, as the tar
// reader changes some errors.
type stream struct {
	from *bufio.Reader
	zip  *gzip.Reader
	left int64
	err  error
}

var errTooLong = errors.New("too long")

func (s *stream) Read(data []byte) (int, error) {
	for {
		if s.left <= 0 {
			s.err = errTooLong
			return 0, s.err
		}
		n, err := s.zip.Read(data[:min(int64(len(data)), s.left)])
		s.left -= int64(n)
		if errors.Is(err, io.EOF) {
			if n > 0 {
				return n, nil
			}
			if err = s.nextMember(); err == nil {
				continue
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			s.err = err
		}
		return n, err
	}
}

// nextMember goes on to another gzip member. If there is none it returns io.EOF, whatever bytes follow.
func (s *stream) nextMember() error {
	magic, err := s.from.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(magic) != "\x1f\x8b\x08" {
		return io.EOF
	}
	if err := s.zip.Reset(s.from); err != nil {
		return err
	}
	s.zip.Multistream(false)
	return nil
}

// readError is an error of the source of the archive, not of the archive.
type readError struct{ err error }

func (e *readError) Error() string { return "read an archive: " + e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

func isReadError(err error) bool {
	_, ok := errors.AsType[*readError](err)
	return ok
}

// source marks the errors of a reader as readErrors.
type source struct{ from io.Reader }

func (s source) Read(data []byte) (int, error) {
	n, err := s.from.Read(data)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = &readError{err}
	}
	return n, err
}

// invalid returns an error about the content of an archive.
func invalid(cause error, hint, format string, args ...any) error {
	return &trowel.Error{Kind: trowel.ErrInvalid, Message: fmt.Sprintf(format, args...), Hint: hint, Err: cause}
}
