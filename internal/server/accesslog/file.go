package accesslog

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// File is the access log in a folder: access.log, which becomes access.<day>.log when its day is
// over (server 3.5). It may be used concurrently.
type File struct {
	dir     string
	pattern []part

	mu   sync.Mutex
	file *os.File
	day  string // of what is in the file
}

const dayLayout = "2006-01-02"

// Open opens the log for appending. The folder is made if it is missing.
func Open(dir, pattern string) (*File, error) {
	parts, err := parsePattern(pattern)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("make the folder of the access log: %w", err)
	}
	f := &File{dir: dir, pattern: parts}
	return f, f.open()
}

func (f *File) open() error {
	file, err := os.OpenFile(filepath.Join(f.dir, "access.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o640) //nolint:gosec // the group may read it
	if err != nil {
		return fmt.Errorf("open the access log: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return fmt.Errorf("open the access log: %w", err)
	}
	f.file, f.day = file, ""
	if info.Size() > 0 {
		f.day = info.ModTime().Format(dayLayout)
	}
	return nil
}

// Log writes one line. That it cannot be written keeps no request from being answered.
func (f *File) Log(a Entry) {
	line := formatEntry(f.pattern, a)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return
	}
	if day := a.At.Format(dayLayout); f.day != day {
		f.rotate()
		f.day = day
	}
	_, _ = f.file.WriteString(line + "\n")
}

// rotate gives the file of a day that is over its name. Without that the lines go on in the same
// file.
func (f *File) rotate() {
	if f.day == "" {
		return
	}
	if os.Rename(filepath.Join(f.dir, "access.log"), filepath.Join(f.dir, "access."+f.day+".log")) != nil {
		return
	}
	old := f.file
	if f.open() != nil {
		f.file = old
		return
	}
	_ = old.Close()
}

// Close closes the file; what comes after is dropped.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	file := f.file
	f.file = nil
	return file.Close()
}
