package scheduler_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/scheduler"
)

// TestTicks lets an hour pass: every session of every minute starts at its run time, none twice and
// none out of order (language S24, S24a).
func TestTicks(t *testing.T) {
	t.Parallel()
	workflows := map[string]string{"w": `{"schedule": {"minutes_interval>": 1, "delay": 5}, "+a": {"echo>": "hi"}}`}
	play(t, workflows, scheduler.Push{}, 1, nil, func(c *simulation) {
		t := c.t
		pass(time.Hour + 10*time.Second)
		begun := c.begun()
		if len(begun) != 61 {
			t.Fatalf("%d sessions in an hour, want 61", len(begun))
		}
		for i, b := range begun {
			session := tokyo("2024-03-10 12:00:00").Add(time.Duration(i) * time.Minute)
			if !b.session.Equal(session) || !b.at.Equal(session.Add(5*time.Second)) {
				t.Errorf("session %d: %v, begun at %v, want %v", i, b.session, b.at, session)
			}
		}
		if list := c.decisions(t, "w"); len(list) != 61 || list[0].What != trowel.DecisionStarted || list[0].AttemptID == 0 {
			t.Errorf("%d decisions, the last is %+v", len(list), list[0])
		}
	})
}

// TestTwoServers lets two schedulers work on one database: nothing starts twice, and each session has
// one decision (language S24b).
func TestTwoServers(t *testing.T) {
	t.Parallel()
	workflows := map[string]string{}
	for i := range 5 {
		workflows[fmt.Sprintf("w%d", i)] = `{"schedule": {"minutes_interval>": 1, "skip_on_overtime": true}, "+a": {"echo>": "hi"}}`
	}
	play(t, workflows, scheduler.Push{From: tokyo("2024-03-10 11:00:00")}, 2, nil, func(c *simulation) {
		t := c.t
		pass(10*time.Minute + 30*time.Second)
		for workflow := range workflows {
			seen := map[time.Time]int{}
			for _, b := range c.begun() {
				if b.workflow == workflow {
					seen[b.session]++
				}
			}
			decided := map[string]int{}
			for _, d := range c.decisions(t, workflow) {
				decided[d.What]++
			}
			for session, n := range seen {
				if n != 1 {
					t.Errorf("%s %v was begun %d times", workflow, session, n)
				}
			}
			if decided[trowel.DecisionStarted] != len(seen) || decided[trowel.DecisionStarted]+decided[trowel.DecisionSkipped] != 71 {
				t.Errorf("%s: %d sessions begun, decisions %v, want 71 in all", workflow, len(seen), decided)
			}
		}
	})
}

// TestCatchUp checks S24: after a downtime all that was missed starts, in its order, and two
// schedules take turns.
func TestCatchUp(t *testing.T) {
	t.Parallel()
	workflows := map[string]string{
		"a": `{"schedule": {"hourly>": "00:00"}, "+a": {"echo>": "hi"}}`,
		"b": `{"schedule": {"hourly>": "00:00"}, "+a": {"echo>": "hi"}}`,
	}
	play(t, workflows, scheduler.Push{From: tokyo("2024-03-10 08:00:00")}, 1, nil, func(c *simulation) {
		t := c.t
		pass(0)
		last := map[string]time.Time{}
		for i, b := range c.begun() {
			if !b.session.After(last[b.workflow]) || !b.session.Equal(tokyo("2024-03-10 08:00:00").Add(time.Duration(i/2)*time.Hour)) {
				t.Errorf("session %d: %s %v after %v", i, b.workflow, b.session, last[b.workflow])
			}
			last[b.workflow] = b.session
		}
		if n := len(c.begun()); n != 10 {
			t.Errorf("%d sessions, want 10", n)
		}
		if s := c.schedule(t, "a"); !s.LastSessionAt.Equal(tokyo("2024-03-10 12:00:00")) || !s.NextSessionAt.Equal(tokyo("2024-03-10 13:00:00")) {
			t.Errorf("schedule = %+v", s)
		}
	})
}

// outcome is a decision as these tests compare it.
type outcome struct {
	Session, What, Reason string
	Attempt               bool
}

func outcomes(list []trowel.Decision) []outcome {
	var got []outcome
	for _, d := range slices.Backward(list) {
		got = append(got, outcome{d.SessionAt.In(tokyo("2024-03-10 12:00:00").Location()).Format("15:04"), d.What, d.Reason, d.AttemptID != 0})
	}
	return got
}

// TestOutcomes checks S25 to S27 on a schedule that has missed the sessions of 11:00 and 12:00.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	hourly := func(more string) string {
		return `{"schedule": {"hourly>": "00:00"` + more + `}, "+a": {"echo>": "hi"}}`
	}
	started := func(session string) outcome { return outcome{session, "started", "", true} }
	tests := []struct {
		name, workflow string
		prepare        func(*simulation)
		after          time.Duration
		want           []outcome
		next, run      string
	}{
		{
			"skip_delayed_by", hourly(`, "skip_delayed_by": "30m"`), nil, 0,
			[]outcome{{"11:00", "skipped", "skip_delayed_by: it is later than 30m0s after the run time", false}, started("12:00")},
			"13:00:00", "13:00:00",
		},
		{
			"skip_on_overtime", hourly(`, "skip_on_overtime": true`), func(c *simulation) { c.flusher.length = 2 * time.Hour }, 0,
			[]outcome{started("11:00"), {"12:00", "skipped", "skip_on_overtime: another attempt of the workflow is active", false}},
			"13:00:00", "13:00:00",
		},
		{
			"attempt limit", hourly(""), func(c *simulation) { c.flusher.attempts, c.flusher.length = 1, time.Minute }, 0,
			[]outcome{started("11:00"), {"12:00", "postponed", "Too many attempts running. Limit: 1, Current: 1", false}},
			"12:00:00", "12:10:00",
		},
		{
			"after the attempt limit", hourly(""), func(c *simulation) { c.flusher.attempts, c.flusher.length = 1, time.Minute }, 10 * time.Minute,
			[]outcome{started("11:00"), {"12:00", "postponed", "Too many attempts running. Limit: 1, Current: 1", false}, started("12:00")},
			"13:00:00", "13:00:00",
		},
		{
			"task limit", hourly(""), func(c *simulation) { c.flusher.tasks = 2 }, 0,
			[]outcome{{"11:00", "error", "Too many tasks. Limit: 2, Current: 1, Adding: 2", true}, {"12:00", "error", "Too many tasks. Limit: 2, Current: 1, Adding: 2", true}},
			"13:00:00", "13:00:00",
		},
		{
			"bad option", hourly(`, "skip_on_overtime": "maybe"`), nil, 0,
			[]outcome{{"11:00", "error", "Expected 'true' or 'false' for key 'skip_on_overtime' but got \"maybe\" (string)", false}},
			"11:00:00", "13:00:00",
		},
		{
			"bad sla", `{"schedule": {"hourly>": "00:00"}, "sla": {"time": "soon"}, "+a": {"echo>": "hi"}}`, nil, 0,
			[]outcome{{"11:00", "error", "SLA time option needs to be HH:MM or HH:MM:SS format: Optional.of(soon)", false}},
			"11:00:00", "13:00:00",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			push := scheduler.Push{From: tokyo("2024-03-10 10:30:00")}
			play(t, map[string]string{"w": test.workflow}, push, 1, test.prepare, func(c *simulation) {
				t := c.t
				pass(test.after)
				if diff := cmp.Diff(test.want, outcomes(c.decisions(t, "w"))); diff != "" {
					t.Errorf("decisions (-want +got):\n%s", diff)
				}
				s := c.schedule(t, "w")
				if !s.NextSessionAt.Equal(tokyo("2024-03-10 "+test.next)) || !s.NextRunAt.Equal(tokyo("2024-03-10 "+test.run)) {
					t.Errorf("next session, run = %v, %v, want %s, %s", s.NextSessionAt, s.NextRunAt, test.next, test.run)
				}
			})
		})
	}
}

// TestWake checks that a schedule that somebody enables starts at once, and one that another server
// has enabled within the slow poll.
func TestWake(t *testing.T) {
	t.Parallel()
	for _, heard := range []bool{true, false} {
		play(t, map[string]string{"w": `{"schedule": {"hourly>": "00:00"}, "+a": {"echo>": "hi"}}`}, scheduler.Push{}, 1, nil, func(c *simulation) {
			t := c.t
			id := c.schedule(t, "w").ID
			if _, err := scheduler.Disable(t.Context(), c.store, id, time.Now(), trowel.AuditRecord{}); err != nil {
				t.Fatal(err)
			}
			pass(70 * time.Minute)
			before := len(c.begun())
			if _, err := scheduler.Enable(t.Context(), c.store, id, scheduler.EnableRequest{Now: time.Now()}); err != nil {
				t.Fatal(err)
			}
			if heard {
				c.schedulers[0].Wake()
				pass(0)
			} else {
				pass(30 * time.Second)
			}
			if got := len(c.begun()) - before; got < 1 {
				t.Errorf("heard %v: %d sessions after enabling, want those that were missed", heard, got)
			}
		})
	}
}

// TestBackfillTurns checks S40: each attempt begins when the session before it has no unfinished one,
// and only then; the schedule stays as it is (language S41).
func TestBackfillTurns(t *testing.T) {
	t.Parallel()
	prepare := func(c *simulation) { c.flusher.length = 7 * time.Minute }
	play(t, map[string]string{"w": daily}, scheduler.Push{}, 2, prepare, func(c *simulation) {
		t := c.t
		before := c.schedule(t, "w")
		r := scheduler.BackfillRequest{From: tokyo("2024-03-08 00:00:00"), Name: "fill", Limit: 100, Now: time.Now(), Actor: "somebody"}
		if _, err := scheduler.Backfill(t.Context(), c.store, before.ID, r); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		c.schedulers[0].Wake()
		pass(time.Hour)
		want := []beginning{
			{"w", tokyo("2024-03-08 00:00:00"), begin},
			{"w", tokyo("2024-03-09 00:00:00"), begin.Add(7 * time.Minute)},
			{"w", tokyo("2024-03-10 00:00:00"), begin.Add(14 * time.Minute)},
		}
		if diff := cmp.Diff(want, c.begun(), cmp.AllowUnexported(beginning{})); diff != "" {
			t.Errorf("begun (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(before, c.schedule(t, "w")); diff != "" {
			t.Errorf("schedule (-before +after):\n%s", diff)
		}
	})
}
