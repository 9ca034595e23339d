package view

import (
	"maps"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

func searchAttempts(c *rest.Call) (any, error) {
	if err := checkParams(c); err != nil {
		return nil, err
	}
	q, err := readSearch(c)
	if err != nil {
		return nil, err
	}
	limit, key, err := c.PageNumbers(2)
	if err != nil {
		return nil, err
	}
	if key != nil {
		q.After = &trowel.AttemptKey{CreatedAt: time.UnixMicro(key[0]), ID: trowel.AttemptID(key[1])}
	}
	q.Limit, q.MaxBytes = limit, rest.MaxPageBytes
	page := api.AttemptSearch{Items: api.List[api.AttemptItem]{}}
	var found []*trowel.AttemptSummary
	var more bool
	err = c.View(func(tx trowel.Tx) error {
		project, err := find.ProjectParam(c, tx)
		switch {
		case err != nil:
			return err
		case project != nil:
			q.Project = project.ID
		default:
			q.Project = c.Caller.Project
		}
		found, more, err = tx.SearchAttempts(c.Ctx(), *q)
		return err
	})
	if err != nil {
		return nil, err
	}
	if more && len(found) > 0 {
		last := &found[len(found)-1].Attempt
		page.Next = rest.NumberCursor(last.CreatedAt.UnixMicro(), int64(last.ID))
	}
	for _, s := range found {
		page.Items = append(page.Items, itemOf(s))
	}
	return page, nil
}

// checkParams refuses unknown query parameters. A misspelt one would find more than was asked for.
func checkParams(c *rest.Call) error {
	var known []string
	for _, p := range c.Route.Query {
		known = append(known, p.Name)
	}
	for _, key := range slices.Sorted(maps.Keys(c.Query)) {
		if !slices.Contains(known, key) {
			return rest.Unknown("parameter", key, known)
		}
	}
	return nil
}

// readSearch reads the parameters, except project and page.
func readSearch(c *rest.Call) (*trowel.AttemptSearch, error) {
	q := &trowel.AttemptSearch{Status: c.Query.Get("status"), Workflow: c.Query.Get("workflow")}
	if statuses := []string{"", "running", "success", "error", "killed"}; !slices.Contains(statuses, q.Status) {
		return nil, rest.InvalidValue("status", "status must be running, success, error or killed, not %q", q.Status)
	}
	if q.Workflow != "" && c.Query.Get("project") == "" {
		return nil, rest.InvalidValue("workflow", "workflow needs a project")
	}
	switch unit := c.Query.Get("unit"); unit {
	case "", "attempt":
	case "session":
		q.LastOnly = true
	default:
		return nil, rest.InvalidValue("unit", "unit must be attempt or session, not %q", unit)
	}
	switch sort := c.Query.Get("sort"); sort {
	case "", "-createdAt":
	case "createdAt":
		q.Ascending = true
	default:
		return nil, rest.InvalidValue("sort", "sort must be createdAt or -createdAt, not %q", sort)
	}
	var err error
	if q.CreatedFrom, err = c.InstantParam("createdFrom"); err != nil {
		return nil, err
	}
	q.CreatedTo, err = c.InstantParam("createdTo")
	return q, err
}

func itemOf(s *trowel.AttemptSummary) api.AttemptItem {
	return api.AttemptItem{
		Attempt: document.Attempt(s), CreatedAt: document.Instant(s.Attempt.CreatedAt), FinishedAt: document.OptInstant(s.Attempt.FinishedAt),
	}
}
