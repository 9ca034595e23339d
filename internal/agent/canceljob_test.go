package agent_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// fakeJobs is a service with jobs.
type fakeJobs struct {
	run      func(ctx context.Context, r *operator.Request) (operator.Outcome, error)
	fails    int // how many calls fail before one succeeds; negative for all
	panics   bool
	canceled []string
	at       []time.Duration // when it was asked to, since the first time
	first    time.Time
}

func (f *fakeJobs) table() operator.Table {
	return operator.Table{"do": {Run: f.run, CancelJob: f.cancel}}
}

func (f *fakeJobs) cancel(_ context.Context, r *operator.Request) error {
	if f.first.IsZero() {
		f.first = time.Now()
	}
	f.at = append(f.at, time.Since(f.first))
	if f.panics {
		f.panics = false
		panic("oh no")
	}
	if f.fails != 0 {
		f.fails--
		return errors.New("no answer")
	}
	job, err := param.NewReader(r.State).String("job")
	f.canceled = append(f.canceled, job)
	return err
}

// jobLease is a lease of a task whose state names job j1.
func jobLease(cancel bool) *trowel.Lease {
	l := lease(7, param.Of("do>", "x"))
	l.Job, l.Cancel, l.StateParams = true, cancel, param.Of("job", "j1")
	return l
}

// logged has an agent write the logs of its tries to a buffer, which may be read when they are reported.
func logged(log *bytes.Buffer) func(*agent.Options) {
	return func(o *agent.Options) {
		o.OpenLog = func(*trowel.Lease) agent.Log {
			return agent.Log{Output: discarding{log}, Logger: slog.New(slog.NewTextHandler(log, nil))}
		}
	}
}

// Operators 1.14: a try that only cancels runs nothing else, and goes on for about a minute if the service does not answer.
func TestCancelTry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		jobs    fakeJobs
		outcome trowel.Outcome
		left    bool
		calls   []time.Duration
		log     string
	}{
		{"canceled at once", fakeJobs{}, trowel.OutcomeSuccess, false, []time.Duration{0}, "Task +w+t is canceled."},
		{
			"after some calls that failed",
			fakeJobs{fails: 3},
			trowel.OutcomeSuccess, false,
			[]time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second},
			"Task +w+t is canceled.",
		},
		{"after a panic", fakeJobs{panics: true}, trowel.OutcomeSuccess, false, []time.Duration{0, time.Second}, "Task +w+t is canceled."},
		{
			"given up",
			fakeJobs{fails: -1},
			trowel.OutcomeFailure, true,
			[]time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second, 15 * time.Second, 31 * time.Second, 51 * time.Second},
			"Task +w+t is canceled, but what it has started outside may go on: no answer",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c.jobs.run = func(context.Context, *operator.Request) (operator.Outcome, error) {
					t.Error("the operator runs, want that it only cancels")
					return operator.Outcome{}, nil
				}
				var log bytes.Buffer
				a, reports := begin(t, c.jobs.table(), logged(&log))
				l := jobLease(true)
				a.Assign([]*trowel.Lease{l})
				a.Cancel([]trowel.TryID{l.ID()}) // the kill that is the reason
				r := <-reports
				if r.Outcome != c.outcome || r.Job != c.left {
					t.Errorf("report has outcome %d, job %v, want %d, %v", r.Outcome, r.Job, c.outcome, c.left)
				}
				if diff := cmp.Diff(c.calls, c.jobs.at); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
				if !c.left && !cmp.Equal(c.jobs.canceled, []string{"j1"}) {
					t.Errorf("canceled %v, want j1", c.jobs.canceled)
				}
				if !strings.Contains(log.String(), c.log) {
					t.Errorf("log = %q, want %q in it", log.String(), c.log)
				}
				if c.left && (!strings.Contains(log.String(), `{\"job\":\"j1\"}`) || len(r.LastLines) != 1 || r.LastLines[0] != c.log) {
					t.Errorf("log = %q and last lines %q, want them to say what is left", log.String(), r.LastLines)
				}
			})
		})
	}
}

// What cannot be evaluated is not tried for a minute.
func TestCancelTryOfBrokenTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, reports := begin(t, operator.Table{}, func(o *agent.Options) { o.Templates = broken{} })
		began := time.Now()
		a.Assign([]*trowel.Lease{jobLease(true)})
		r := <-reports
		if took := time.Since(began); took > 0 || r.Outcome != trowel.OutcomeFailure || !r.Job {
			t.Errorf("report after %v has outcome %d, job %v, want a failure at once with the job left", took, r.Outcome, r.Job)
		}
	})
}

type broken struct{}

func (broken) Text(context.Context, string, *param.Map, *time.Location) (string, error) {
	return "", errors.New("no such variable")
}

func (broken) Config(context.Context, *param.Map, *param.Map, *time.Location) (*param.Map, error) {
	return nil, errors.New("no such variable")
}

// A try that is killed while it runs has its job canceled before its report: by the state that it leaves, or else by that
// which it began with.
func TestKillCancelsJob(t *testing.T) {
	t.Parallel()
	polls := func(job bool) func(context.Context, *operator.Request) (operator.Outcome, error) {
		return func(ctx context.Context, _ *operator.Request) (operator.Outcome, error) {
			<-ctx.Done()
			return operator.Outcome{
				Again: &operator.Again{State: param.Of("job", "j2"), Job: job},
				Links: []trowel.Link{{Name: "job", URL: "https://example.com/j2"}}, Usage: trowel.Usage{PeakMemory: 7},
			}, nil
		}
	}
	fails := func(ctx context.Context, _ *operator.Request) (operator.Outcome, error) {
		<-ctx.Done()
		return operator.Outcome{}, context.Cause(ctx)
	}
	for _, c := range []struct {
		name string
		job  bool // the try begins with a job
		run  func(context.Context, *operator.Request) (operator.Outcome, error)
		stop bool // the agent is stopped, and not the try killed
		want []string
	}{
		{"a job that the run began", false, polls(true), false, []string{"j2"}},
		{"a job of an earlier try, after an error", true, fails, false, []string{"j1"}},
		{"a job of an earlier try, after a panic", true, func(ctx context.Context, _ *operator.Request) (operator.Outcome, error) {
			<-ctx.Done()
			panic("oh no")
		}, false, []string{"j1"}},
		{"the operator says that there is no job any more", true, polls(false), false, nil},
		{"no job at all", false, fails, false, nil},
		{"an agent that stops cancels nothing", true, polls(true), true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			jobs := fakeJobs{run: c.run}
			a, reports := begin(t, jobs.table(), nil)
			l := jobLease(false)
			if l.Job = c.job; !c.job {
				l.StateParams = nil
			}
			a.Assign([]*trowel.Lease{l})
			if c.stop {
				a.Stop()
			} else {
				a.Cancel([]trowel.TryID{l.ID()})
			}
			r := <-reports
			if diff := cmp.Diff(c.want, jobs.canceled); diff != "" {
				t.Errorf("canceled jobs (-want +got):\n%s", diff)
			}
			if r.Job != c.stop {
				t.Errorf("Job of the report = %v, want %v", r.Job, c.stop)
			}
			if c.name == "a job that the run began" && (len(r.Links) != 1 || r.Usage.PeakMemory != 7) {
				t.Errorf("links %v and usage %v of the report, want those of the run", r.Links, r.Usage)
			}
		})
	}
}

// An agent that stops, or loses the try, leaves the job to another one.
func TestCancelIsStopped(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(a *agent.Agent, id trowel.TryID){
		"stop": func(a *agent.Agent, _ trowel.TryID) { a.Stop() },
		"lose": func(a *agent.Agent, id trowel.TryID) { a.Lose([]trowel.TryID{id}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{})
			a, reports := begin(t, operator.Table{"do": {CancelJob: func(ctx context.Context, _ *operator.Request) error {
				close(asked)
				<-ctx.Done()
				return ctx.Err()
			}}}, nil)
			l := jobLease(true)
			a.Assign([]*trowel.Lease{l})
			<-asked
			a.Cancel([]trowel.TryID{l.ID()}) // another kill changes nothing
			end(a, l.ID())
			if r := <-reports; r.Outcome != trowel.OutcomePoll || !r.Job || param.JSON(r.StateParams) != `{"job":"j1"}` {
				t.Errorf("report = outcome %d, job %v, state %s, want a poll with the job", r.Outcome, r.Job, param.JSON(r.StateParams))
			}
		})
	}
}

// Links that cannot be shown are left out, and the log does not quote them.
func TestLinks(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("s3cr3t", 4)
	var many []trowel.Link
	for i := range 12 {
		many = append(many, trowel.Link{Name: "job", URL: "https://example.com/" + string(rune('a'+i))})
	}
	good := trowel.Link{Name: "log", URL: "https://example.com/log"}
	for _, c := range []struct {
		name        string
		links, want []trowel.Link
		log         string
	}{
		{"good", []trowel.Link{good, good}, []trowel.Link{good}, ""},
		{"wrong", []trowel.Link{{Name: "x", URL: "file:///etc/passwd"}, good}, []trowel.Link{good}, "must begin with http:// or https://"},
		{"secret", []trowel.Link{{Name: "x", URL: "https://example.com/?key=" + long}, good}, []trowel.Link{good}, "it contains a secret"},
		{"too many", many, many[:10], "a try has up to 10 of them"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			change := logged(&log)
			a, reports := begin(t, operators(func(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
				_, _, err := r.Secrets.Find(ctx, "key")
				return operator.Outcome{Links: c.links}, errors.Join(err, errors.New("failed"))
			}), func(o *agent.Options) {
				change(o)
				o.Secrets = func(*trowel.Lease) secret.Finder { return oneSecret(long) }
			})
			a.Assign([]*trowel.Lease{lease(7, param.Of("do>", "x"))})
			r := <-reports
			if diff := cmp.Diff(c.want, r.Links); diff != "" {
				t.Errorf("links (-want +got):\n%s", diff)
			}
			if !strings.Contains(log.String(), c.log) || strings.Contains(log.String(), long) || strings.Contains(log.String(), "passwd") {
				t.Errorf("log = %q, want %q and no URL", log.String(), c.log)
			}
		})
	}
}

// oneSecret is a Finder that has the same secret for all keys.
type oneSecret string

func (s oneSecret) Find(context.Context, string) (secret.Value, bool, error) {
	return secret.NewValue(string(s)), true, nil
}
