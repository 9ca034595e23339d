package find

import (
	"errors"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// AttemptByID returns an attempt that the caller may see.
func AttemptByID(c *rest.Call, tx trowel.Tx, id trowel.AttemptID) (*trowel.AttemptSummary, error) {
	s, err := tx.FindAttemptSummary(c.Ctx(), id)
	if err == nil {
		err = c.CheckVisible(s.Project.ID)
	}
	return s, err
}

// Attempt returns the attempt of the path.
func Attempt(c *rest.Call, tx trowel.Tx) (*trowel.AttemptSummary, error) {
	id := trowel.AttemptID(c.PathNumber(0))
	s, err := AttemptByID(c, tx, id)
	if err != nil {
		return nil, rest.OrNoResource(err, "session attempt id=%d", id)
	}
	return s, c.Authorize(s.Project.ID)
}

// ReadAttempt is Attempt in a transaction of its own.
func ReadAttempt(c *rest.Call) (s *trowel.AttemptSummary, err error) {
	err = c.View(func(tx trowel.Tx) error {
		s, err = Attempt(c, tx)
		return err
	})
	return s, err
}

// ReadTasks returns all tasks of the attempt of the path, by id. An attempt that has not begun has none.
func ReadTasks(c *rest.Call) (tasks []*trowel.Task, err error) {
	err = c.View(func(tx trowel.Tx) error {
		s, err := Attempt(c, tx)
		if err != nil {
			return err
		}
		tasks, err = tx.ListTasks(c.Ctx(), s.Attempt.ID, -1)
		if err != nil || len(tasks) > 0 {
			return err
		}
		tasks, err = tx.ListArchivedTasks(c.Ctx(), s.Attempt.ID)
		if errors.Is(err, trowel.ErrNotFound) {
			return nil // it has not begun
		}
		return err
	})
	return tasks, err
}
