package server

import (
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
)

// page reads page_size, which has a largest value, and last_id.
func readPage(c *call, largest int) (before int64, limit int, err error) {
	before, err = c.intParam("last_id", 64, 0)
	if err != nil {
		return 0, 0, err
	}
	limit, err = limitParam(c, "page_size")
	if err != nil {
		return 0, 0, err
	}
	if c.query.Has("page_size") && limit > largest {
		return 0, 0, Invalid("Your specified page_size is Optional.of(%d), but it is larger than MAX_PAGE_SIZE: %d. "+
			"You must specify page_size with a number which is smaller than %d.", limit, largest, largest) // server 2.4
	}
	return before, limitBefore(c, before, limit), nil
}

// limitParam reads the size of a page; a negative one is no limit.
func limitParam(c *call, name string) (int, error) {
	n, err := c.intParam(name, 32, defaultPage)
	return int(n), err
}

// limitBefore is the size of a page of what comes before an id: nothing does if the id is not positive.
func limitBefore(c *call, before int64, limit int) int {
	if c.query.Has("last_id") && before <= 0 {
		return 0
	}
	return limit
}

// pages are the largest pages of lists.
type pages struct{ sessions, attempts int }

func (p *pages) getSessions(c *call) (any, error) {
	before, limit, err := readPage(c, p.sessions)
	if err != nil {
		return nil, err
	}
	var list []*trowel.AttemptSummary
	err = c.view(func(tx trowel.Tx) (err error) {
		list, err = tx.ListSessions(c.ctx(), trowel.SessionFilter{Project: c.caller.Project, Before: trowel.SessionID(before), Limit: limit, MaxBytes: maxPageBytes})
		return err
	})
	return api.SessionCollection{Sessions: listOf(visible(c, list), sessionOf)}, err
}

// allowed leaves out what the caller may not see.
func visible(c *call, list []*trowel.AttemptSummary) []*trowel.AttemptSummary {
	return slices.DeleteFunc(list, func(s *trowel.AttemptSummary) bool { return c.may(s.Project.ID) != nil })
}

func (p *pages) getProjectSessions(c *call) (any, error) {
	before, limit, err := readPage(c, p.sessions)
	if err != nil {
		return nil, err
	}
	return inProject(c, func(tx trowel.Tx, of *trowel.Project) (api.SessionCollection, error) {
		filter := trowel.SessionFilter{Project: of.ID, Workflow: c.query.Get("workflow"), Before: trowel.SessionID(before), Limit: limit, MaxBytes: maxPageBytes}
		if c.query.Has("workflow") && filter.Workflow == "" {
			return api.SessionCollection{}, nil
		}
		list, err := tx.ListSessions(c.ctx(), filter)
		return api.SessionCollection{Sessions: listOf(list, sessionOf)}, err
	})
}

func getSession(c *call) (any, error) {
	s, err := findSession(c)
	if err != nil {
		return nil, err
	}
	return sessionOf(s), nil
}

// session returns the session of the path.
func findSession(c *call) (*trowel.AttemptSummary, error) {
	id := trowel.SessionID(c.number(0))
	var s *trowel.AttemptSummary
	err := c.view(func(tx trowel.Tx) (err error) {
		if s, err = tx.FindSession(c.ctx(), id); err == nil {
			err = c.checkVisible(s.Project.ID)
		}
		return err
	})
	if err != nil {
		return nil, OrNoResource(err, "session id=%d", id)
	}
	return s, c.may(s.Project.ID)
}

func (p *pages) getSessionAttempts(c *call) (any, error) {
	before, limit, err := readPage(c, p.attempts)
	if err != nil {
		return nil, err
	}
	s, err := findSession(c)
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
