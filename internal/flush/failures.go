package flush

import (
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
)

// failures are the tasks that a transaction ended in an error: one row for those of an attempt with one cause, so that
// thousands that fail alike are few rows.
type failures struct {
	rows []trowel.Failure
	at   map[failureKey]int // index in rows
}

type failureKey struct {
	attempt trowel.AttemptID
	cause   trowel.Cause
}

func (f *failures) add(at time.Time, of *trowel.AttemptContext, task *trowel.Task) {
	value, _ := task.Error.Get("message")
	message, _ := value.(string)
	operator := dig.OperatorOf(task.Local)
	cause, kind := trowel.CauseOf(operator, message)
	key := failureKey{task.AttemptID, cause}
	if i, known := f.at[key]; known {
		f.rows[i].Tasks++
		return
	}
	if f.at == nil {
		f.at = map[failureKey]int{}
	}
	f.at[key] = len(f.rows)
	f.rows = append(f.rows, trowel.Failure{
		At: at, AttemptID: task.AttemptID, ProjectID: of.Project.ID, Workflow: of.Session.Workflow, Cause: cause, Operator: operator, Kind: kind,
		Message: cut(message, trowel.MaxFailureMessage), TaskID: task.ID, TaskName: task.FullName, Try: task.Try, Tasks: 1,
	})
}

// cut returns the beginning of a text that has at most so many bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
