package localrun

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/runview"
)

// Ctrl-C cancels what tasks have started outside: that of a task that waits for its next look, and that of one that runs.
func TestInterruptCancelsJobs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "_parallel: true\n+waits: {job>: w}\n+looks: {job>: l}\n+plain: {plain>: ''}\n"
	if err := os.WriteFile(filepath.Join(dir, "w.dig"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	project, err := dig.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	workflow := project.Find("w")
	tasks, err := workflow.Compile()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	canceled := map[string]int{}
	var running sync.WaitGroup
	running.Add(3)
	table := operator.Table{
		"plain": {Run: func(ctx context.Context, _ *operator.Request) (operator.Outcome, error) {
			running.Done()
			<-ctx.Done()
			return operator.Outcome{}, context.Cause(ctx)
		}},
		"job": {
			Run: func(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
				job, err := r.Params.String("_command")
				again := &operator.Again{After: time.Hour, State: param.Of("job", job), Job: true}
				running.Done()
				if job == "l" {
					<-ctx.Done()
				}
				return operator.Outcome{Again: again}, err
			},
			CancelJob: func(_ context.Context, r *operator.Request) error {
				job, err := param.NewReader(r.State).String("job")
				mu.Lock()
				defer mu.Unlock()
				canceled[job]++
				return err
			},
		},
	}
	var out bytes.Buffer
	view := runview.NewPlain(&out, &out)
	logs := &logging.Handler{To: view.Log(), Thread: "main"}
	opts := Options{
		Project: project, Workflow: workflow, Tasks: tasks, Params: param.New(), Session: time.Unix(1705276800, 0).UTC(),
		Now: time.Now, View: view, Logs: logs, Log: slog.New(logs),
	}
	signals := make(chan os.Signal, 1)
	go func() {
		running.Wait()
		signals <- os.Interrupt
	}()
	l := &run{Options: opts}
	l.agentOptions.Operators = table
	end, err := l.run(t.Context(), signals)
	if err != nil || !end.Interrupted {
		t.Errorf("run = %+v, %v, want an interrupted one", end, err)
	}
	if diff := cmp.Diff(map[string]int{"w": 1, "l": 1}, canceled); diff != "" {
		t.Errorf("canceled jobs (-want +got):\n%s\n%s", diff, out.String())
	}
	if !strings.Contains(out.String(), "Task +w+waits is canceled.") {
		t.Errorf("output = %s, want to be told of canceled tasks", out.String())
	}
}

// Ctrl-C while only a workflow of require> has something outside: what was interrupted in the main workflow does not begin again.
func TestInterruptCancelsJobsOfRequired(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"w.dig": "_parallel: true\n+sub: {require>: s}\n+plain: {plain>: ''}\n",
		"s.dig": "+waits: {job>: ''}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	project, err := dig.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	workflow := project.Find("w")
	tasks, err := workflow.Compile()
	if err != nil {
		t.Fatal(err)
	}
	var plain, canceled atomic.Int64
	begun := make(chan struct{}, 100)
	table := operator.Core(operator.Options{})
	table["plain"] = operator.Definition{Run: func(ctx context.Context, _ *operator.Request) (operator.Outcome, error) {
		plain.Add(1)
		begun <- struct{}{}
		<-ctx.Done()
		return operator.Outcome{}, context.Cause(ctx)
	}}
	table["job"] = operator.Definition{
		Run: func(context.Context, *operator.Request) (operator.Outcome, error) {
			begun <- struct{}{}
			return operator.Outcome{Again: &operator.Again{After: time.Hour, State: param.Of("job", 1), Job: true}}, nil
		},
		CancelJob: func(context.Context, *operator.Request) error {
			canceled.Add(1)
			select {
			case <-begun: // a task that should not
			case <-time.After(500 * time.Millisecond):
			}
			return nil
		},
	}
	var out bytes.Buffer
	view := runview.NewPlain(&out, &out)
	logs := &logging.Handler{To: view.Log(), Thread: "main"}
	l := &run{Options: Options{
		Project: project, Workflow: workflow, Tasks: tasks, Params: param.New(), Session: time.Unix(1705276800, 0).UTC(),
		Now: time.Now, View: view, Logs: logs, Log: slog.New(logs),
	}}
	l.agentOptions.Operators = table
	signals := make(chan os.Signal, 1)
	go func() {
		<-begun
		<-begun
		signals <- os.Interrupt
	}()
	end, err := l.run(t.Context(), signals)
	if err != nil || !end.Interrupted || plain.Load() != 1 || canceled.Load() != 1 {
		t.Errorf("run = %+v, %v, plain task run %d times, %d jobs canceled, want an interrupted run, once and one:\n%s",
			end, err, plain.Load(), canceled.Load(), out.String())
	}
}
