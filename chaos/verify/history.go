package verify

import (
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Commit is what one transaction changed.
type Commit struct {
	At      time.Time // when it was committed, by the clock of the database
	Entries []trowel.Audit
}

// Attempt is an attempt as it is in the end.
type Attempt struct {
	ID        trowel.AttemptID
	ProjectID trowel.ProjectID
	Workflow  string
	Flags     trowel.AttemptFlags
	// Live is how many tasks are not in the archive.
	Live int
	// Tasks are those in the archive. Archived tells that there is one; an attempt that was killed
	// before its turn has none.
	Tasks    []*trowel.Task
	Archived bool
	Tries    []trowel.Try
}

// History is all that happened in a database. Commits are in the order in which they were committed.
type History struct {
	Attempts map[trowel.AttemptID]*Attempt
	Commits  []Commit
	Poison   int // agent.poison_limit; zero if that is not to be checked
}

// taskKey names a task among all.
type taskKey struct {
	attempt trowel.AttemptID
	task    trowel.TaskID
}

// Judge returns a sentence for each thing that must not be.
func Judge(h *History, bounds []Bound) []string {
	f := &findings{}
	f.attempts(h)
	f.moves(h)
	f.tries(h)
	f.reached(h)
	f.poison(h)
	f.bounds(h, bounds)
	return f.list
}

type findings struct{ list []string }

func (f *findings) add(format string, args ...any) {
	f.list = append(f.list, fmt.Sprintf(format, args...))
}

// name is how a task is called in a finding.
func (a *Attempt) name(id trowel.TaskID) string {
	for _, t := range a.Tasks {
		if t.ID == id {
			return t.FullName
		}
	}
	return fmt.Sprintf("task %d", id)
}
