package operator_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/param"
)

// jobRequest is a Request of a task whose state names a job.
func jobRequest(t *testing.T) *operator.Request {
	t.Helper()
	own := param.Of("_secrets", param.Of("jobs", "prod.jobs"), "_retry", 3)
	return &operator.Request{
		Lease: &trowel.Lease{TaskID: 7, Job: true}, Params: param.NewReader(own), Local: own,
		State: param.Of("job", "j1"), Project: t.TempDir(), Log: slog.New(slog.DiscardHandler),
		Secrets: operatortest.AnySecret{},
	}
}

// Operators 1.14: the operator is given the state, and a Request that is prepared as for a run.
func TestCancel(t *testing.T) {
	t.Parallel()
	broken := errors.New("no answer")
	var canceled []string
	table := operator.Table{
		"query": {Wrapped: true, CancelJob: func(_ context.Context, r *operator.Request) error {
			job, err := param.NewReader(r.State).String("job")
			canceled = append(canceled, job)
			if r.Params.Map().Has("_secrets") {
				t.Error("CancelJob is given _secrets, want a prepared Request")
			}
			return err
		}},
		"deaf": {CancelJob: func(context.Context, *operator.Request) error { return broken }},
		"echo": {},
	}
	for name, want := range map[string]error{"query": nil, "deaf": broken, "echo": nil} {
		if err := table.Cancel(t.Context(), name, jobRequest(t)); !errors.Is(err, want) {
			t.Errorf("Cancel(%s) = %v, want %v", name, err, want)
		}
	}
	if diff := cmp.Diff([]string{"j1"}, canceled); diff != "" {
		t.Errorf("jobs canceled by query> (-want +got):\n%s", diff)
	}
	if err := table.Cancel(t.Context(), "frobnicate", jobRequest(t)); err == nil {
		t.Error("Cancel(frobnicate) = nil, want an error about an unknown task type")
	}
}

// _retry begins again with the state at the beginning of a run, so it must not drop a state that alone names a job. Links
// and usage of a failed run stay.
func TestRetryWithJob(t *testing.T) {
	t.Parallel()
	links := []trowel.Link{{Name: "job", URL: "https://example.com/j2"}}
	used := trowel.Usage{PeakMemory: 5}
	cause := errors.New("no answer")
	for name, c := range map[string]struct {
		outcome operator.Outcome
		err     error
		want    operator.Again
	}{
		"poll that failed while the job goes on": {
			outcome: operator.Outcome{Again: &operator.Again{After: time.Hour, State: param.Of("job", "j2"), Cause: cause, Job: true}},
			want:    operator.Again{After: time.Hour, State: param.Of("job", "j2"), Cause: cause, Job: true},
		},
		"job that failed": {
			err:  cause,
			want: operator.Again{State: param.Of("job", "j1", "retry_count", int64(1)), Cause: cause, Job: true},
		},
	} {
		outcome := c.outcome
		outcome.Links, outcome.Usage = links, used
		table := operator.Table{"query": {Wrapped: true, Run: func(context.Context, *operator.Request) (operator.Outcome, error) {
			return outcome, c.err
		}}}
		got, err := table.Run(t.Context(), "query", jobRequest(t))
		if err != nil || got.Again == nil {
			t.Errorf("%s: Run = %+v, %v, want another run", name, got, err)
			continue
		}
		if got.Again.After != c.want.After || param.JSON(got.Again.State) != param.JSON(c.want.State) || got.Again.Job != c.want.Job {
			t.Errorf("%s: Again = %v %s %v, want %v %s %v", name, got.Again.After, param.JSON(got.Again.State), got.Again.Job,
				c.want.After, param.JSON(c.want.State), c.want.Job)
		}
		if diff := cmp.Diff(links, got.Links); diff != "" || got.Usage != used {
			t.Errorf("%s: usage = %v, want %v; links (-want +got):\n%s", name, got.Usage, used, diff)
		}
	}
}
