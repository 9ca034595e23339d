package verify

import (
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Commit is what one transaction changed.
type Commit struct {
	At      time.Time // when it was committed, by the database's clock
	Entries []trowel.AuditEntry
}

// Attempt is the final state of an attempt.
type Attempt struct {
	ID        trowel.AttemptID
	ProjectID trowel.ProjectID
	Workflow  string
	Flags     trowel.AttemptFlags
	// Live is how many tasks are not archived.
	Live int
	// Tasks are the archived tasks. Archived reports whether there is an archive. An attempt that was killed
	// before its turn has none.
	Tasks    []*trowel.Task
	Archived bool
	Tries    []trowel.Try
}

// History is everything that happened in a database. Commits are in the order in which they were committed.
type History struct {
	Attempts map[trowel.AttemptID]*Attempt
	Commits  []Commit
	Poison   int // agent.poison_limit; zero to skip this check
}

// taskKey identifies a task among all.
type taskKey struct {
	attempt trowel.AttemptID
	task    trowel.TaskID
}

// Judge returns a sentence for each violation.
func Judge(h *History, bounds []Bound) []string {
	f := &findings{}
	f.attempts(h)
	f.moves(h)
	f.tries(h)
	f.jobs(h)
	f.reached(h)
	f.poison(h)
	f.bounds(h, bounds)
	return f.list
}

type findings struct{ list []string }

func (f *findings) add(format string, args ...any) {
	f.list = append(f.list, fmt.Sprintf(format, args...))
}

// name returns the name of a task in a finding.
func (a *Attempt) name(id trowel.TaskID) string {
	for _, t := range a.Tasks {
		if t.ID == id {
			return t.FullName
		}
	}
	return fmt.Sprintf("task %d", id)
}
