package archive

import (
	"crypto/md5" //nolint:gosec // the checksum that the REST API reports (server 4.6), no safeguard
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	trowel "github.com/trowel-project/trowel"
)

// spool is a temporary file that is written once and then read.
type spool struct {
	file  *os.File
	size  int64
	named bool // it still has its name, which must be removed
}

func newSpool(dir string) (*spool, error) {
	file, err := os.CreateTemp(dir, "upload-*")
	if err != nil {
		return nil, unavailable(err)
	}
	// Where an open file can be removed, it disappears with this process, however that ends.
	return &spool{file: file, named: os.Remove(file.Name()) != nil}, nil
}

// Write implements io.Writer.
func (s *spool) Write(data []byte) (int, error) {
	n, err := s.file.Write(data)
	s.size += int64(n)
	if err != nil {
		err = unavailable(err)
	}
	return n, err
}

// ReadAt implements io.ReaderAt.
func (s *spool) ReadAt(data []byte, at int64) (int, error) { return s.file.ReadAt(data, at) }

// remove closes the file and deletes it.
func (s *spool) remove() error {
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}

func unavailable(err error) error {
	return &trowel.Error{
		Kind: trowel.ErrUnavailable, Message: "cannot write a temporary file", Err: err,
		Hint: "free space on that disk, or set tmpdir to another place",
	}
}

// incoming passes on an upload, stores it, and computes its checksum.
type incoming struct {
	from  io.Reader
	limit int64
	kept  *spool
	sum   hash.Hash
	err   error // about the upload as such; its reader may get another one
}

func newIncoming(from io.Reader, limit int64, kept *spool) *incoming {
	return &incoming{from: from, limit: limit, kept: kept, sum: md5.New()} //nolint:gosec // see above
}

// Read implements io.Reader.
func (i *incoming) Read(data []byte) (int, error) {
	if i.err != nil {
		return 0, i.err
	}
	n, err := i.from.Read(data)
	if n > 0 {
		i.sum.Write(data[:n]) // never fails
		if _, err := i.kept.Write(data[:n]); err != nil {
			i.err = err
			return n, i.err
		}
		if i.kept.size > i.limit {
			i.err = tooLargeUpload(i.limit)
			return n, i.err
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		i.err = &trowel.Error{Kind: trowel.ErrInvalid, Message: textCutOff, Hint: hintPackAnew, Err: fmt.Errorf("read the upload: %w", err)}
		return n, i.err
	}
	return n, err
}

func tooLargeUpload(limit int64) error {
	return invalid(nil, "", "Size of the uploaded archive file exceeds limit (%d bytes)", limit)
}
