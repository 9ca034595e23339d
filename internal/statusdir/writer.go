package statusdir

import (
	"sync"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
)

// Writer writes a file for every task of a commit that succeeded, before the tasks after
// it are started. It implements flush.Observer.
type Writer struct {
	dir       Session
	succeeded []string // in the order of their ends

	mu    sync.Mutex
	names map[string]bool // of succeeded
}

// NewWriter returns a Writer to a session's folder. Without a folder it writes no files, but still remembers what
// succeeded.
func NewWriter(of Session) *Writer { return &Writer{dir: of, names: map[string]bool{}} }

// Succeeded returns the full names of the tasks that succeeded, in the order of their ends. Call it when nothing more is
// committed.
func (w *Writer) Succeeded() []string { return w.succeeded }

// Committed implements flush.Observer. A file that cannot be written ends the run, but the others are
// still written.
func (w *Writer) Committed(batch *flush.Batch) (broken error) {
	for i := range batch.Changes {
		c := &batch.Changes[i]
		if c.To != trowel.TaskSuccess || c.From == trowel.TaskSuccess {
			continue
		}
		if err := w.keep(c.Task); err != nil && broken == nil {
			broken = cannotKeep("the state of "+c.Task.FullName, err)
		}
	}
	return broken
}

func (w *Writer) keep(task *trowel.Task) error {
	if w.dir.Dir != "" {
		if err := w.dir.write(task.FullName, task.Result); err != nil {
			return err
		}
		w.mu.Lock()
		w.names[task.FullName] = true
		w.mu.Unlock()
	}
	w.succeeded = append(w.succeeded, task.FullName)
	return nil
}

// Has reports whether a task of this name has succeeded in this run.
func (w *Writer) Has(task string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.names[task]
}
