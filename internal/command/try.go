package command

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

// Site is the id of the only site, which Digdag has in names of pods.
const Site = 0

// Try identifies the try of a task that a command runs for.
type Try struct {
	Project  trowel.ProjectID
	Revision string // name of the revision of the project; empty if there is none
	Session  string // UUID of the session, which no other installation has
	Attempt  trowel.AttemptID
	Task     trowel.TaskID
	Name     string // full name of the task
	Number   int    // of the try, from 1
	Retry    int    // how often the task was woken up for a retry or poll before
}

// TryOf returns the Try of a lease.
func TryOf(lease *trowel.Lease) Try {
	t := Try{
		Attempt: lease.AttemptID, Task: lease.TaskID, Name: lease.FullName, Number: lease.Try, Retry: lease.RetryCount,
	}
	if c := lease.Context; c != nil {
		t.Project, t.Revision, t.Session = c.Project.ID, c.Revision.Name, c.Session.UUID
	}
	return t
}

// ID is how the try is called in labels and names of things outside: "TASK-NUMBER".
func (t *Try) ID() string { return fmt.Sprintf("%d-%d", t.Task, t.Number) }

// Key is a key for requests that a service is to carry out once. If a server or agent ends between sending a request and
// storing its answer, the next try of the task has the same key. A retry of a task that had failed has another one. It has
// 32 hexadecimal digits.
func (t *Try) Key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%d/%d", t.Session, t.Attempt, t.Task, t.Retry))
	return hex.EncodeToString(sum[:16])
}
