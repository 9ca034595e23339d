package dig

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
)

// MaxFileSize is the largest size in bytes of a .dig file, and of a file that it includes.
const MaxFileSize = 64 << 20

const fileTooLarge = "%s has more than %d MB" // ours

// read returns the text of a file of the project.
func (l *loader) read(name string) (string, *Error) {
	file, err := l.files.Open(name)
	if err != nil {
		return "", l.fileError(name, err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(file, MaxFileSize+1))
	if err != nil {
		return "", l.fileError(name, err)
	}
	if len(data) > MaxFileSize {
		message := fmt.Sprintf(fileTooLarge, l.show(name), MaxFileSize>>20)
		return "", &Error{Kind: KindLimit, Message: message}
	}
	return string(data), nil
}

// show returns the path of a file as messages show it.
func (l *loader) show(name string) string { return filepath.Join(l.dir, filepath.FromSlash(name)) }

// fileError returns the error about a file that cannot be read. For a missing file the message is just its path
// (language L26).
func (l *loader) fileError(name string, err error) *Error {
	shown := l.show(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &Error{Kind: KindNoSuchFile, Message: shown, Err: err, aborts: true}
	}
	cause := err
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		cause = wrapped.Err
	}
	return &Error{Kind: KindIO, Message: shown + ": " + cause.Error(), Err: err, aborts: true}
}
