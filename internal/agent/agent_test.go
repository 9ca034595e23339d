package agent_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// asWritten replaces templates: nothing is evaluated.
type asWritten struct{}

func (asWritten) Config(_ context.Context, scope, local *param.Map, _ *time.Location) (*param.Map, error) {
	return param.Merged(scope, local), nil
}

func (asWritten) Text(_ context.Context, text string, _ *param.Map, _ *time.Location) (string, error) {
	return text, nil
}

// discarding is the log of a task that nobody reads.
type discarding struct{ io.Writer }

func (discarding) Close() error { return nil }

// begin returns an agent with operators of the test's own, and where its reports come.
func begin(t *testing.T, table operator.Table, change func(*agent.Options)) (*agent.Agent, chan trowel.Report) {
	t.Helper()
	reports := make(chan trowel.Report, 1000)
	opts := agent.Options{
		ID: "test", Operators: table, Templates: asWritten{}, Project: t.TempDir(), TaskLimit: 1000, Now: time.Now,
		Secrets: func(*trowel.Lease) secret.Finder { return nil },
		OpenLog: func(*trowel.Lease) agent.Log {
			return agent.Log{Output: discarding{io.Discard}, Logger: slog.New(slog.DiscardHandler)}
		},
		Report: func(r trowel.Report) { reports <- r },
		Wake:   func() {},
	}
	if change != nil {
		change(&opts)
	}
	a := agent.New(t.Context(), opts)
	t.Cleanup(func() {
		a.Stop()
		a.Wait()
	})
	return a, reports
}

func lease(id int64, local *param.Map) *trowel.Lease {
	return &trowel.Lease{
		TaskID: trowel.TaskID(id), AttemptID: 1, Try: 1, AgentID: "test", FullName: "+w+t", Context: &trowel.AttemptContext{},
		Zone: time.UTC, Scope: param.New(), Local: local,
	}
}

func operators(run func(context.Context, *operator.Request) (operator.Outcome, error)) operator.Table {
	return operator.Table{"do": {Run: run}}
}

func TestReports(t *testing.T) { // X24
	t.Parallel()
	state := param.Of("n", 1)
	tests := []struct {
		name  string
		local *param.Map
		run   func(context.Context, *operator.Request) (operator.Outcome, error)
		want  trowel.Report
	}{
		{
			"success", param.Of("do>", "x"),
			func(context.Context, *operator.Request) (operator.Outcome, error) {
				return operator.Outcome{Result: trowel.Result{Store: state}}, nil
			},
			trowel.Report{Outcome: trowel.OutcomeSuccess, Result: trowel.Result{Store: state}},
		},
		{
			"poll", param.Of("do>", "x"),
			func(context.Context, *operator.Request) (operator.Outcome, error) {
				return operator.Outcome{Again: &operator.Again{After: time.Second, State: state}}, nil
			},
			trowel.Report{Outcome: trowel.OutcomePoll, RetryIn: time.Second, StateParams: state},
		},
		{
			"retry", param.Of("do>", "x"),
			func(context.Context, *operator.Request) (operator.Outcome, error) {
				return operator.Outcome{Again: &operator.Again{State: state, Cause: &operator.Failure{Message: "no"}}}, nil
			},
			trowel.Report{Outcome: trowel.OutcomeRetry, StateParams: state, Error: param.Of("message", "no"), LastLines: []string{}},
		},
		{
			"failure with its last lines", param.Of("do>", "x"),
			func(_ context.Context, r *operator.Request) (operator.Outcome, error) {
				_, err := io.WriteString(r.Output, "one\ntwo\n")
				return operator.Outcome{}, errors.Join(err, &operator.Failure{Message: "no"})
			},
			trowel.Report{Outcome: trowel.OutcomeFailure, Error: param.Of("message", "no"), LastLines: []string{"one", "two"}},
		},
		{
			"no operator", param.Of("key", "x"), nil, // operators 1.1
			trowel.Report{Outcome: trowel.OutcomeSuccess},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a, reports := begin(t, operators(test.run), nil)
			a.Assign([]*trowel.Lease{lease(7, test.local)})
			got := <-reports
			got.StartedAt, got.EndedAt = time.Time{}, time.Time{}
			test.want.TaskID, test.want.AttemptID, test.want.Try = 7, 1, 1
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

// What a try leaves behind is held in memory, so it has a limit, whatever it consists of.
func TestLargeReports(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 8<<20)
	half := param.Of("text", text)
	for _, row := range []struct {
		name    string
		outcome operator.Outcome
		err     error
		large   bool
	}{
		{"half of it", operator.Outcome{Result: trowel.Result{Store: half}}, nil, false},
		{"stored and exported", operator.Outcome{Result: trowel.Result{Store: half, Export: half}}, nil, true},
		{"subtasks", operator.Outcome{Result: trowel.Result{Subtasks: param.Of("+a", param.Of("echo>", text+text))}}, nil, true},
		{"state", operator.Outcome{Again: &operator.Again{State: param.Of("text", text+text)}}, nil, true},
		{"error", operator.Outcome{}, &operator.Failure{Message: text + text}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			run := func(context.Context, *operator.Request) (operator.Outcome, error) { return row.outcome, row.err }
			a, reports := begin(t, operators(run), nil)
			a.Assign([]*trowel.Lease{lease(7, param.Of("do>", "x"))})
			got := <-reports
			message, _ := got.Error.Get("message")
			told, _ := message.(string)
			if large := strings.HasPrefix(told, "the result of the task has 167"); large != row.large || large != (got.Outcome == trowel.OutcomeFailure) {
				t.Errorf("outcome %v, error %.100q, want one of the size: %v", got.Outcome, told, row.large)
			}
			if row.large && (!got.Result.Empty() || got.StateParams != nil) {
				t.Error("what is too large is reported")
			}
		})
	}
}

func TestPanicIsFailure(t *testing.T) {
	t.Parallel()
	a, reports := begin(t, operators(func(context.Context, *operator.Request) (operator.Outcome, error) {
		panic("broken")
	}), nil)
	a.Assign([]*trowel.Lease{lease(1, param.Of("do>", nil))})
	got := <-reports
	if message, _ := got.Error.Get("message"); got.Outcome != trowel.OutcomeFailure || message != "broken (panic)" {
		t.Errorf("report has outcome %d and message %v, want a failure with broken (panic)", got.Outcome, message)
	}
}

func TestUnknownOperator(t *testing.T) { // L54
	t.Parallel()
	a, reports := begin(t, operators(nil), nil)
	a.Assign([]*trowel.Lease{lease(1, param.Of("nope>", nil))})
	got := <-reports
	if message, _ := got.Error.Get("message"); message != "Unknown task type: nope (config)" {
		t.Errorf("message = %v, want Unknown task type: nope (config)", message)
	}
}

// TestFree shows that any number of tasks can run, but only so many may be starting, and that slots
// bound both.
func TestFree(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                 string
		slots, before, after int
	}{
		{"any number", 0, 256, 256},
		{"slots", 10, 10, 7},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			release := make(chan struct{})
			var started sync.WaitGroup
			started.Add(3)
			a, reports := begin(t, operators(func(_ context.Context, r *operator.Request) (operator.Outcome, error) {
				r.OnWait()
				r.OnWait() // a second time counts no more
				started.Done()
				<-release
				return operator.Outcome{}, nil
			}), func(o *agent.Options) { o.Slots = test.slots })
			if got := a.Free(); got != test.before {
				t.Errorf("Free() = %d before anything runs, want %d", got, test.before)
			}
			a.Assign([]*trowel.Lease{lease(1, param.Of("do>", 1)), lease(2, param.Of("do>", 1)), lease(3, param.Of("do>", 1))})
			started.Wait()
			if got := a.Free(); got != test.after {
				t.Errorf("Free() = %d while three tasks wait, want %d", got, test.after)
			}
			close(release)
			for range 3 {
				<-reports
			}
			if got := a.Free(); got != test.before {
				t.Errorf("Free() = %d at the end, want %d", got, test.before)
			}
		})
	}
}

// However long some tasks take, and however quick others are, all run at the same time.
func TestTasksRunTogether(t *testing.T) {
	t.Parallel()
	const slow, quick = 50, 50
	var together sync.WaitGroup
	together.Add(slow)
	a, reports := begin(t, operator.Table{
		"slow": {Run: func(context.Context, *operator.Request) (operator.Outcome, error) {
			together.Done()
			together.Wait() // ends only if all of them run
			return operator.Outcome{}, nil
		}},
		"quick": {Run: func(context.Context, *operator.Request) (operator.Outcome, error) { return operator.Outcome{}, nil }},
	}, nil)
	var leases []*trowel.Lease
	for i := range int64(slow) {
		leases = append(leases, lease(2*i+1, param.Of("quick>", "x")), lease(2*i+2, param.Of("slow>", "x")))
	}
	a.Assign(leases[:30])
	a.Assign(leases[30:])
	for range slow + quick {
		if r := <-reports; r.Outcome != trowel.OutcomeSuccess {
			t.Errorf("task %d: %v, want success", r.TaskID, r.Outcome)
		}
	}
}

func TestCancelEndsOneTask(t *testing.T) {
	t.Parallel()
	a, reports := begin(t, operators(func(ctx context.Context, _ *operator.Request) (operator.Outcome, error) {
		<-ctx.Done()
		return operator.Outcome{}, context.Cause(ctx)
	}), nil)
	a.Assign([]*trowel.Lease{lease(1, param.Of("do>", 1)), lease(2, param.Of("do>", 1))})
	a.Cancel([]trowel.TryID{{Task: 2, Number: 1}, {Task: 1, Number: 2}, {Task: 99, Number: 1}})
	if got := <-reports; got.TaskID != 2 || got.Outcome != trowel.OutcomeFailure {
		t.Errorf("report of task %d with outcome %d, want a failure of task 2", got.TaskID, got.Outcome)
	}
	a.Stop()
	if got := <-reports; got.TaskID != 1 || got.Outcome != trowel.OutcomeReleased {
		t.Errorf("report of task %d with outcome %d after Stop, want task 1 to run again", got.TaskID, got.Outcome)
	}
}

func TestGiveAfterStopIsHandedBack(t *testing.T) {
	t.Parallel()
	a, reports := begin(t, operators(nil), nil)
	a.Stop()
	if got := a.Free(); got != 0 {
		t.Errorf("Free() = %d after Stop, want 0", got)
	}
	a.Assign([]*trowel.Lease{lease(1, param.Of("do>", 1))})
	if got := <-reports; got.Outcome != trowel.OutcomeReleased {
		t.Errorf("report has outcome %d, want a released one", got.Outcome)
	}
}

// passing is a hook that replaces every operator.
type passing struct{ before, instead bool }

func (p passing) Before(*trowel.Lease) (trowel.Result, bool) {
	return trowel.Result{Store: param.Of("from", "before")}, p.before
}

func (p passing) Instead(*trowel.Lease, operator.Selection) (trowel.Result, bool) {
	return trowel.Result{Store: param.Of("from", "instead")}, p.instead
}

func TestHook(t *testing.T) { // A15, A19
	t.Parallel()
	for _, test := range []struct {
		name string
		hook passing
		want string
	}{
		{"before evaluation", passing{before: true, instead: true}, "before"},
		{"instead of the operator", passing{instead: true}, "instead"},
		{"neither", passing{}, "operator"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			a, reports := begin(t, operators(func(context.Context, *operator.Request) (operator.Outcome, error) {
				return operator.Outcome{Result: trowel.Result{Store: param.Of("from", "operator")}}, nil
			}), func(o *agent.Options) {
				o.Hook = test.hook
				o.OpenLog = func(*trowel.Lease) agent.Log {
					return agent.Log{Output: discarding{io.Discard}, Logger: slog.New(slog.NewTextHandler(&log, nil))}
				}
			})
			a.Assign([]*trowel.Lease{lease(1, param.Of("do>", 1))})
			got := <-reports
			if from, _ := got.Result.Store.Get("from"); from != test.want {
				t.Errorf("result is from %v, want %s", from, test.want)
			}
			if skipped := bytes.Contains(log.Bytes(), []byte("Skipped")); skipped != test.hook.before {
				t.Errorf("Skipped is logged: %t, want %t", skipped, test.hook.before)
			}
		})
	}
}
