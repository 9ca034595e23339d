package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/blob"
)

// tempPrefix begins the names of files that are being written. Those older than staleAfter were left
// by a process that died.
const (
	tempPrefix = ".tmp-"
	staleAfter = 24 * time.Hour
)

// Store keeps blobs as files. It implements blob.Store. Several processes may share a folder. Keys that
// only differ in case are the same key if the file system ignores case.
type Store struct {
	blob.Unsigned

	dir string
}

// New returns the Store in a folder, which is made if it is missing, and must be writable.
// It removes what dead processes left behind: unfinished files that are more than a day older than now.
func New(dir string, now time.Time) (*Store, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), tempPrefix) {
			continue
		}
		info, err := entry.Info()
		if err == nil && now.Sub(info.ModTime()) > staleAfter {
			err = os.Remove(filepath.Join(dir, entry.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return &Store{dir: dir}, tryToWrite(dir)
}

// tryToWrite writes a file, so that errors appear now and not with the first blob.
func tryToWrite(dir string) error {
	file, err := os.CreateTemp(dir, tempPrefix+"*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// Put implements blob.Store. The file is on disk before it gets its name.
func (s *Store) Put(_ context.Context, key string, from io.Reader, size int64) error {
	temp, err := os.CreateTemp(s.dir, tempPrefix+"*")
	if err != nil {
		return blob.Unavailable("put", key, err)
	}
	n, err := io.Copy(temp, io.LimitReader(from, size+1))
	if err == nil && n != size {
		return errors.Join(blob.WrongSize(key, size), temp.Close(), os.Remove(temp.Name()))
	}
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err == nil {
		err = s.place(temp.Name(), filepath.Join(s.dir, pathOf(key)))
	}
	if err != nil {
		return errors.Join(blob.Unavailable("put", key, err), os.Remove(temp.Name()))
	}
	return nil
}

// place gives a file its final name.
func (s *Store) place(temp, path string) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	for {
		if err := syncFolder(folder); err != nil {
			return err
		}
		if folder == s.dir || len(folder) <= len(s.dir) {
			return nil
		}
		folder = filepath.Dir(folder)
	}
}

// syncFolder writes the names in a folder to disk.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" { // where that is not possible
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Open implements blob.Store.
func (s *Store) Open(_ context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	file, err := os.Open(filepath.Join(s.dir, pathOf(key)))
	if err != nil {
		return nil, failure("open", key, err)
	}
	if length < 0 {
		length = 1<<63 - 1 - offset
	}
	return &reader{SectionReader: io.NewSectionReader(file, offset, length), Closer: file}, nil
}

type reader struct {
	*io.SectionReader
	io.Closer
}

// Delete implements blob.Store. It leaves folders, as other blobs may need them.
func (s *Store) Delete(_ context.Context, key string) error {
	err := os.Remove(filepath.Join(s.dir, pathOf(key)))
	if err == nil || isMissing(err) {
		return nil
	}
	return blob.Unavailable("delete", key, err)
}

// List implements blob.Store. It reads the names of all files in the folder that prefix names.
func (s *Store) List(_ context.Context, prefix, after string, limit int) ([]string, error) {
	top := s.dir
	if slash := strings.LastIndexByte(prefix, '/'); slash >= 0 {
		top = filepath.Join(s.dir, strings.TrimSuffix(pathOf(prefix[:slash]), leaf))
	}
	var keys []string
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), tempPrefix) {
			return err
		}
		relative, err := filepath.Rel(s.dir, path)
		if err != nil {
			return err
		}
		if key, ok := keyOf(relative); ok && strings.HasPrefix(key, prefix) && key > after {
			keys = append(keys, key)
		}
		return nil
	})
	if err != nil && !isMissing(err) {
		return nil, blob.Unavailable("list", prefix, err)
	}
	slices.Sort(keys)
	return keys[:min(limit, len(keys))], nil
}

func failure(doing, key string, err error) error {
	if isMissing(err) {
		return blob.NotFound(key)
	}
	return blob.Unavailable(doing, key, err)
}
