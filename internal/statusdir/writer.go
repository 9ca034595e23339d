package statusdir

import (
	"sync"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
)

// Writer writes a file for every task of a commit that succeeded, before the tasks that come after
// it are started. It implements flush.Observer.
type Writer struct {
	states    Session
	succeeded []string // in the order of their ends

	mu    sync.Mutex
	names map[string]bool // of succeeded
}

// NewWriter returns a Writer of a session's folder; without a folder it writes no files, and still knows what
// succeeded.
func NewWriter(of Session) *Writer { return &Writer{states: of, names: map[string]bool{}} }

// Succeeded are the full names of the tasks that succeeded, in the order of their ends. It is asked when no more are
// committed.
func (k *Writer) Succeeded() []string { return k.succeeded }

// Committed implements flush.Observer. One file that cannot be written ends the run, but is no reason
// to lose the others.
func (k *Writer) Committed(batch *flush.Batch) (broken error) {
	for i := range batch.Changes {
		c := &batch.Changes[i]
		if c.To != trowel.TaskSuccess || c.From == trowel.TaskSuccess {
			continue
		}
		if err := k.keep(c.Task); err != nil && broken == nil {
			broken = cannotKeep("the state of "+c.Task.FullName, err)
		}
	}
	return broken
}

func (k *Writer) keep(task *trowel.Task) error {
	if k.states.Dir != "" {
		if err := k.states.write(task.FullName, task.Result); err != nil {
			return err
		}
		k.mu.Lock()
		k.names[task.FullName] = true
		k.mu.Unlock()
	}
	k.succeeded = append(k.succeeded, task.FullName)
	return nil
}

// Has reports whether a task of this name has succeeded in this run.
func (k *Writer) Has(task string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.names[task]
}
