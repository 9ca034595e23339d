package view

import (
	"cmp"
	"maps"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

const (
	// failuresSince is how long ago the failures begin that a request without since asks for.
	failuresSince = 24 * time.Hour
	// newFor is how long a cause must not have been seen to be new.
	newFor = 14 * 24 * time.Hour
	// failureRows is how many failures of a time are looked at, the newest ones.
	failureRows = 5_000
	// failureAttempts is how many attempts of a cause are named.
	failureAttempts = 50
)

// getFailures answers with failures by cause, the newest first.
func getFailures(c *rest.Call) (any, error) {
	if err := checkParams(c); err != nil {
		return nil, err
	}
	f, err := readFailureFilter(c)
	if err != nil {
		return nil, err
	}
	limit, key, err := c.PageNumbers(2)
	if err != nil {
		return nil, err
	}
	var list api.FailureList
	err = c.View(func(tx trowel.Tx) error {
		if f.Project, err = projectOf(c, tx); err != nil {
			return err
		}
		list, err = failuresByCause(c, tx, f, limit, key)
		return err
	})
	return list, err
}

// projectOf returns the project that a list is of: that of the parameter, or the only one that the caller may see; zero for all.
func projectOf(c *rest.Call, tx trowel.Tx) (trowel.ProjectID, error) {
	project, err := find.ProjectParam(c, tx)
	if err != nil || project == nil {
		return c.Caller.Project, err
	}
	return project.ID, nil
}

func readFailureFilter(c *rest.Call) (f trowel.FailureFilter, err error) {
	f.Limit, f.Workflow = failureRows, c.Query.Get("workflow")
	if f.Workflow != "" && c.Query.Get("project") == "" {
		return f, rest.InvalidValue("workflow", "workflow needs a project")
	}
	if f.Since, err = c.InstantParam("since"); err != nil {
		return f, err
	}
	if f.Until, err = c.InstantParam("until"); err != nil {
		return f, err
	}
	if f.Until.IsZero() {
		f.Until = c.Now.Add(time.Minute) // the clock of the server that stored it may be ahead
	}
	if f.Since.IsZero() {
		f.Since = f.Until.Add(-failuresSince)
	}
	if text := c.Query.Get("cause"); text != "" {
		if f.Cause, err = trowel.ParseCause(text); err != nil {
			return f, rest.InvalidValue("cause", "cause must have 16 hexadecimal digits, not %q", text)
		}
	}
	return f, nil
}

// failureGroup are the failures of one cause.
type failureGroup struct {
	cause       trowel.Cause
	tasks       int
	first, last time.Time
	attempts    []trowel.FailedAttempt // newest first
	sample      trowel.FailedAttempt
	recovered   bool
}

// compare orders groups, the newest first.
func (g *failureGroup) compare(last int64, cause trowel.Cause) int {
	return cmp.Or(cmp.Compare(last, g.last.UnixMicro()), cmp.Compare(g.cause, cause))
}

// failuresByCause returns a page of groups. key is that of the last group of the page before; nil for the first page.
func failuresByCause(c *rest.Call, tx trowel.Tx, f trowel.FailureFilter, limit int, key []int64) (list api.FailureList, err error) {
	failed, err := tx.ListFailedAttempts(c.Ctx(), f)
	if err != nil {
		return list, err
	}
	groups := groupFailures(failed)
	if key != nil {
		groups = slices.DeleteFunc(groups, func(g *failureGroup) bool { return g.compare(key[0], trowel.Cause(key[1])) <= 0 })
	}
	if len(groups) > limit {
		groups = groups[:limit]
		last := groups[limit-1]
		list.Next = rest.NumberCursor(last.last.UnixMicro(), int64(last.cause))
	}
	ids := make([]int64, len(groups))
	for i, g := range groups {
		ids[i] = g.sample.LastID
	}
	samples, err := tx.FindFailures(c.Ctx(), ids)
	if err != nil {
		return list, err
	}
	byCause := map[trowel.Cause]*trowel.FailureSample{}
	for i := range samples {
		byCause[samples[i].Cause] = &samples[i]
	}
	for _, g := range groups {
		sample := byCause[g.cause]
		if sample == nil {
			continue // deleted meanwhile
		}
		known, err := tx.FindKnownCauses(c.Ctx(), []trowel.Cause{g.cause}, f.Project, g.first.Add(-newFor), g.first)
		if err != nil {
			return list, err
		}
		list.Items = append(list.Items, g.document(sample, !known[g.cause]))
	}
	return list, nil
}

// groupFailures returns the groups of failures, the newest first.
func groupFailures(failed []trowel.FailedAttempt) []*failureGroup {
	slices.SortFunc(failed, func(a, b trowel.FailedAttempt) int { return cmp.Compare(b.LastID, a.LastID) })
	groups := map[trowel.Cause]*failureGroup{}
	for i := range failed {
		a := failed[i]
		g := groups[a.Cause]
		if g == nil {
			g = &failureGroup{cause: a.Cause, first: a.First, last: a.Last, sample: a, recovered: true}
			groups[a.Cause] = g
		}
		if g.recovered && !a.Recovered {
			g.recovered, g.sample = false, a
		}
		g.tasks += a.Tasks
		g.attempts = append(g.attempts, a)
		if a.First.Before(g.first) {
			g.first = a.First
		}
		if a.Last.After(g.last) {
			g.last = a.Last
		}
	}
	return slices.SortedFunc(maps.Values(groups), func(a, b *failureGroup) int { return a.compare(b.last.UnixMicro(), b.cause) })
}

func (g *failureGroup) document(sample *trowel.FailureSample, isNew bool) api.Failure {
	shape := api.Failure{
		Cause: g.cause.String(), Kind: document.OptText(sample.Kind), Message: sample.Message, Operator: document.OptText(sample.Operator), Count: g.tasks,
		First: document.Instant(g.first), Last: document.Instant(g.last), IsNew: isNew, Recovered: g.recovered, AttemptCount: len(g.attempts),
		Sample: api.FailureSample{
			AttemptID: api.ID(sample.AttemptID), TaskID: api.ID(sample.TaskID), TaskName: sample.TaskName,
			Project: api.IDName{ID: api.ID(sample.ProjectID), Name: sample.Project}, Workflow: sample.Workflow,
			SessionTime: document.OffsetTime(sample.SessionTime, sample.Zone), LogTail: sample.LastLines,
		},
	}
	for _, a := range g.attempts[:min(len(g.attempts), failureAttempts)] {
		shape.Attempts = append(shape.Attempts, api.ID(a.AttemptID))
	}
	return shape
}
