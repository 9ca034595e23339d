package accesslog

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// File is the access log in a folder: access.log, which is renamed to access.<day>.log at the end of each day (server
// 3.5). It is safe for concurrent use.
type File struct {
	dir     string
	pattern []part

	mu   sync.Mutex
	file *os.File
	day  string // of the lines in the file
}

const dayLayout = "2006-01-02"

// Open opens the log for appending. It creates the folder if it is missing.
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

// Log writes one line. It ignores errors: requests are answered without a log, too.
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

// rotate renames the file of a past day and opens a new one. If that fails the lines go on in the old file.
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

// Close closes the file. Later lines are dropped.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	file := f.file
	f.file = nil
	return file.Close()
}
