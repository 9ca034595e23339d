package statusdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// Forget removes the files of those tasks for which stale returns true.
func (s Session) Forget(stale func(task string) bool) error {
	if err := s.remove(stale); err != nil {
		return cannotKeep("states in "+s.Dir, err)
	}
	return nil
}

func (s Session) remove(stale func(task string) bool) error {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		task, ok := s.taskOf(entry.Name())
		if !ok || !stale(task) {
			continue
		}
		if err := os.Remove(filepath.Join(s.Dir, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// taskOf returns the full name of the task that a file belongs to.
func (s Session) taskOf(file string) (task string, ok bool) {
	task, ok = strings.CutSuffix(file, stateSuffix)
	if !ok || !strings.Contains(task, longMark) {
		return task, ok
	}
	data, err := os.ReadFile(filepath.Join(s.Dir, file))
	if err != nil {
		return "", false
	}
	content, err := dig.ReadYAML(data)
	if err != nil {
		return "", false
	}
	name, _ := content.Get("fullName")
	return param.AsString(name)
}
