package scheduler_test

import (
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/scheduler"
	"github.com/trowel-project/trowel/internal/store/sqlite"
)

// house is a store with one project.
type house struct {
	store     trowel.Store
	project   trowel.Project
	revision  int
	workflows map[string]*trowel.Workflow
}

func newHouse(tb testing.TB) *house {
	tb.Helper()
	db, err := sqlite.Open(tb.Context(), sqlite.Options{Path: tb.TempDir() + "/trowel.db"}, time.Now())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return &house{store: db}
}

// next returns when the next schedule is due.
func (h *house) next(tb testing.TB) (at time.Time) {
	tb.Helper()
	err := h.store.View(tb.Context(), func(tx trowel.Tx) (err error) {
		at, err = tx.FindNextRun(tb.Context())
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return at
}

// push stores a revision with workflows in Tokyo, as name and JSON of each, with their schedules.
func (h *house) push(tb testing.TB, p scheduler.Push, workflows map[string]string) error {
	tb.Helper()
	h.revision++
	h.project = trowel.Project{Name: "p", CreatedAt: p.Now}
	h.workflows = map[string]*trowel.Workflow{}
	for name, text := range workflows {
		definition, err := param.ParseMap(text)
		if err != nil {
			tb.Fatal(err)
		}
		w := &trowel.Workflow{Name: name, Zone: "Asia/Tokyo", Definition: definition}
		h.workflows[name] = w
		p.Workflows = append(p.Workflows, w)
	}
	revision := &trowel.Revision{Name: string(rune('a' + h.revision)), CreatedAt: p.Now, Archive: trowel.Archive{Type: "none"}}
	return h.store.Update(tb.Context(), func(tx trowel.Tx) error {
		if err := tx.InsertRevision(tb.Context(), &h.project, revision, p.Workflows); err != nil {
			return err
		}
		p.Project = h.project.ID
		return scheduler.Apply(tb.Context(), tx, p)
	})
}

func (h *house) mustPush(tb testing.TB, p scheduler.Push, workflows map[string]string) {
	tb.Helper()
	if err := h.push(tb, p, workflows); err != nil {
		tb.Fatal(err)
	}
}

// schedule returns the schedule of a workflow; nil without one.
func (h *house) schedule(tb testing.TB, workflow string) *trowel.Schedule {
	tb.Helper()
	var found *trowel.Schedule
	err := h.store.View(tb.Context(), func(tx trowel.Tx) error {
		list, err := tx.ListSchedules(tb.Context(), trowel.ScheduleFilter{Project: h.project.ID, Workflow: workflow, Limit: 1})
		if len(list) > 0 {
			found = &list[0].Schedule
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

// attempts lists all attempts, oldest first.
func (h *house) attempts(tb testing.TB) []*trowel.AttemptSummary {
	tb.Helper()
	var list []*trowel.AttemptSummary
	err := h.store.View(tb.Context(), func(tx trowel.Tx) (err error) {
		list, err = tx.ListAttempts(tb.Context(), trowel.AttemptFilter{Limit: -1})
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

func (h *house) decisions(tb testing.TB, workflow string) []trowel.Decision {
	tb.Helper()
	var list []trowel.Decision
	err := h.store.View(tb.Context(), func(tx trowel.Tx) (err error) {
		list, err = tx.ListDecisions(tb.Context(), h.project.ID, workflow, 1000)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
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
