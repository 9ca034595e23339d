package localrun

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
