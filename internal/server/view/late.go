package view

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/rest"
)

const (
	// startGrace is how late a session may start before it is listed.
	startGrace = time.Minute
	// lateRunning is how many running attempts are looked at, the oldest ones.
	lateRunning = 100
	// mostLate is how many things a list has that are late.
	mostLate = 500
)

// getLate answers with what should have happened, the latest first.
func (h *handlers) getLate(c *rest.Call) (any, error) {
	list := api.LateList{}
	err := c.View(func(tx trowel.Tx) error {
		running, err := runningOf(c, tx, lateRunning)
		if err != nil {
			return err
		}
		list.Items, err = h.late(c, tx, running, mostLate)
		return err
	})
	return list, err
}

// runningOf returns the oldest attempts that run and that the caller may see.
func runningOf(c *rest.Call, tx trowel.Tx, limit int) ([]*trowel.AttemptSummary, error) {
	list, _, err := tx.SearchAttempts(c.Ctx(), trowel.AttemptSearch{
		Status: "running", Project: c.Caller.Project, Ascending: true, Limit: limit, MaxBytes: rest.MaxPageBytes,
	})
	return list, err
}

// late returns sessions that should have started, and attempts that run longer than nine in ten did before.
func (h *handlers) late(c *rest.Call, tx trowel.Tx, running []*trowel.AttemptSummary, limit int) (api.List[api.Late], error) {
	list := api.List[api.Late]{}
	due, err := tx.ListUpcoming(c.Ctx(), trowel.UpcomingFilter{Before: c.Now.Add(-startGrace), Project: c.Caller.Project, Limit: limit})
	if err != nil {
		return nil, err
	}
	for i := range due {
		u := &due[i]
		id, session := api.ID(u.Schedule.ID), document.OffsetTime(u.Schedule.NextSessionAt, u.Workflow.Zone)
		list = append(list, api.Late{
			Kind: "not_started", Project: api.IDName{ID: api.ID(u.Schedule.ProjectID), Name: u.Project}, Workflow: u.Schedule.Workflow, SessionTime: &session,
			ExpectedAt: document.Instant(u.Schedule.NextRunAt), MarginMS: u.Schedule.NextRunAt.Sub(c.Now).Milliseconds(), ScheduleID: &id,
			Reason: "the session is due and has not been started",
		})
	}
	for _, s := range running {
		sorted, err := h.usual.times(c, tx, s.Project.ID, s.Session.Workflow, s.Attempt.WorkflowID)
		if err != nil {
			return nil, err
		}
		if sorted == nil || !c.Now.After(s.Attempt.CreatedAt.Add(quantile(sorted, 0.9))) {
			continue
		}
		id, session := api.ID(s.Attempt.ID), document.OffsetTime(s.Session.Time, s.Attempt.Zone)
		usual := quantile(sorted, 0.9)
		expected := s.Attempt.CreatedAt.Add(usual)
		list = append(list, api.Late{
			Kind: "running_long", Project: document.IDName(s.Project), Workflow: s.Session.Workflow, SessionTime: &session, ExpectedAt: document.Instant(expected),
			MarginMS: expected.Sub(c.Now).Milliseconds(), AttemptID: &id,
			Reason: fmt.Sprintf("it runs for %s, and nine in ten of %d took at most %s", rounded(c.Now.Sub(s.Attempt.CreatedAt)), len(sorted), rounded(usual)),
		})
	}
	slices.SortFunc(list, func(a, b api.Late) int { return cmp.Compare(a.MarginMS, b.MarginMS) })
	return list[:min(len(list), limit)], nil
}

// rounded shortens a duration for people.
func rounded(d time.Duration) time.Duration {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}
