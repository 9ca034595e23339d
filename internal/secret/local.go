package secret

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// maxFileBytes is the largest size of a secret's file. A larger one is a mistake, not a secret.
const maxFileBytes = 1 << 20

// LocalOptions say where a local run finds secrets.
type LocalOptions struct {
	First      map[string]string // secrets by key that come before all others
	Properties map[string]string // secrets of the configuration, by key, without the prefix "secrets."
	Dir        string            // folder with one file for each key; it need not exist; empty for none
	Log        *slog.Logger      // gets a warning for a file that others can read
}

// Local finds the secrets of a local run: after those that come first, in the configuration, then in a folder where each
// file's name is a key and its content the secret, as it is (server 1.9.2).
type Local struct {
	options LocalOptions

	mu     sync.Mutex
	warned map[string]bool // keys whose files others can read
}

// NewLocal returns a Local. It reads nothing yet.
func NewLocal(options LocalOptions) *Local {
	return &Local{options: options, warned: map[string]bool{}}
}

// Find implements Finder.
func (l *Local) Find(_ context.Context, key string) (Value, bool, error) {
	if err := CheckKey(key); err != nil {
		return Value{}, false, err
	}
	if text, ok := l.options.First[key]; ok {
		return NewValue(text), true, nil
	}
	if text, ok := l.options.Properties[key]; ok {
		return NewValue(text), true, nil
	}
	text, found, err := l.readFile(key)
	if err != nil {
		return Value{}, false, fmt.Errorf("read secret %q: %w", key, err)
	}
	return NewValue(text), found, nil
}

// readFile reads the file of a key. A key with a path separator finds no file.
func (l *Local) readFile(key string) (text string, found bool, err error) {
	if l.options.Dir == "" || strings.ContainsAny(key, `/\`) {
		return "", false, nil
	}
	file, err := os.Open(filepath.Join(l.options.Dir, key))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	info, err := file.Stat()
	if err != nil {
		return "", false, err
	}
	l.warnIfOpen(key, info.Mode())
	data, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err != nil {
		return "", false, err
	}
	if len(data) > maxFileBytes {
		return "", false, fmt.Errorf("the file has more than %d bytes", maxFileBytes)
	}
	return string(data), true, nil
}

// warnIfOpen warns, once for each key, about a file that others than its owner can read.
func (l *Local) warnIfOpen(key string, mode fs.FileMode) {
	if l.options.Log == nil || runtime.GOOS == "windows" || mode.Perm()&0o077 == 0 {
		return
	}
	l.mu.Lock()
	seen := l.warned[key]
	l.warned[key] = true
	l.mu.Unlock()
	if seen {
		return
	}
	l.options.Log.Warn("the file of a secret can be read by others; its mode should be 0600",
		slog.String("secret", key), slog.String("mode", mode.Perm().String()))
}
