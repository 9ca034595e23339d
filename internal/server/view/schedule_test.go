package view_test

import (
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

func TestScheduleDecisionsAndRuns(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, nil)
	s.Push(t, "project=p&revision=r1", "main.dig", "timezone: Europe/Berlin\nschedule:\n  daily>: 03:00:00\n+a:\n  echo>: a\n")
	var schedule trowel.Schedule
	err := s.Store.Update(t.Context(), func(tx trowel.Tx) error {
		rows, err := tx.ListSchedules(t.Context(), trowel.ScheduleFilter{Limit: 1})
		if err != nil {
			return err
		}
		schedule = rows[0].Schedule
		schedule.LastSessionAt = time.Date(2026, 3, 27, 23, 0, 0, 0, time.UTC)
		schedule.NextSessionAt = schedule.LastSessionAt.AddDate(0, 0, 1) // in the night in which clocks are put forward
		schedule.NextRunAt = schedule.NextSessionAt.Add(3 * time.Hour)
		if err := tx.UpdateSchedule(t.Context(), &schedule); err != nil {
			return err
		}
		about := trowel.Decision{At: schedule.LastSessionAt, ScheduleID: schedule.ID, ProjectID: schedule.ProjectID, Workflow: "main", SessionAt: schedule.LastSessionAt, RunAt: schedule.LastSessionAt}
		started, skipped := about, about
		started.What, started.AttemptID = trowel.DecisionStarted, 7
		skipped.What, skipped.Reason = trowel.DecisionSkipped, trowel.RuleSkipOvertime+": x"
		return tx.InsertDecisions(t.Context(), []trowel.Decision{started, skipped})
	})
	if err != nil {
		t.Fatal(err)
	}
	first := servertest.Read[api.ScheduleDecisionList](t, s.Get(t, "/api/schedules/1/decisions?limit=1"), 200)
	if len(first.Items) != 1 || first.Items[0].Decision != "skipped" || *first.Items[0].Code != "skipped_overtime" || first.Items[0].Attempt != nil || first.Next == nil {
		t.Fatalf("first page = %+v, want the skipped session", first)
	}
	second := servertest.Read[api.ScheduleDecisionList](t, s.Get(t, "/api/schedules/1/decisions?limit=1&cursor="+*first.Next), 200)
	if len(second.Items) != 1 || *second.Items[0].Attempt != 7 || second.Items[0].Code != nil || second.Next != nil {
		t.Errorf("second page = %+v, want the started session", second)
	}
	runs := servertest.Read[api.ScheduledRunList](t, s.Get(t, "/api/schedules/1/next?count=3"), 200)
	var got []string
	for _, r := range runs.Items {
		line := r.Local
		if r.Shift != nil {
			line += " " + *r.Shift
		}
		got = append(got, line)
	}
	if want := "2026-03-29T00:00:00+01:00|2026-03-30T00:00:00+02:00 +1h|2026-03-31T00:00:00+02:00"; strings.Join(got, "|") != want || runs.Timezone != "Europe/Berlin" {
		t.Errorf("runs = %q in %s, want %q", got, runs.Timezone, want)
	}
	for path, status := range map[string]int{
		"/api/schedules/1/next?count=0": 400, "/api/schedules/1/next?count=501": 400, "/api/schedules/1/next?count=x": 400, "/api/schedules/9/next": 404,
		"/api/schedules/9/decisions": 404, "/api/projects/1/workflows/main/why": 400, "/api/projects/9/workflows/main/why?sessionTime=2026-01-01T00:00:00Z": 404,
	} {
		if a := s.Get(t, path); a.Status != status {
			t.Errorf("%s: %d %s, want %d", path, a.Status, a.Body, status)
		}
	}
	why := servertest.Read[api.SessionWhy](t, s.Get(t, "/api/projects/1/workflows/main/why?sessionTime=2026-03-27T23:00:00Z"), 200)
	if why.Code == nil || *why.Code != "skipped_overtime" || len(why.Offers) != 1 || !why.Offers[0].Allowed || why.Since == nil {
		t.Errorf("why = %+v, want that it was skipped", why)
	}
}
