// Package commandtest has the suite that every command executor passes: what operators rely on (operators 3.1, 4.1). It says
// how an executor behaves; what it sends to its engine is tested beside it.
package commandtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

// Subject is an executor under test.
type Subject struct {
	Executor command.Executor
	// Params are those of the tasks, with the block of the executor; nil for none.
	Params *param.Map
	// Running reports whether something runs for a try, as far as its engine knows.
	Running func(tb testing.TB, try *command.Try) bool
	// Lose ends what runs for a try without the executor, as a machine that breaks down would.
	Lose func(tb testing.TB, try *command.Try)
	// Restart returns the executor of a server or agent that was started again after a kill, for commands that are polled.
	Restart func(tb testing.TB) command.Executor
	// Abandon is for an executor that waits for its commands, in place of Restart. It runs a request in a process, kills
	// that process once the command has printed a line, and does what a server or agent that is started again does first.
	Abandon func(tb testing.TB, r *command.Request)
	// Around reports whether a line of output comes from what the executor runs around the command; nil for none.
	Around func(line string) bool
}

// Run runs the suite. subject is called for each test.
func Run(t *testing.T, subject func(tb testing.TB) *Subject) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, *Subject){
		"output comes while the command runs": testOutput,
		"exit codes":                          testExitCodes,
		"variables":                           testVariables,
		"files in and out":                    testFiles,
		"working directory":                   testWorkDir,
		"kill":                                testKill,
		"kill at once":                        testKillAtOnce,
		"lost by the engine":                  testLost,
		"restart":                             testRestart,
		"many at once":                        testParallel,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, subject(t))
		})
	}
}

// tries numbers the tries of all tests of a process, as engines know them by their ids.
var tries atomic.Int64

// TryVariable is a variable of every command of the suite, with the id of its try.
const TryVariable = "COMMANDTEST_TRY"

// NewRequest returns a request for a shell script in a new project.
func NewRequest(tb testing.TB, s *Subject, script string) *command.Request {
	tb.Helper()
	r := &command.Request{
		Project: tb.TempDir(), WorkDir: ".", IODir: ".digdag/tmp/digdag-sh-7-1", Params: s.Params, Output: &Output{},
		Try: command.Try{
			Project: 1, Revision: "r1", Session: fmt.Sprintf("session-%d", os.Getpid()), Attempt: 3,
			Task: trowel.TaskID(os.Getpid()*1000 + int(tries.Add(1))), Name: "+main+a", Number: 1,
		},
	}
	r.Env = []string{TryVariable + "=" + r.Try.ID()}
	r.Args = []string{"/bin/sh", r.IODir + "/runner.sh"}
	dir := filepath.Join(r.Project, filepath.FromSlash(r.IODir))
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // users of a container read it
		tb.Fatal(err)
	}
	write(tb, filepath.Join(dir, "runner.sh"), script)
	return r
}

func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// pollPause is the time between two looks at a command, in place of the executor's own.
const pollPause = 50 * time.Millisecond

// patience is how long a test waits for something that must happen.
const patience = 60 * time.Second

// pause waits until the next look at something outside of this process.
func pause() { <-time.After(pollPause) }

// end runs a command to its end. When ctx ends, a command that is polled is stopped.
func (s *Subject) end(ctx context.Context, r *command.Request) (command.Status, error) {
	status, err := s.Executor.Run(ctx, r)
	return s.goOn(ctx, r, status, err)
}

// goOn polls a command to its end.
func (s *Subject) goOn(ctx context.Context, r *command.Request, status command.Status, err error) (command.Status, error) {
	again := *r
	again.Env, again.Args = nil, nil
	for err == nil && !status.Finished {
		if ctx.Err() != nil {
			err := s.Executor.Stop(context.WithoutCancel(ctx), &again, status.State)
			return command.Status{}, errors.Join(context.Cause(ctx), err)
		}
		pause()
		status, err = s.Executor.Poll(context.WithoutCancel(ctx), &again, status.State)
	}
	return status, err
}

// mustEnd runs a command that must end with an exit code.
func (s *Subject) mustEnd(t *testing.T, r *command.Request, exit int) command.Status {
	t.Helper()
	status, err := s.end(t.Context(), r)
	if err != nil || status.ExitCode != exit {
		t.Fatalf("Run = %+v, %v, want exit code %d; output:\n%s", status, err, exit, text(r))
	}
	return status
}

// text returns what a command has printed.
func text(r *command.Request) string {
	out, _ := r.Output.(*Output)
	return out.String()
}

// awaitGone waits until nothing runs for a try.
func (s *Subject) awaitGone(t *testing.T, try *command.Try) {
	t.Helper()
	for deadline := time.Now().Add(patience); s.Running(t, try); pause() {
		if time.Now().After(deadline) {
			t.Fatalf("something of the try %s still runs", try.ID())
		}
	}
}

// begin runs a command in the background and waits until it has printed a text.
func (s *Subject) begin(t *testing.T, ctx context.Context, r *command.Request, printed string) (ended <-chan error) { //nolint:revive // the test comes first
	t.Helper()
	result := make(chan error, 1)
	go func() {
		status, err := s.end(ctx, r)
		if err == nil {
			err = fmt.Errorf("exit code %d", status.ExitCode) //nolint:err113 // for the test alone
		}
		result <- err
	}()
	out, _ := r.Output.(*Output)
	select {
	case <-out.Has(printed):
	case err := <-result:
		t.Fatalf("the command ended: %v; output:\n%s", err, out)
	case <-time.After(patience):
		t.Fatalf("the command has not printed %q; output:\n%s", printed, out)
	}
	return result
}

// lines returns the lines of a text that come from the command.
func (s *Subject) lines(text string) string {
	var all strings.Builder
	for line := range strings.Lines(text) {
		if s.Around == nil || !s.Around(strings.TrimSuffix(line, "\n")) {
			all.WriteString(line)
		}
	}
	return strings.TrimSpace(all.String())
}
