package reason_test

import (
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/schedule"
)

// Each way in which a session can be without an attempt has its code, its sentence and what can be done.
func TestSessionWhy(t *testing.T) {
	t.Parallel()
	zone, err := schedule.ParseZone("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	day := func(d, hour int) time.Time { return time.Date(2026, 1, d, hour, 0, 0, 0, zone.Location) }
	decided := func(what, why string, attempt trowel.AttemptID) func(*reason.Session) {
		return func(s *reason.Session) {
			s.Decision = &trowel.Decision{At: day(6, 3), What: what, Reason: why, AttemptID: attempt}
		}
	}
	const start = "trowel start 'my etl' daily --session '2026-01-06 00:00:00'"
	for _, c := range []struct {
		name             string
		change           func(s *reason.Session)
		code, text, next string
		offer            string
	}{
		{"no workflow", func(s *reason.Session) { s.Exists = false }, reason.SessionWorkflowGone, "revision r9 has no workflow daily", "", ""},
		{"no schedule", func(s *reason.Session) { s.Plan = nil }, reason.SessionNeverScheduled, "daily has no schedule", "", start},
		{"not stored", func(s *reason.Session) { s.Schedule = nil }, reason.SessionNeverScheduled, "is not stored", "", start},
		{
			"other time", func(s *reason.Session) { s.At = day(6, 1) }, reason.SessionNotPlanned,
			"2026-01-06 01:00:00 +0900 is no session time of the schedule: the next one is 2026-01-07 00:00:00 +0900", "", strings.Replace(start, " 00:", " 01:", 1),
		},
		{"before start", func(s *reason.Session) { s.At = day(1, 0) }, reason.SessionBeforeStart, "begins with the session 2026-01-03", "", strings.Replace(start, "-06 ", "-01 ", 1)},
		{"after end", func(s *reason.Session) { s.At = day(25, 0) }, reason.SessionAfterEnd, "the schedule was over before", "", strings.Replace(start, "-06 ", "-25 ", 1)},
		{
			"overtime", decided(trowel.DecisionSkipped, trowel.RuleSkipOvertime+": another attempt is active", 0), reason.SessionSkippedOvertime,
			"not started: another attempt is active (skip_on_overtime)", "", start,
		},
		{
			"delayed", decided(trowel.DecisionSkipped, trowel.RuleSkipDelayed+": it is later than 10m", 0), reason.SessionSkippedDelayed,
			"not started: it is later than 10m (skip_delayed_by)", "", start,
		},
		{
			"postponed", decided(trowel.DecisionPostponed, "Too many attempts running.", 0), reason.SessionPostponed,
			"put off: Too many attempts running.; tried again at 2026-01-06 03:00:00 +0900", "2026-01-06 03:00", "",
		},
		{"failed", decided(trowel.DecisionError, "no such zone", 0), reason.SessionFailed, "it could not be started: no such zone; tried again", "2026-01-06 03:00", ""},
		{"attempt gone", decided(trowel.DecisionStarted, "", 7), reason.SessionAttemptGone, "its attempt 7 was deleted since", "", start},
		{"disabled", func(s *reason.Session) { s.Schedule.DisabledAt = day(5, 0) }, reason.SessionDisabled, "disabled since 2026-01-05", "", "trowel enable 'my etl' daily"},
		{
			"paused", func(s *reason.Session) { s.Pause = &trowel.Pause{Actor: "ann", At: day(5, 0)} }, "workflow_paused",
			"ann has paused the workflow at 2026-01-05", "", "trowel unpause 'my etl' daily",
		},
		{"nobody starts it", func(s *reason.Session) { s.Now = day(6, 4) }, reason.SessionSchedulerOff, "due since 2026-01-06 03:00:00 +0900, but no server", "", ""},
		{"passed", func(s *reason.Session) { s.At = day(4, 0) }, reason.SessionPassed, "went past it", "", strings.Replace(start, "-06 ", "-04 ", 1)},
		{
			"older than the schedule", func(s *reason.Session) { s.At, s.Schedule.CreatedAt = day(4, 0), day(5, 0) }, reason.SessionBeforeStart,
			"is there since 2026-01-05", "", strings.Replace(start, "-06 ", "-04 ", 1),
		},
		{"planned", func(*reason.Session) {}, reason.SessionPlanned, "starts at 2026-01-06 03:00:00 +0900", "2026-01-06 03:00", ""},
		{"planned later", func(s *reason.Session) { s.At = day(8, 0) }, reason.SessionPlanned, "starts at 2026-01-08 03:00:00 +0900", "2026-01-08 03:00", ""},
		{
			"catching up", func(s *reason.Session) { s.At, s.Now = day(8, 0), day(9, 0) }, reason.SessionPlanned,
			"the schedule is at the session 2026-01-06 00:00:00 +0900 and comes to this one later", "", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			plan, err := schedule.Parse(param.Of("daily>", "03:00:00", "start", "2026-01-03", "end", "2026-01-20"), zone)
			if err != nil {
				t.Fatal(err)
			}
			s := &reason.Session{
				Now: day(5, 12), At: day(6, 0), Project: "my etl", Workflow: "daily", Revision: "r9", Exists: true, Plan: plan,
				Schedule: &trowel.Schedule{NextSessionAt: day(6, 0), NextRunAt: day(6, 3), CreatedAt: day(2, 0)},
			}
			c.change(s)
			why := s.Why()
			next, offer := "", ""
			if !why.NextAt.IsZero() {
				next = why.NextAt.In(zone.Location).Format("2006-01-02 15:04")
			}
			if len(why.Offers) > 0 {
				offer = why.Offers[0].Label
			}
			if why.Code != c.code || !strings.Contains(why.Text, c.text) || next != c.next || offer != c.offer {
				t.Errorf("Why = %s, %q, next %q, offer %q\nwant  %s, %q, next %q, offer %q", why.Code, why.Text, next, offer, c.code, c.text, c.next, c.offer)
			}
		})
	}
}
