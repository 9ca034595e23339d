package scheduler_test

import (
	"errors"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/scheduler"
)

func local(text string) *scheduler.Moment {
	at, err := time.Parse(time.DateTime, text)
	if err != nil {
		panic(err)
	}
	return &scheduler.Moment{Time: at, Local: true}
}

func instant(text string) *scheduler.Moment {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return &scheduler.Moment{Time: at}
}

// daily2291 is a schedule whose next session is 2291-02-01 in Tokyo, as in the recorded cases.
func daily2291(t *testing.T) (*fixture, trowel.ScheduleID) {
	t.Helper()
	f := newFixture(t)
	f.mustPush(t, scheduler.Push{Now: time.Now()}, map[string]string{
		"main": `{"schedule": {"daily>": "10:00:00", "start": "2291-02-01"}, "+a": {"echo>": "hi"}}`,
	})
	return f, f.schedule(t, "main").ID
}

// TestSkip checks S36 with the times of the recorded case rest-schedule-skip.
func TestSkip(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name               string
		request            scheduler.SkipRequest
		session, run, fail string
	}{
		{"count", scheduler.SkipRequest{From: instant("2291-02-01T00:00:00Z").Time, Count: new(2)}, "2291-02-03 00:00:00", "2291-02-03 10:00:00", ""},
		{"local midnight", scheduler.SkipRequest{NextTime: local("2291-02-03 00:00:00")}, "2291-02-03 00:00:00", "2291-02-03 10:00:00", ""},
		{"run time itself", scheduler.SkipRequest{NextTime: local("2291-02-03 10:00:00")}, "2291-02-03 00:00:00", "2291-02-03 10:00:00", ""},
		{"after the run time", scheduler.SkipRequest{NextTime: local("2291-02-03 10:00:01")}, "2291-02-04 00:00:00", "2291-02-04 10:00:00", ""},
		{"instant", scheduler.SkipRequest{NextTime: instant("2291-02-03T02:00:00Z")}, "2291-02-04 00:00:00", "2291-02-04 10:00:00", ""},
		{"own run time", scheduler.SkipRequest{NextTime: local("2291-02-03 00:00:00"), RunAt: tokyo("2024-01-01 00:00:00")}, "2291-02-03 00:00:00", "2024-01-01 00:00:00", ""},
		{"nothing", scheduler.SkipRequest{}, "", "", "nextTime or (fromTime and count) are required"},
		{"count alone", scheduler.SkipRequest{Count: new(2)}, "", "", "nextTime or (fromTime and count) are required"},
		{"from alone", scheduler.SkipRequest{From: instant("2291-02-01T00:00:00Z").Time}, "", "", "nextTime or (fromTime and count) are required"},
		{"the next one", scheduler.SkipRequest{NextTime: local("2291-02-01 00:00:00")}, "", "", "Specified time to skip schedules is already past"},
		{"no steps", scheduler.SkipRequest{From: instant("2291-02-01T00:00:00Z").Time, Count: new(-1)}, "", "", "Specified time to skip schedules is already past"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f, id := daily2291(t)
			before := f.schedule(t, "main")
			for _, dry := range []bool{true, false} {
				r := test.request
				r.DryRun, r.Now, r.Actor = dry, time.Now(), "somebody"
				got, err := scheduler.Skip(t.Context(), f.store, id, r)
				if test.fail != "" {
					if err == nil || err.Error() != test.fail {
						t.Fatalf("Skip: error = %v, want %q", err, test.fail)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if s := got.Schedule; !s.NextSessionAt.Equal(tokyo(test.session)) || !s.NextRunAt.Equal(tokyo(test.run)) {
					t.Errorf("Skip: session, run = %v, %v, want %s, %s", s.NextSessionAt, s.NextRunAt, test.session, test.run)
				}
				want := before.NextSessionAt
				if !dry {
					want = tokyo(test.session)
				}
				if stored := f.schedule(t, "main"); !stored.NextSessionAt.Equal(want) {
					t.Errorf("Skip, dry run %v: stored session = %v, want %v", dry, stored.NextSessionAt, want)
				}
			}
		})
	}
}

// TestSkipUnknown checks the text of server 2.5.
func TestSkipUnknown(t *testing.T) {
	t.Parallel()
	f, _ := daily2291(t)
	_, err := scheduler.Skip(t.Context(), f.store, 99, scheduler.SkipRequest{NextTime: local("2291-02-03 00:00:00")})
	if !errors.Is(err, trowel.ErrNotFound) || err.Error() != "Resource does not exist: schedule id=99" {
		t.Errorf("Skip of an unknown schedule: error = %v", err)
	}
}

// TestEnable checks S37: enabling does not move the schedule unless it is asked to skip, and stays
// disabled if it cannot.
func TestEnable(t *testing.T) {
	t.Parallel()
	f, id := daily2291(t)
	now := time.Now()
	if _, err := scheduler.Disable(t.Context(), f.store, id, now, trowel.AuditRecord{}); err != nil {
		t.Fatal(err)
	}
	past := scheduler.EnableRequest{Skip: true, NextTime: local("2291-02-01 00:00:00"), Now: now}
	if _, err := scheduler.Enable(t.Context(), f.store, id, past); !errors.Is(err, trowel.ErrConflict) {
		t.Errorf("Enable, skipping to the next session: error = %v, want ErrConflict", err)
	}
	if f.schedule(t, "main").DisabledAt.IsZero() {
		t.Error("a refused Enable has enabled the schedule")
	}
	ahead := scheduler.EnableRequest{Skip: true, NextTime: local("2291-02-05 00:00:00"), Now: now}
	if _, err := scheduler.Enable(t.Context(), f.store, id, ahead); err != nil {
		t.Fatal(err)
	}
	if s := f.schedule(t, "main"); !s.DisabledAt.IsZero() || !s.NextSessionAt.Equal(tokyo("2291-02-05 00:00:00")) {
		t.Errorf("Enable: schedule = %+v", s)
	}
	if got, err := scheduler.Enable(t.Context(), f.store, id, scheduler.EnableRequest{Now: now}); err != nil || !got.Schedule.NextSessionAt.Equal(tokyo("2291-02-05 00:00:00")) {
		t.Errorf("Enable again: %v, %v", got, err)
	}
}

// TestBackfillSessions checks S38, S39 and S42 with the recorded cases rest-schedule-backfill.
func TestBackfillSessions(t *testing.T) {
	t.Parallel()
	f, id := daily2291(t)
	now := time.Now()
	if _, err := scheduler.Skip(t.Context(), f.store, id, scheduler.SkipRequest{NextTime: local("2291-02-05 00:00:00"), Now: now}); err != nil {
		t.Fatal(err)
	}
	dry := func(from string, n *int) ([]*trowel.AttemptSummary, error) {
		r := scheduler.BackfillRequest{From: instant(from).Time, Name: "fill", Count: n, DryRun: true, Limit: 100, Now: now}
		done, err := scheduler.Backfill(t.Context(), f.store, id, r)
		if err != nil {
			return nil, err
		}
		return done.Attempts, nil
	}
	for _, test := range []struct {
		from        string
		count       *int
		first, last string
	}{
		{"2291-02-02T00:00:00Z", nil, "2291-02-02 00:00:00", "2291-02-04 00:00:00"},
		{"2291-02-02T00:00:00Z", new(2), "2291-02-02 00:00:00", "2291-02-03 00:00:00"},
		{"2291-02-02T01:00:01Z", nil, "2291-02-03 00:00:00", "2291-02-04 00:00:00"},
		{"2291-02-05T00:00:00Z", nil, "", ""},
		{"2291-02-03T00:00:00Z", new(0), "", ""},
	} {
		list, err := dry(test.from, test.count)
		if err != nil {
			t.Fatal(err)
		}
		if test.first == "" {
			if len(list) > 0 {
				t.Errorf("Backfill from %s: %d attempts, want none", test.from, len(list))
			}
			continue
		}
		first, last := list[0].Session.Time, list[len(list)-1].Session.Time
		if !first.Equal(tokyo(test.first)) || !last.Equal(tokyo(test.last)) {
			t.Errorf("Backfill from %s: from %v to %v, want %s to %s", test.from, first, last, test.first, test.last)
		}
	}
	if _, err := dry("2291-02-03T00:00:00Z", new(3)); err == nil ||
		err.Error() != "count is set to 3 but there are only 2 attempts until the next schedule time" {
		t.Errorf("Backfill of too many: error = %v", err)
	}
	if len(f.attempts(t)) > 0 {
		t.Error("a dry run has stored attempts")
	}
}

// TestBackfillRefused checks S39 and S40a: nothing is kept of a backfill that is refused.
func TestBackfillRefused(t *testing.T) {
	t.Parallel()
	f, id := daily2291(t)
	now := time.Now()
	if _, err := scheduler.Skip(t.Context(), f.store, id, scheduler.SkipRequest{NextTime: local("2291-02-05 00:00:00"), Now: now}); err != nil {
		t.Fatal(err)
	}
	fill := func(from, name string, limit int) error {
		_, err := scheduler.Backfill(t.Context(), f.store, id, scheduler.BackfillRequest{From: instant(from).Time, Name: name, Limit: limit, Now: now})
		return err
	}
	err := fill("2291-02-02T00:00:00Z", "fill", 2)
	if !errors.Is(err, trowel.ErrLimit) || err.Error() != "Too many attempts running. Limit: 2, Current: 2" || len(f.attempts(t)) > 0 {
		t.Errorf("Backfill beyond the limit: error = %v, %d attempts kept", err, len(f.attempts(t)))
	}
	if err := fill("2291-02-03T00:00:00Z", "fill", 100); err != nil {
		t.Fatal(err)
	}
	list := f.attempts(t)
	if len(list) != 2 || list[0].Attempt.Params.Has("last_executed_session_time") {
		t.Fatalf("Backfill: %d attempts, the first with %v", len(list), list[0].Attempt.Params.Keys())
	}
	if at, _ := list[1].Attempt.Params.Get("last_executed_session_time"); at != "2291-02-03T00:00:00+09:00" {
		t.Errorf("second attempt: last_executed_session_time = %v", at)
	}
	err = fill("2291-02-02T00:00:00Z", "fill", 100)
	const taken = "Attempt of project id=1 workflow=main instant=2291-02-02T15:00:00Z attempt name=fill already exists"
	if !errors.Is(err, trowel.ErrConflict) || err.Error() != taken || len(f.attempts(t)) != 2 {
		t.Errorf("Backfill under a taken name: error = %v, %d attempts", err, len(f.attempts(t)))
	}
	if err := fill("2291-02-02T00:00:00Z", "", 100); err == nil || err.Error() != "Validating session attempt failed\nretry attempt name must not be blank: \"\"" {
		t.Errorf("Backfill without a name: error = %v", err)
	}
}
