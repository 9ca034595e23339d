package operator_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// rerun runs steps again and again, with the state of the run before, and returns the pauses between the runs.
func rerun(t *testing.T, runs int, steps func(*operator.Steps) error) (pauses []time.Duration, state *param.Map, err error) {
	t.Helper()
	for range runs {
		s := operator.NewSteps(t.Context(), &operator.Request{State: state})
		outcome, failure := s.Outcome(operator.Outcome{}, steps(s))
		if failure != nil || outcome.Again == nil {
			return pauses, s.State(), failure
		}
		pauses, state = append(pauses, outcome.Again.After), outcome.Again.State
	}
	return pauses, state, nil
}

var errPassing, errLasting = errors.New("busy"), errors.New("refused")

func passing(err error) bool { return errors.Is(err, errPassing) }

func TestStepsRetryWithDoubledPauses(t *testing.T) {
	t.Parallel()
	pauses, state, err := rerun(t, 7, func(s *operator.Steps) error {
		return s.Retry(operator.Retry{Key: "poll", Passing: passing}, func(*operator.Steps) error { return errPassing })
	})
	want := []time.Duration{1 * time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second, 30 * time.Second}
	if err != nil || !cmp.Equal(pauses, want) {
		t.Errorf("pauses %v, error %v, want %v", pauses, err, want)
	}
	if got := param.JSON(state); got != `{"poll":{"operation":{},"retry":7}}` {
		t.Errorf("state %s", got)
	}
}

func TestStepsRetryFailsWithAnErrorThatLasts(t *testing.T) {
	t.Parallel()
	_, _, err := rerun(t, 3, func(s *operator.Steps) error {
		return s.Retry(operator.Retry{Key: "poll", Passing: passing}, func(*operator.Steps) error { return errLasting })
	})
	if !errors.Is(err, errLasting) {
		t.Errorf("error %v, want %v", err, errLasting)
	}
}

func TestStepsOnceKeepsTheValue(t *testing.T) {
	t.Parallel()
	calls := 0
	var got []param.Value
	pauses, state, err := rerun(t, 3, func(s *operator.Steps) error {
		value, err := s.Once(operator.Retry{Key: "start"}, func(*operator.Steps) (param.Value, error) {
			calls++
			return "job-1", nil
		})
		if err != nil {
			return err
		}
		got = append(got, value)
		return operator.Later(time.Minute)
	})
	if err != nil || calls != 1 || len(pauses) != 3 {
		t.Errorf("%d calls, pauses %v, error %v", calls, pauses, err)
	}
	if !cmp.Equal(got, []param.Value{"job-1", "job-1", "job-1"}) {
		t.Errorf("values %v", got)
	}
	if got := param.JSON(state); got != `{"start":{"operation":{},"done":true,"result":"job-1"}}` {
		t.Errorf("state %s", got)
	}
}

func TestStepsConstantIsStoredBeforeItIsUsed(t *testing.T) {
	t.Parallel()
	made := 0
	var got string
	pauses, _, err := rerun(t, 3, func(s *operator.Steps) (err error) {
		got, err = s.Constant("tag", func() string { made++; return "abc" })
		return err
	})
	if err != nil || made != 1 || got != "abc" || !cmp.Equal(pauses, []time.Duration{0}) {
		t.Errorf("made %d times, %q, pauses %v, error %v", made, got, pauses, err)
	}
}

func TestStepsWait(t *testing.T) {
	t.Parallel()
	looks := 0
	pauses, state, err := rerun(t, 8, func(s *operator.Steps) error {
		return s.Wait(operator.Wait{Key: "exists"}, func(*operator.Steps) (bool, error) { looks++; return looks == 7, nil })
	})
	want := []time.Duration{5 * time.Second, 5 * time.Second, 5 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second}
	if err != nil || !cmp.Equal(pauses, want) {
		t.Errorf("pauses %v, error %v, want %v", pauses, err, want)
	}
	if n, _ := param.NewReader(state).MapOf("exists"); param.NewReader(n).Map().Len() != 3 {
		t.Errorf("state %s", param.JSON(state))
	}
}

func TestStepsWaitEndsWithItsTimeout(t *testing.T) {
	t.Parallel()
	long := param.Of("exists", param.Of("start_time", time.Now().Add(-time.Minute).UTC().Format(time.RFC3339Nano)))
	s := operator.NewSteps(t.Context(), &operator.Request{State: long})
	look := func(*operator.Steps) (bool, error) { return false, nil }
	if err := s.Wait(operator.Wait{Key: "exists", Timeout: time.Minute}, look); !errors.Is(err, operator.ErrTimeout) {
		t.Errorf("error %v, want the timeout", err)
	}
	err := s.Wait(operator.Wait{Key: "exists", Timeout: 62 * time.Second}, look)
	if again, ok := errors.AsType[*operator.Again](err); !ok || again.After != 5*time.Second {
		t.Errorf("error %v, want another look after the shortest pause", err)
	}
}

// TestStepsLeaveTheStateAlone proves that a failed run does not change the state of the run before.
func TestStepsLeaveTheStateAlone(t *testing.T) {
	t.Parallel()
	before := param.Of("poll", param.Of("retry", int64(2)))
	s := operator.NewSteps(t.Context(), &operator.Request{State: before})
	_ = s.Retry(operator.Retry{Key: "poll", Passing: passing}, func(*operator.Steps) error { return errPassing })
	if got := param.JSON(before); got != `{"poll":{"retry":2}}` {
		t.Errorf("state %s", got)
	}
}

// Links and usage of a run count whether it ends, fails or goes on.
func TestStepsKeepLinks(t *testing.T) {
	t.Parallel()
	known := operator.Outcome{Links: []trowel.Link{{Name: "job", URL: "https://example.com/1"}}, Usage: trowel.Usage{PeakMemory: 3}}
	for name, err := range map[string]error{"ends": nil, "fails": errLasting, "goes on": operator.Later(time.Second)} {
		s := operator.NewSteps(t.Context(), &operator.Request{})
		got, _ := s.Outcome(known, err)
		if diff := cmp.Diff(known.Links, got.Links); diff != "" || got.Usage != known.Usage || (got.Again != nil) != (name == "goes on") {
			t.Errorf("%s: %+v, want links and usage of the run; links (-want +got):\n%s", name, got, diff)
		}
	}
}
