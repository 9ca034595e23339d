package operator_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// sessions starts attempts in memory: one for each workflow, session time and name.
type sessions struct {
	attempts map[string]*operator.StartedSession
	requests []operator.StartRequest
	err      error
}

func (s *sessions) StartSession(_ context.Context, r operator.StartRequest) (operator.StartedSession, error) {
	s.requests = append(s.requests, r)
	if s.err != nil {
		return operator.StartedSession{}, s.err
	}
	if r.Workflow == "nowhere" || r.ProjectName == "nowhere" {
		return operator.StartedSession{}, &trowel.Error{Kind: trowel.ErrNotFound, Message: "no workflow nowhere"}
	}
	key := r.Workflow + r.SessionTime.UTC().String() + r.AttemptName
	if found, ok := s.attempts[key]; ok {
		return *found, nil
	}
	made := operator.StartedSession{SessionID: 50, AttemptID: trowel.AttemptID(100 + len(s.attempts))}
	if s.attempts == nil {
		s.attempts = map[string]*operator.StartedSession{}
	}
	s.attempts[key] = &made
	answer := made
	answer.New = true
	return answer, nil
}

// has makes an unnamed attempt of the workflow "other".
func (s *sessions) has(flags trowel.AttemptFlags) *sessions {
	s.attempts = map[string]*operator.StartedSession{
		"other" + sessionTime.String(): {SessionID: 50, AttemptID: 99, Flags: flags},
	}
	return s
}

// end ends all attempts.
func (s *sessions) end(flags trowel.AttemptFlags) {
	for _, a := range s.attempts {
		a.Flags |= flags
	}
}

var sessionTime = time.Date(2024, 1, 15, 0, 0, 0, 0, time.UTC)

const (
	succeeded = trowel.AttemptDone | trowel.AttemptSuccess
	failed    = trowel.AttemptDone
)

func requiring(t *testing.T, s *sessions, own *param.Map) *fixture {
	t.Helper()
	f := newFixture(t, param.Merged(param.Of("require>", "other"), own)).With("session_time", "2024-01-15T00:00:00+00:00")
	f.Request.Sessions = s
	return f
}

// polls runs a task until it stops polling. It returns the waits between its runs and how it ended.
func polls(t *testing.T, f *fixture, each func(run int)) (waits []time.Duration, err error) {
	t.Helper()
	for run := 1; run < 30; run++ {
		outcome, err := f.Run()
		if err != nil || outcome.Again == nil {
			return waits, err
		}
		waits = append(waits, outcome.Again.After)
		f.State = outcome.Again.State
		each(run)
	}
	t.Fatal("the task polls for ever")
	return nil, nil
}

// Operators 2.3, language O20 to O22: which attempt is waited for, and how the task ends.
func TestRequire(t *testing.T) {
	t.Parallel()
	s := time.Second
	const failure = "Dependent workflow failed. Session id: 50, attempt id: "
	for _, c := range []struct {
		name     string
		sessions *sessions
		own      *param.Map
		endAfter int                 // run after which all attempts end
		end      trowel.AttemptFlags // how they end
		waits    []time.Duration
		message  string
		attempts int // there are at the end
	}{
		{
			name: "started", sessions: &sessions{}, endAfter: 6, end: succeeded,
			waits: []time.Duration{s, 2 * s, 4 * s, 8 * s, 10 * s, 10 * s, s}, attempts: 1,
		},
		{name: "started and failed", sessions: &sessions{}, endAfter: 1, end: failed, waits: []time.Duration{s, s}, message: failure + "100", attempts: 1},
		{
			name: "failure ignored", sessions: &sessions{}, own: param.Of("ignore_failure", true), endAfter: 1, end: failed,
			waits: []time.Duration{s, s}, attempts: 1,
		},
		{name: "running", sessions: new(sessions).has(0), endAfter: 2, end: succeeded, waits: []time.Duration{s, 2 * s, s}, attempts: 1},
		{name: "done before", sessions: new(sessions).has(succeeded), waits: []time.Duration{s}, attempts: 1},
		{name: "failed before", sessions: new(sessions).has(failed), waits: []time.Duration{s}, message: failure + "99", attempts: 1},
		{
			name: "failed before, run again", sessions: new(sessions).has(failed), own: param.Of("rerun_on", "failed"), endAfter: 2, end: succeeded,
			waits: []time.Duration{s, 2 * s, s}, attempts: 2,
		},
		{
			name: "failed before, failed again", sessions: new(sessions).has(failed), own: param.Of("rerun_on", "failed"), endAfter: 2, end: failed,
			waits: []time.Duration{s, 2 * s, s}, message: failure + "101", attempts: 2,
		},
		{
			name: "done before, not run again", sessions: new(sessions).has(succeeded), own: param.Of("rerun_on", "failed"),
			waits: []time.Duration{s}, attempts: 1,
		},
		{
			name: "done before, run again", sessions: new(sessions).has(succeeded), own: param.Of("rerun_on", "all"), endAfter: 2, end: succeeded,
			waits: []time.Duration{s, 2 * s, s}, attempts: 2,
		},
		{
			name: "own failure is not run again", sessions: &sessions{}, own: param.Of("rerun_on", "all"), endAfter: 1, end: failed,
			waits: []time.Duration{s, s}, message: failure + "100", attempts: 1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := requiring(t, c.sessions, c.own)
			waits, err := polls(t, f, func(run int) {
				if run == c.endAfter {
					c.sessions.end(c.end)
				}
			})
			if got := message(err); got != c.message {
				t.Errorf("message = %q, want %q", got, c.message)
			}
			if diff := cmp.Diff(c.waits, waits); diff != "" {
				t.Errorf("waits differ (-want +got):\n%s", diff)
			}
			if got := len(c.sessions.attempts); got != c.attempts {
				t.Errorf("%d attempts, want %d", got, c.attempts)
			}
		})
	}
}

// The state is visible (operators 2.3).
func TestRequireState(t *testing.T) {
	t.Parallel()
	f := requiring(t, &sessions{}, nil)
	outcome, err := f.Run()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"target_session_id":50,"target_attempt_id":100,"require_kicked":true,"retry":1}`
	if got := param.JSON(outcome.Again.State); got != want {
		t.Errorf("state = %s, want %s", got, want)
	}
}

// Language O19: the request.
func TestRequireRequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		own, inherited *param.Map
		want           operator.StartRequest
	}{
		{name: "defaults", want: operator.StartRequest{ProjectID: 3, SessionTime: sessionTime}},
		{
			name: "exported names and ids are not used", inherited: param.Of("retry_attempt_name", "x", "project_name", "p"),
			want: operator.StartRequest{ProjectID: 3, SessionTime: sessionTime},
		},
		{
			name: "own name", own: param.Of("retry_attempt_name", "again"),
			want: operator.StartRequest{ProjectID: 3, SessionTime: sessionTime, AttemptName: "again"},
		},
		{name: "own project", own: param.Of("project_id", 8), want: operator.StartRequest{ProjectID: 8, SessionTime: sessionTime}},
		{
			name: "project by name", own: param.Of("project_name", "etl"),
			want: operator.StartRequest{ProjectID: 3, ProjectName: "etl", SessionTime: sessionTime},
		},
		{
			name: "params", own: param.Of("params", param.Of("b", 2)), inherited: param.Of("params", param.Of("a", 1, "b", 1)),
			want: operator.StartRequest{ProjectID: 3, SessionTime: sessionTime, Params: param.Of("a", 1, "b", 2)},
		},
		{
			name: "offset", own: param.Of("session_time", "2024-01-15T09:30:00.5+09:00"),
			want: operator.StartRequest{ProjectID: 3, SessionTime: sessionTime.Add(30*time.Minute + 500*time.Millisecond)},
		},
		{
			name: "region", own: param.Of("session_time", "2024-01-15T09:00+09:00[Asia/Tokyo]"),
			want: operator.StartRequest{ProjectID: 3, SessionTime: sessionTime},
		},
		{name: "zulu", own: param.Of("session_time", "2024-01-15T00:00:00Z"), want: operator.StartRequest{ProjectID: 3, SessionTime: sessionTime}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &sessions{}
			f := requiring(t, s, c.own)
			f.Inherited.Merge(c.inherited)
			if _, err := f.Run(); err != nil {
				t.Fatal(err)
			}
			c.want.Workflow, c.want.Requirer = "other", 11
			if c.want.Params == nil {
				c.want.Params = param.New()
			}
			equal := cmp.Options{cmp.Comparer((*param.Map).Equal), cmp.Comparer(time.Time.Equal)}
			if diff := cmp.Diff(c.want, s.requests[0], equal); diff != "" {
				t.Errorf("request differs (-want +got):\n%s", diff)
			}
		})
	}
}

// Language O19, O24; the case require-time-forms.
func TestRequireErrors(t *testing.T) {
	t.Parallel()
	badTime := func(json, kind string) string {
		return "Expected class java.time.Instant for key 'session_time' but got " + json + " (" + kind + ") (config)"
	}
	optional := func(class string) string {
		return "Expected [reference type, class com.google.common.base.Optional<" + class + "><[simple type, class " + class + "]>]"
	}
	for _, c := range []struct {
		name, message string
		own           *param.Map
		err           error // of the start
	}{
		{name: "no colon", own: param.Of("session_time", "2024-01-15T00:00:00+0000"), message: badTime(`"2024-01-15T00:00:00+0000"`, "string")},
		{name: "no offset", own: param.Of("session_time", "2024-01-15T00:00:00"), message: badTime(`"2024-01-15T00:00:00"`, "string")},
		{name: "number", own: param.Of("session_time", 1705276800), message: badTime("1705276800", "number")},
		{name: "unknown region", own: param.Of("session_time", "2024-01-15T00:00:00Z[Nope]"), message: badTime(`"2024-01-15T00:00:00Z[Nope]"`, "string")},
		{name: "region not closed", own: param.Of("session_time", "2024-01-15T00:00:00Z[UTC"), message: badTime(`"2024-01-15T00:00:00Z[UTC"`, "string")},
		{name: "null time", own: param.Of("session_time", nil), message: "Parameter 'session_time' is required but null (config)"},
		{
			name: "blank name", own: param.Of("retry_attempt_name", ""),
			message: "Validating attempt request failed\nretry attempt name must not be blank: \"\" (model validation)",
		},
		{
			name: "name is a list", own: param.Of("retry_attempt_name", param.List{}),
			message: optional("java.lang.String") + " for key 'retry_attempt_name' but got [] (array) (config)",
		},
		{name: "two projects", own: param.Of("project_id", 1, "project_name", "p"), message: "Both project_id and project_name can't be set (config)"},
		{
			name: "project id is a word", own: param.Of("project_id", "x"),
			message: "Expected integer (int) type for key 'project_id' but got \"x\" (string) (config)",
		},
		{name: "rerun", own: param.Of("rerun_on", "never"), message: "invalid rerun_on option:never (config)"},
		{name: "params", own: param.Of("params", "text"), message: "Parameter 'params' must be an object (config)"},
		{
			name: "ignore", own: param.Of("ignore_failure", "perhaps"),
			message: "Expected 'true' or 'false' for key 'ignore_failure' but got \"perhaps\" (string) (config)",
		},
		{name: "no command", own: param.Of("require>", nil), message: "Parameter '_command' is required but not set (config)"},
		{name: "no workflow", own: param.Of("require>", "nowhere"), message: "Dependent workflow does not exist. projectId: 3, workflowName:nowhere"},
		{name: "no project", own: param.Of("project_name", "nowhere"), message: "Dependent workflow does not exist. projectName: nowhere, workflowName:other"},
		{name: "project without a name", own: param.Of("project_name", ""), message: "Dependent workflow does not exist. projectName: , workflowName:other"},
		{
			name: "limit", err: &operator.Error{Kind: "attempt limit exceeded", Message: "Too many attempts running. Limit: 100, Current: 100"},
			message: "Too many attempts running. Limit: 100, Current: 100 (attempt limit exceeded)",
		},
		{name: "another error", err: errors.New("database is gone"), message: "database is gone (runtime)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := requiring(t, &sessions{err: c.err}, c.own).Run()
			if got := message(err); got != c.message {
				t.Errorf("message = %q, want %q", got, c.message)
			}
		})
	}
}

// Language O26a: _retry has no effect once the verdict is in the state.
func TestRequireRetry(t *testing.T) {
	t.Parallel()
	f := requiring(t, new(sessions).has(failed), param.Of("_retry", 1))
	first, err := f.Run()
	if err != nil {
		t.Fatal(err)
	}
	f.State = first.Again.State
	second, err := f.Run()
	if err != nil || second.Again == nil || second.Again.Cause == nil {
		t.Fatalf("outcome = %+v, %v, want a retry", second, err)
	}
	f.State = second.Again.State
	_, err = f.Run()
	if got, want := message(err), "Dependent workflow failed. Session id: 50, attempt id: 99"; got != want {
		t.Errorf("message = %q, want %q", got, want)
	}
}
