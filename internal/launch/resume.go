package launch

import (
	"context"
	"errors"
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// Modes of a Resume.
const (
	ResumeFailed = "failed" // all that succeeded counts as done
	ResumeFrom   = "from"   // all before a task counts as done
)

// Resume says which tasks of an earlier attempt, the source, count as done (language X65). The source must be of the
// same project whoever asks, because the new attempt can read what its tasks have stored.
type Resume struct {
	Attempt trowel.AttemptID
	Mode    string
	From    string // of ResumeFrom: the end of the full name of one task of the source

	rows []*trowel.Task // of the source, where they were read before
}

// tasks returns the tasks that count as done. A source of another project is reported as missing.
func (r *Resume) tasks(ctx context.Context, tx trowel.Tx, project trowel.ProjectID) ([]*trowel.Task, error) {
	if r == nil {
		return nil, nil
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	source, err := tx.FindAttempt(ctx, r.Attempt)
	if errors.Is(err, trowel.ErrNotFound) || err == nil && source.ProjectID != project {
		missing := trowel.NotFound("session attempt id=%d", r.Attempt)
		missing.Hint = "resume an attempt of the same project, or start without resuming"
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	rows := r.rows
	if rows == nil {
		if rows, err = tasksOf(ctx, tx, r.Attempt); err != nil {
			return nil, err
		}
	}
	if r.Mode == ResumeFrom {
		return engine.ResumeFrom(rows, r.From)
	}
	return engine.ResumeFailed(rows)
}

// tasksOf returns the tasks of an attempt, which may have ended.
func tasksOf(ctx context.Context, tx trowel.Tx, id trowel.AttemptID) ([]*trowel.Task, error) {
	rows, err := tx.ListTasks(ctx, id, -1)
	if err == nil && len(rows) == 0 {
		rows, err = tx.ListArchivedTasks(ctx, id)
	}
	return rows, err
}

func (r *Resume) check() error {
	switch {
	case r.Mode != ResumeFailed && r.Mode != ResumeFrom:
		return &trowel.Error{
			Kind: trowel.ErrInvalid, Message: fmt.Sprintf("Unknown resume mode: %s", r.Mode), Hint: `the modes are "failed" and "from"`,
		}
	case r.Mode == ResumeFrom && r.From == "":
		return &trowel.Error{
			Kind: trowel.ErrInvalid, Message: "from is required to resume from a task", Hint: "give the end of the full name of a task",
		}
	}
	return nil
}
