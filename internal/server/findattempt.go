package server

import (
	"errors"

	trowel "github.com/trowel-project/trowel"
)

// findSummary returns an attempt, as far as the caller sees it.
func findSummary(c *call, tx trowel.Tx, id trowel.AttemptID) (*trowel.AttemptSummary, error) {
	s, err := tx.FindAttemptSummary(c.ctx(), id)
	if err == nil {
		err = c.checkVisible(s.Project.ID)
	}
	return s, err
}

// findAttempt returns the attempt of the path.
func findAttempt(c *call, tx trowel.Tx) (*trowel.AttemptSummary, error) {
	id := trowel.AttemptID(c.number(0))
	s, err := findSummary(c, tx, id)
	if err != nil {
		return nil, OrNoResource(err, "session attempt id=%d", id)
	}
	return s, c.may(s.Project.ID)
}

// attempt returns the attempt of the path, in a transaction of its own.
func ownAttempt(c *call) (s *trowel.AttemptSummary, err error) {
	err = c.view(func(tx trowel.Tx) error {
		s, err = findAttempt(c, tx)
		return err
	})
	return s, err
}

// attemptTasks returns all tasks of the attempt of the path, by id: none of one that waits for its turn.
func attemptTasks(c *call) (tasks []*trowel.Task, err error) {
	err = c.view(func(tx trowel.Tx) error {
		s, err := findAttempt(c, tx)
		if err != nil {
			return err
		}
		tasks, err = tx.ListTasks(c.ctx(), s.Attempt.ID, -1)
		if err != nil || len(tasks) > 0 {
			return err
		}
		tasks, err = tx.ListArchivedTasks(c.ctx(), s.Attempt.ID)
		if errors.Is(err, trowel.ErrNotFound) {
			return nil // it waits for its turn
		}
		return err
	})
	return tasks, err
}
