package v1

import (
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// readPage reads last_id and page_size. largest is the limit of page_size.
func readPage(c *rest.Call, largest int) (before int64, limit int, err error) {
	before, err = c.IntParam("last_id", 64, 0)
	if err != nil {
		return 0, 0, err
	}
	limit, err = limitParam(c, "page_size")
	if err != nil {
		return 0, 0, err
	}
	if c.Query.Has("page_size") && limit > largest {
		return 0, 0, rest.Invalid("Your specified page_size is Optional.of(%d), but it is larger than MAX_PAGE_SIZE: %d. "+
			"You must specify page_size with a number which is smaller than %d.", limit, largest, largest) // server 2.4
	}
	return before, limitBefore(c, before, limit), nil
}

// limitParam reads the size of a page. A negative one means no limit.
func limitParam(c *rest.Call, name string) (int, error) {
	n, err := c.IntParam(name, 32, rest.DefaultPage)
	return int(n), err
}

// limitBefore returns the size of a page of things before an id. It is 0 if the id is not positive: there is nothing before.
func limitBefore(c *rest.Call, before int64, limit int) int {
	if c.Query.Has("last_id") && before <= 0 {
		return 0
	}
	return limit
}

// pageLimits are the largest page sizes of lists, for their handlers.
type pageLimits struct{ sessions, attempts int }

func (p *pageLimits) getSessions(c *rest.Call) (any, error) {
	before, limit, err := readPage(c, p.sessions)
	if err != nil {
		return nil, err
	}
	var list []*trowel.AttemptSummary
	err = c.View(func(tx trowel.Tx) (err error) {
		list, err = tx.ListSessions(c.Ctx(), trowel.SessionFilter{Project: c.Caller.Project, Before: trowel.SessionID(before), Limit: limit, MaxBytes: rest.MaxPageBytes})
		return err
	})
	return api.SessionCollection{Sessions: document.List(visible(c, list), sessionOf)}, err
}

// visible leaves out what the caller may not see.
func visible(c *rest.Call, list []*trowel.AttemptSummary) []*trowel.AttemptSummary {
	return slices.DeleteFunc(list, func(s *trowel.AttemptSummary) bool { return c.Authorize(s.Project.ID) != nil })
}

func (p *pageLimits) getProjectSessions(c *rest.Call) (any, error) {
	before, limit, err := readPage(c, p.sessions)
	if err != nil {
		return nil, err
	}
	return find.InProject(c, func(tx trowel.Tx, of *trowel.Project) (api.SessionCollection, error) {
		filter := trowel.SessionFilter{Project: of.ID, Workflow: c.Query.Get("workflow"), Before: trowel.SessionID(before), Limit: limit, MaxBytes: rest.MaxPageBytes}
		if c.Query.Has("workflow") && filter.Workflow == "" {
			return api.SessionCollection{}, nil
		}
		list, err := tx.ListSessions(c.Ctx(), filter)
		return api.SessionCollection{Sessions: document.List(list, sessionOf)}, err
	})
}

func getSession(c *rest.Call) (any, error) {
	s, err := findSession(c)
	if err != nil {
		return nil, err
	}
	return sessionOf(s), nil
}

// findSession returns the session of the path.
func findSession(c *rest.Call) (*trowel.AttemptSummary, error) {
	id := trowel.SessionID(c.PathNumber(0))
	var s *trowel.AttemptSummary
	err := c.View(func(tx trowel.Tx) (err error) {
		if s, err = tx.FindSession(c.Ctx(), id); err == nil {
			err = c.CheckVisible(s.Project.ID)
		}
		return err
	})
	if err != nil {
		return nil, rest.OrNoResource(err, "session id=%d", id)
	}
	return s, c.Authorize(s.Project.ID)
}

func (p *pageLimits) getSessionAttempts(c *rest.Call) (any, error) {
	before, limit, err := readPage(c, p.attempts)
	if err != nil {
		return nil, err
	}
	s, err := findSession(c)
	if err != nil {
		return nil, err
	}
	var list []*trowel.AttemptSummary
	err = c.View(func(tx trowel.Tx) (err error) {
		list, err = tx.ListAttempts(c.Ctx(), trowel.AttemptFilter{Session: s.Session.ID, Before: trowel.AttemptID(before), Limit: limit, MaxBytes: rest.MaxPageBytes})
		return err
	})
	return api.AttemptCollection{Attempts: document.List(list, document.Attempt)}, err
}
