package remote_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/remote"
)

// A remote agent cancels the job of a killed task, whether the task waits or runs. Links and usage of its tries come to
// the server.
func TestJobIsCanceled(t *testing.T) {
	t.Parallel()
	link := trowel.Link{Name: "job", URL: "https://example.com/j1"}
	used := trowel.Usage{PeakMemory: 5 << 20, CPUTime: 1500 * time.Millisecond, BytesWritten: 7}
	for _, row := range []struct {
		name string
		runs bool // the task runs when it is killed, otherwise it waits
	}{{"waits", false}, {"runs", true}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			h := f.serve(t, "s1", "")
			looks, canceled := make(chan struct{}, 10), make(chan string, 10)
			work := func(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
				if r.Lease.Try > 1 {
					looks <- struct{}{}
					if row.runs {
						<-ctx.Done()
						return operator.Outcome{}, context.Cause(ctx)
					}
				}
				again := &operator.Again{State: param.Of("job", "j1"), Job: true}
				if r.Lease.Try > 1 {
					again.After = time.Hour
				}
				return operator.Outcome{Again: again, Links: []trowel.Link{link, {Name: "x", URL: "ftp://x/"}}, Usage: used}, nil
			}
			f.connect(t, work, func(_ *remote.Options, o *agent.Options) {
				o.Operators = operator.Table{"do": {Run: work, CancelJob: func(_ context.Context, r *operator.Request) error {
					job, err := param.NewReader(r.State).String("job")
					canceled <- job
					return err
				}}}
			}, h.URL)
			started := h.start(t, one("x"))
			within(t, looks, "the second try")
			if err := h.flusher.Kill(t.Context(), started.Attempt.ID, "test"); err != nil {
				t.Fatal(err)
			}
			if got := result(t, started); got != "killed" {
				t.Errorf("the attempt ended as %s, want killed", got)
			}
			if job := within(t, canceled, "the cancel"); job != "j1" || len(canceled) > 0 {
				t.Errorf("canceled %s and %d more, want j1 alone", job, len(canceled))
			}
			first := f.tries(t, started.Attempt.ID)[0]
			if diff := cmp.Diff([]trowel.Link{link}, first.Links); diff != "" || first.Usage != used {
				t.Errorf("usage = %+v, want %+v; links (-want +got):\n%s", first.Usage, used, diff)
			}
		})
	}
}
