package sqldb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/trowel-project/trowel/internal/operator"
)

// downloadBuffer is how much is written to a file at a time.
const downloadBuffer = 256 << 10

// fileError is an error in writing a file.
type fileError struct{ err error }

func (e *fileError) Error() string { return e.err.Error() }

// Unwrap returns what went wrong.
func (e *fileError) Unwrap() error { return e.err }

// download is a file that is written row by row. Until all is well, it has another name in the same folder.
type download struct {
	path string
	file *os.File // that is written first
}

// newDownload begins a file, which keep or drop ends.
func newDownload(path string) (*download, error) {
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+uuid.NewString()+".part")
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // as any file that a task writes
	if err != nil {
		return nil, &fileError{pathOf(path, err)}
	}
	return &download{path: path, file: file}, nil
}

// keep gives the file its name. What was there is replaced.
func (d *download) keep() error {
	err := d.file.Close()
	if err == nil {
		err = os.Rename(d.file.Name(), d.path)
	}
	if err != nil {
		_ = os.Remove(d.file.Name())
		return &fileError{pathOf(d.path, err)}
	}
	return nil
}

// drop removes what was written.
func (d *download) drop() {
	_ = d.file.Close()
	_ = os.Remove(d.file.Name())
}

// pathOf names the file that was asked for in an error about the one that is written first.
func pathOf(path string, err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	if at, ok := errors.AsType[*os.LinkError](err); ok {
		err = at.Err
	}
	return fmt.Errorf("write %s: %w", path, err)
}

// write writes the names of the columns and all rows (operators 7.1, CSV).
func (d *download) write(r rows) error {
	buffer := make([]byte, 0, downloadBuffer)
	for i, name := range r.columns() {
		buffer = appendSeparator(buffer, i)
		start := len(buffer)
		buffer = quoteField(append(buffer, name...), start)
	}
	buffer = append(buffer, "\r\n"...)
	columns := len(r.columns())
	for {
		more, err := r.next()
		if err != nil {
			return err
		}
		if !more || len(buffer) > downloadBuffer-downloadBuffer/8 {
			if _, err := d.file.Write(buffer); err != nil {
				return &fileError{pathOf(d.path, err)}
			}
			buffer = buffer[:0]
		}
		if !more {
			return nil
		}
		for i := range columns {
			buffer = appendSeparator(buffer, i)
			start := len(buffer)
			var present bool
			if buffer, present = r.appendText(buffer, i); present {
				buffer = quoteField(buffer, start)
			}
		}
		buffer = append(buffer, "\r\n"...)
	}
}

func appendSeparator(buffer []byte, column int) []byte {
	if column == 0 {
		return buffer
	}
	return append(buffer, ',')
}

// special are the bytes for which a field is quoted.
var special = [256]bool{'"': true, ',': true, '\r': true, '\n': true} //nolint:gochecknoglobals // never changed

// quoteField quotes what has been appended to a buffer from a position on, if it must be. Line ends become line feeds.
func quoteField(buffer []byte, start int) []byte {
	field := buffer[start:]
	i := 0
	for i < len(field) && !special[field[i]] {
		i++
	}
	if i == len(field) {
		if len(field) == 0 {
			return append(buffer, `""`...)
		}
		return buffer
	}
	// The quoted field is made behind the plain one, and then moved to its place.
	end := len(buffer)
	buffer = append(buffer, '"')
	buffer = append(buffer, buffer[start:start+i]...)
	for ; i < end-start; i++ {
		switch c := buffer[start+i]; c {
		case '"':
			buffer = append(buffer, `""`...)
		case '\r':
			buffer = append(buffer, '\n')
			if start+i+1 < end && buffer[start+i+1] == '\n' {
				i++
			}
		default:
			buffer = append(buffer, c)
		}
	}
	buffer = append(buffer, '"')
	n := copy(buffer[start:], buffer[end:])
	return buffer[:start+n]
}

// readFailure returns the failure of a task that could not use a result, which is no fault of the database.
func readFailure(err error) error {
	if broken, ok := errors.AsType[*fileError](err); ok {
		return &operator.Error{Kind: operator.KindRuntime, Message: broken.Error(), Err: broken.err}
	}
	if _, limit := errors.AsType[*operator.Failure](err); limit {
		return err
	}
	return failure(selectFailed, err)
}
