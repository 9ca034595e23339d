package server

import (
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
)

// page reads page_size, which has a largest value, and last_id.
func (c *call) page(largest int) (before int64, limit int, err error) {
	before, err = c.intParam("last_id", 64, 0)
	if err != nil {
		return 0, 0, err
	}
	limit, err = c.limitParam("page_size")
	if err != nil {
		return 0, 0, err
	}
	if c.query.Has("page_size") && limit > largest {
		return 0, 0, Invalid("Your specified page_size is Optional.of(%d), but it is larger than MAX_PAGE_SIZE: %d. "+
			"You must specify page_size with a number which is smaller than %d.", limit, largest, largest) // server 2.4
	}
	return before, c.limitBefore(before, limit), nil
}

// limitBefore is the size of a page of what comes before an id: nothing does if the id is not positive.
func (c *call) limitBefore(before int64, limit int) int {
	if c.query.Has("last_id") && before <= 0 {
		return 0
	}
	return limit
}

func getSessions(c *call) (any, error) {
	before, limit, err := c.page(c.opts.MaxSessionsPage)
	if err != nil {
		return nil, err
	}
	var list []*trowel.AttemptSummary
	err = c.view(func(tx trowel.Tx) (err error) {
		list, err = tx.ListSessions(c.ctx(), trowel.SessionFilter{Project: c.caller.Project, Before: trowel.SessionID(before), Limit: limit, MaxBytes: maxPageBytes})
		return err
	})
	return api.SessionCollection{Sessions: listOf(c.allowed(list), sessionOf)}, err
}

// allowed leaves out what the caller may not see.
func (c *call) allowed(list []*trowel.AttemptSummary) []*trowel.AttemptSummary {
	return slices.DeleteFunc(list, func(s *trowel.AttemptSummary) bool { return c.may(s.Project.ID) != nil })
}

func getProjectSessions(c *call) (any, error) {
	before, limit, err := c.page(c.opts.MaxSessionsPage)
	if err != nil {
		return nil, err
	}
	return inProject(c, func(tx trowel.Tx, p *trowel.Project) (api.SessionCollection, error) {
		filter := trowel.SessionFilter{Project: p.ID, Workflow: c.query.Get("workflow"), Before: trowel.SessionID(before), Limit: limit, MaxBytes: maxPageBytes}
		if c.query.Has("workflow") && filter.Workflow == "" {
			return api.SessionCollection{}, nil
		}
		list, err := tx.ListSessions(c.ctx(), filter)
		return api.SessionCollection{Sessions: listOf(list, sessionOf)}, err
	})
}

func getSession(c *call) (any, error) {
	s, err := c.session()
	if err != nil {
		return nil, err
	}
	return sessionOf(s), nil
}

// session returns the session of the path.
func (c *call) session() (*trowel.AttemptSummary, error) {
	id := trowel.SessionID(c.number())
	var s *trowel.AttemptSummary
	err := c.view(func(tx trowel.Tx) (err error) {
		if s, err = tx.FindSession(c.ctx(), id); err == nil {
			err = hidden(c, s.Project.ID)
		}
		return err
	})
	if err != nil {
		return nil, OrNoResource(err, "session id=%d", id)
	}
	return s, c.may(s.Project.ID)
}

func getSessionAttempts(c *call) (any, error) {
	before, limit, err := c.page(c.opts.MaxAttemptsPage)
	if err != nil {
		return nil, err
	}
	s, err := c.session()
	if err != nil {
		return nil, err
	}
	var list []*trowel.AttemptSummary
	err = c.view(func(tx trowel.Tx) (err error) {
		list, err = tx.ListAttempts(c.ctx(), trowel.AttemptFilter{Session: s.Session.ID, Before: trowel.AttemptID(before), Limit: limit, MaxBytes: maxPageBytes})
		return err
	})
	return api.AttemptCollection{Attempts: listOf(list, attemptOf)}, err
}

// attempt returns the attempt of the path, in a transaction of its own.
func (c *call) attempt() (s *trowel.AttemptSummary, err error) {
	err = c.view(func(tx trowel.Tx) error {
		s, err = c.findAttempt(tx)
		return err
	})
	return s, err
}

// findAttempt returns the attempt of the path.
func (c *call) findAttempt(tx trowel.Tx) (*trowel.AttemptSummary, error) {
	id := trowel.AttemptID(c.number())
	s, err := findSummary(c, tx, id)
	if err != nil {
		return nil, OrNoResource(err, "session attempt id=%d", id)
	}
	return s, c.may(s.Project.ID)
}
