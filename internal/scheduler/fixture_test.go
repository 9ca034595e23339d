package scheduler_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/scheduler"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// fixture is a store with one project.
type fixture struct {
	store    trowel.Store
	project  *trowtest.Project // as it was pushed last
	revision int
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	return &fixture{store: trowtest.FileStore(tb)}
}

// next returns when the next schedule is due.
func (f *fixture) next(tb testing.TB) (at time.Time) {
	tb.Helper()
	trowtest.View(tb, f.store, func(tx trowel.Tx) (err error) {
		at, err = tx.FindNextRun(tb.Context())
		return err
	})
	return at
}

// push stores a revision with workflows in Tokyo, and their schedules.
func (f *fixture) push(tb testing.TB, p scheduler.Push, workflows map[string]string) error {
	tb.Helper()
	f.revision++
	f.project = trowtest.NewProject(tb, "p", workflows).In("Asia/Tokyo")
	f.project.CreatedAt, f.project.Revision.CreatedAt = p.Now, p.Now
	f.project.Revision.Name = fmt.Sprintf("r%d", f.revision)
	p.Workflows = f.project.List()
	return f.store.Update(tb.Context(), func(tx trowel.Tx) error {
		if err := f.project.Insert(tb.Context(), tx); err != nil {
			return err
		}
		p.Project = f.project.ID
		return scheduler.Apply(tb.Context(), tx, p)
	})
}

func (f *fixture) mustPush(tb testing.TB, p scheduler.Push, workflows map[string]string) {
	tb.Helper()
	if err := f.push(tb, p, workflows); err != nil {
		tb.Fatal(err)
	}
}

// schedule returns the schedule of a workflow; nil without one.
func (f *fixture) schedule(tb testing.TB, workflow string) *trowel.Schedule {
	tb.Helper()
	var found *trowel.Schedule
	trowtest.View(tb, f.store, func(tx trowel.Tx) error {
		list, err := tx.ListSchedules(tb.Context(), trowel.ScheduleFilter{Project: f.project.ID, Workflow: workflow, Limit: 1})
		if len(list) > 0 {
			found = &list[0].Schedule
		}
		return err
	})
	return found
}

// attempts lists all attempts, oldest first.
func (f *fixture) attempts(tb testing.TB) []*trowel.AttemptSummary {
	tb.Helper()
	var list []*trowel.AttemptSummary
	trowtest.View(tb, f.store, func(tx trowel.Tx) (err error) {
		list, err = tx.ListAttempts(tb.Context(), trowel.AttemptFilter{Limit: -1})
		return err
	})
	slices.Reverse(list)
	return list
}

func (f *fixture) decisions(tb testing.TB, workflow string) []trowel.Decision {
	tb.Helper()
	var list []trowel.Decision
	trowtest.View(tb, f.store, func(tx trowel.Tx) (err error) {
		list, err = tx.ListDecisions(tb.Context(), trowel.DecisionFilter{Project: f.project.ID, Workflow: workflow, Limit: 1000})
		return err
	})
	return list
}

// tokyo reads a time in Tokyo.
func tokyo(text string) time.Time {
	at, err := time.ParseInLocation("2006-01-02 15:04:05", text, time.FixedZone("", 9*3600))
	if err != nil {
		panic(err)
	}
	return at
}

const daily = `{"schedule": {"daily>": "10:00:00"}, "+a": {"echo>": "hi"}}`
