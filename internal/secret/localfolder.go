package secret

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/fix"
)

// LocalFolder writes the secrets of local runs: a folder with a file for each key, whose content is
// the value (server 1.5). Folder and files can be read by their owner alone. Package secret reads
// them when a task asks.
type LocalFolder struct{ Dir string }

// List returns the keys in alphabetical order.
func (s LocalFolder) List(context.Context) ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fix.UseOther.Failed(fmt.Errorf("list secrets: %w", err))
	}
	var keys []string
	for _, entry := range entries {
		if !entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			keys = append(keys, entry.Name())
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// Set writes a value: either all of it or, if that goes wrong, none.
func (s LocalFolder) Set(_ context.Context, key, value string) error {
	if err := s.set(key, value); err != nil {
		return fix.UseSecrets.Failed(fmt.Errorf("set secret %s: %w", key, err))
	}
	return nil
}

func (s LocalFolder) set(key, value string) error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(s.Dir, ".new-*") // readable by its owner alone
	if err != nil {
		return err
	}
	_, err = temp.WriteString(value)
	if err == nil {
		err = temp.Sync()
	}
	if closing := temp.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(temp.Name(), filepath.Join(s.Dir, key))
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // the first error says more
	}
	return err
}

// Delete removes a key; one that is not there is no error.
func (s LocalFolder) Delete(_ context.Context, key string) error {
	err := os.Remove(filepath.Join(s.Dir, key))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fix.UseSecrets.Failed(fmt.Errorf("delete secret %s: %w", key, err))
	}
	return nil
}
