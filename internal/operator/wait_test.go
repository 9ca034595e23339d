package operator_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Operators 2.10, language O29; the cases wait-*.
func TestWaitOptions(t *testing.T) {
	t.Parallel()
	const invalid = "Invalid configuration (config)"
	wait := func(command any, more ...any) *param.Map {
		return param.Merged(param.Of("wait>", command), param.Of(more...))
	}
	for _, c := range []struct {
		name, message string
		own           *param.Map
		after         time.Duration // of the next run
	}{
		{name: "parts", own: wait("0h 0m 3 s"), after: 3 * time.Second},
		{name: "all parts", own: wait("1d2H 3m4s"), after: 26*time.Hour + 3*time.Minute + 4*time.Second},
		{name: "blanks", own: wait(" 1S "), after: time.Second},
		{name: "zero takes a poll of a second", own: wait("0s"), after: time.Second},
		{name: "interval", own: wait("1m", "poll_interval", "5s"), after: 5 * time.Second},
		{name: "interval beyond the end", own: wait("1s", "poll_interval", "1h"), after: time.Hour},
		{name: "interval of nothing", own: wait("1m", "poll_interval", "0s"), after: 0},
		{name: "null interval", own: wait("2s", "poll_interval", nil), after: 2 * time.Second},
		{name: "not blocking", own: wait("2s", "blocking", "False"), after: 2 * time.Second},
		{name: "retry is ignored", own: wait("2s", "_retry", true), after: 2 * time.Second},
		{name: "number", own: wait(5), message: invalid},
		{name: "number as text", own: wait("1"), message: invalid},
		{name: "order", own: wait("1s 1m"), message: invalid},
		{name: "fraction", own: wait("1.5s"), message: invalid},
		{name: "milliseconds", own: wait("500ms"), message: invalid},
		{name: "negative", own: wait("-1s"), message: invalid},
		{name: "week", own: wait("1w"), message: invalid},
		{name: "empty", own: wait(""), message: invalid},
		{name: "map", own: wait(param.New()), message: invalid},
		{name: "missing", own: wait(nil), message: invalid},
		{name: "bad interval", own: wait("1s", "poll_interval", 5), message: invalid},
		{name: "interval is a map", own: wait("1s", "poll_interval", param.New()), message: invalid},
		{
			name: "bad blocking", own: wait("1s", "blocking", "certainly", "poll_interval", 5),
			message: `Expected 'true' or 'false' for key 'blocking' but got "certainly" (string) (config)`,
		},
		{
			name: "both", own: wait("1s", "blocking", 1, "poll_interval", "1s"),
			message: "poll_interval can't be specified with blocking:true (config)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			outcome, err := newFixture(t, c.own).Run()
			if got := message(err); got != c.message {
				t.Fatalf("message = %q, want %q", got, c.message)
			}
			if c.message != "" {
				return
			}
			if outcome.Again == nil || outcome.Again.After != c.after || outcome.Again.Cause != nil {
				t.Errorf("again = %+v, want a poll after %v", outcome.Again, c.after)
			}
		})
	}
}

// runsUntilDone runs a waiting task as an agent would. It returns how long that took and how often the task
// ran.
func runsUntilDone(t *testing.T, f *fixture) (took time.Duration, runs int) {
	t.Helper()
	start := time.Now()
	for runs = 1; ; runs++ {
		outcome, err := f.Run()
		if err != nil {
			t.Fatal(err)
		}
		if outcome.Again == nil {
			return time.Since(start), runs
		}
		f.State = outcome.Again.State
		<-time.After(outcome.Again.After)
	}
}

// wait> is never early, and at most a second late.
func TestWaitTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		own  *param.Map
		took time.Duration
		runs int
	}{
		// The first poll is exactly at the end of the time, which is not after it.
		{"polling", param.Of("wait>", "10s"), 11 * time.Second, 3},
		{"zero", param.Of("wait>", "0s"), time.Second, 2},
		{"interval", param.Of("wait>", "10s", "poll_interval", "4s"), 12 * time.Second, 4},
		{"blocking", param.Of("wait>", "10s", "blocking", true), 10 * time.Second, 1},
		{"blocking for nothing", param.Of("wait>", "0s", "blocking", true), time.Second, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				took, runs := runsUntilDone(t, newFixture(t, c.own))
				if took != c.took || runs != c.runs {
					t.Errorf("took %v in %d runs, want %v in %d", took, runs, c.took, c.runs)
				}
			})
		})
	}
}

// The state has the begin of the wait, in milliseconds, and keeps its other keys.
func TestWaitState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, param.Of("wait>", "10s"))
		f.State = param.Of("other", 1)
		outcome, err := f.Run()
		if err != nil {
			t.Fatal(err)
		}
		want := param.JSON(param.Of("other", 1, "wait_start_time_millis", time.Now().UnixMilli()))
		if got := param.JSON(outcome.Again.State); got != want {
			t.Errorf("state = %s, want %s", got, want)
		}
	})
}

func TestWaitIsStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		reason := errors.New("shutting down")
		f := newFixture(t, param.Of("wait>", "1h", "blocking", true))
		waiting := false
		f.Request.OnWait = func() {
			waiting = true
			cancel(reason)
		}
		_, err := f.RunContext(ctx)
		if !waiting || !errors.Is(err, reason) || !strings.HasPrefix(message(err), "`wait` operator with blocking mode is interrupted") {
			t.Errorf("waiting = %v, error = %v, want an interrupted wait", waiting, err)
		}
	})
}
