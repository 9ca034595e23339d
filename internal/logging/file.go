package logging

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/fix"
)

// When a log file is rotated, and how many old ones are kept (server 1.4).
const (
	logFileSize = 10_000_000
	logFiles    = 5
)

// logFileMode makes a log readable by its owner alone, whatever the umask, as errors in it reveal much.
const logFileMode = 0o600

// File is the file of -L. When it has reached its limit it becomes PATH.1.gz, the old PATH.1.gz
// becomes PATH.2.gz, and so on up to PATH.5.gz. It is safe for concurrent use. The data of one Write stays
// together.
type File struct {
	path  string
	limit int64

	mu       sync.Mutex
	file     *os.File
	size     int64
	packing  sync.WaitGroup // of the file that was rotated last
	packed   error          // why packing failed; read after packing.Wait
	rotation error          // the first failure to rotate, which Close returns
}

// OpenFile opens the file of -L for appending. It makes missing folders, as Digdag does.
func OpenFile(path string) (*File, error) {
	l := &File{path: path, limit: logFileSize}
	err := os.MkdirAll(filepath.Dir(path), 0o750)
	if err == nil {
		err = l.open()
	}
	if err != nil {
		return nil, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: "cannot write the log to " + path, Err: fix.Reason(err),
			Hint: "give a file that can be written to with --log, or - for standard output",
		}
	}
	return l, nil
}

func (l *File) open() error {
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, logFileMode)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	l.file, l.size = file, info.Size()
	return nil
}

// Write implements io.Writer. A file that cannot be rotated keeps growing, so that nothing is lost.
func (l *File) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size >= l.limit {
		if err := l.rotate(); err != nil {
			return 0, fmt.Errorf("rotate the log %s: %w", l.path, err)
		}
	}
	n, err := l.file.Write(data)
	l.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("write the log %s: %w", l.path, fix.Reason(err))
	}
	return n, nil
}

// Close closes the file. It also returns an error if old files could not be kept.
func (l *File) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.packing.Wait()
	return errors.Join(l.rotation, l.packed, l.file.Close())
}

// rotate begins a new file, and compresses the old one in the background. It only fails if there is no file
// to write to any more.
func (l *File) rotate() error {
	l.packing.Wait()
	if err := l.file.Close(); err != nil {
		l.rotation = errors.Join(l.rotation, err)
	}
	full := l.path + ".full" // may also be left by a process that died
	if err := os.Rename(l.path, full); err != nil {
		if l.rotation == nil {
			l.rotation = fmt.Errorf("rotate the log %s: %w", l.path, err)
		}
		err = l.open()
		l.size = 0 // tried again after the same amount of data
		return err
	}
	l.packing.Go(func() { l.packed = errors.Join(l.packed, l.pack(full)) })
	return l.open()
}

// pack makes the full file the newest of the old ones.
func (l *File) pack(full string) error {
	for n := logFiles - 1; n >= 1; n-- {
		err := os.Rename(l.old(n), l.old(n+1))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("rotate the log %s: %w", l.path, err)
		}
	}
	if err := compressFile(full, l.old(1)); err != nil {
		return fmt.Errorf("compress the log %s: %w", full, err)
	}
	return os.Remove(full)
}

func (l *File) old(n int) string { return l.path + "." + strconv.Itoa(n) + ".gz" }

// compressFile writes a gzip file of another file. Readers see the complete file or none.
func compressFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	temp := to + ".tmp"
	out, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, logFileMode)
	if err != nil {
		return err
	}
	zip := gzip.NewWriter(out)
	_, err = io.Copy(zip, in)
	err = errors.Join(err, zip.Close(), out.Close())
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return os.Rename(temp, to)
}
