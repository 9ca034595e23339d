package commandtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/command"
)

func testOutput(t *testing.T, s *Subject) {
	r := NewRequest(t, s, "echo error >&2; sleep 0.5; echo one; echo two; sleep 2; echo three")
	ended := s.begin(t, t.Context(), r, "two")
	select {
	case err := <-ended:
		t.Fatalf("the output came with the end of the command: %v", err)
	default:
	}
	if got := s.lines(text(r)); got != "error\none\ntwo" {
		t.Errorf("output of the running command = %q, want %q", got, "error\none\ntwo")
	}
	if err := <-ended; err.Error() != "exit code 0" {
		t.Error(err)
	}
	if got := s.lines(text(r)); got != "error\none\ntwo\nthree" {
		t.Errorf("output = %q", got)
	}
}

func testExitCodes(t *testing.T, s *Subject) {
	for script, exit := range map[string]int{"true": 0, "exit 3": 3, "exit 255": 255, "/bin/sh -c 'kill -9 $$'; exit $?": 137} {
		r := NewRequest(t, s, script)
		status := s.mustEnd(t, r, exit)
		if !status.Finished || status.IODir != r.IODir {
			t.Errorf("%s: status = %+v, want one of an ended command with the folder %s", script, status, r.IODir)
		}
	}
}

func testVariables(t *testing.T, s *Subject) {
	want := map[string]string{
		"PLAIN": "value", "EMPTY": "", "SPACES": "  a  b ", "QUOTES": `it's "quoted" \n`, "DOLLAR": "$HOME `id` $(id)", "EQUALS": "a=b=c", "UNICODE": "größe €",
		"LINES": "first\nsecond\n\nfourth", "JSON": `{"a":[1,2]}`, "PATH_LIKE": "/a:/b", "LONG": strings.Repeat("x", 4000), "HASH": "# no comment",
	}
	var script strings.Builder
	for name := range want {
		script.WriteString(`printf '%s' "$` + name + `" > "${0%/*}/` + name + "\"\n")
	}
	r := NewRequest(t, s, script.String())
	for name, value := range want {
		r.Env = append(r.Env, name+"="+value)
	}
	status := s.mustEnd(t, r, 0)
	for name, value := range want {
		got, err := status.ReadFile(r.Project, name)
		if err != nil || string(got) != value {
			t.Errorf("%s = %.60q, %v, want %.60q", name, got, err, value)
		}
	}
}

func testFiles(t *testing.T, s *Subject) {
	r := NewRequest(t, s, `cat project.txt "${0%/*}/input.json" > "${0%/*}/output.json"; echo extra > "${0%/*}/extra"; exit 2`)
	write(t, filepath.Join(r.Project, "project.txt"), "of the project, ")
	write(t, filepath.Join(r.Project, filepath.FromSlash(r.IODir), "input.json"), "of the operator")
	status := s.mustEnd(t, r, 2)
	for name, want := range map[string]string{"output.json": "of the project, of the operator", "extra": "extra\n"} {
		if got, err := status.ReadFile(r.Project, name); err != nil || string(got) != want {
			t.Errorf("%s = %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := status.ReadFile(r.Project, "none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that the command has not written: %v", err)
	}
}

func testWorkDir(t *testing.T, s *Subject) {
	r := NewRequest(t, s, `cat data.txt; cat ../root.txt`)
	if err := os.Mkdir(filepath.Join(r.Project, "sub"), 0o755); err != nil { //nolint:gosec // users of a container read it
		t.Fatal(err)
	}
	write(t, filepath.Join(r.Project, "sub", "data.txt"), "data\n")
	write(t, filepath.Join(r.Project, "root.txt"), "root\n")
	r.WorkDir, r.Args[1] = "sub", "../"+r.Args[1]
	s.mustEnd(t, r, 0)
	if got := s.lines(text(r)); got != "data\nroot" {
		t.Errorf("output = %q", got)
	}
}

// A killed command that heeds SIGTERM has time to clean up.
func testKill(t *testing.T, s *Subject) {
	r := NewRequest(t, s, `trap 'echo cleaned; exit 4' TERM; echo begun; n=0; while [ $n -lt 600 ]; do sleep 0.1; n=$((n+1)); done`)
	ctx, cancel := context.WithCancelCause(t.Context())
	killed := errors.New("killed")
	ended := s.begin(t, ctx, r, "begun")
	if !s.Running(t, &r.Try) {
		t.Error("nothing is known of the running command")
	}
	cancel(killed)
	select {
	case err := <-ended:
		if !errors.Is(err, killed) {
			t.Errorf("Run = %v, want the cause", err)
		}
	case <-time.After(patience):
		t.Fatal("the command does not end")
	}
	s.awaitGone(t, &r.Try)
	if s.Abandon != nil && !strings.Contains(text(r), "cleaned") {
		t.Errorf("output = %q, want that the command was asked to end", text(r))
	}
}

// A command whose lease is lost ends at once, whatever it does with signals.
func testKillAtOnce(t *testing.T, s *Subject) {
	r := NewRequest(t, s, `trap '' TERM HUP INT; echo begun; while true; do sleep 1; done`)
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := s.begin(t, ctx, r, "begun")
	cancel(command.ErrKill)
	select {
	case err := <-ended:
		if !errors.Is(err, command.ErrKill) {
			t.Errorf("Run = %v, want the cause", err)
		}
	case <-time.After(patience):
		t.Fatal("the command does not end")
	}
	s.awaitGone(t, &r.Try)
}

// A command that the engine loses fails; it does not hang.
func testLost(t *testing.T, s *Subject) {
	r := NewRequest(t, s, `echo begun; while true; do sleep 1; done`)
	ended := s.begin(t, t.Context(), r, "begun")
	s.Lose(t, &r.Try)
	select {
	case err := <-ended:
		if err == nil || err.Error() == "exit code 0" {
			t.Errorf("Run = %v, want a failure", err)
		}
	case <-time.After(patience):
		t.Fatal("the executor waits for a command that is gone")
	}
	s.awaitGone(t, &r.Try)
}

// After a restart a command goes on, if it can be polled, and is ended otherwise, as it will be started again.
func testRestart(t *testing.T, s *Subject) {
	if s.Abandon != nil {
		r := NewRequest(t, s, `echo begun; while true; do sleep 1; done`)
		s.Abandon(t, r)
		s.awaitGone(t, &r.Try)
		return
	}
	r := NewRequest(t, s, `echo begun; sleep 2; echo done > "${0%/*}/output"; exit 5`)
	first, err := s.Executor.Run(t.Context(), r)
	if err != nil || first.Finished {
		t.Fatalf("Run = %+v, %v, want a command that goes on", first, err)
	}
	s.Executor = s.Restart(t)
	// The answer of the first Run was lost: the same command goes on.
	again := *r
	again.Try.Number++
	status, err := s.Executor.Run(t.Context(), &again)
	if err == nil {
		status, err = s.goOn(t.Context(), &again, status, err)
	}
	if err != nil || status.ExitCode != 5 {
		t.Fatalf("after a restart: %+v, %v, want exit code 5; output:\n%s", status, err, text(r))
	}
	if got, err := status.ReadFile(r.Project, "output"); err != nil || string(got) != "done\n" {
		t.Errorf("output = %q, %v", got, err)
	}
	if got := strings.Count(text(r), "begun"); got != 1 {
		t.Errorf("the command ran %d times, want once", got)
	}
	s.awaitGone(t, &r.Try)
}

func testParallel(t *testing.T, s *Subject) {
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			r := NewRequest(t, s, "echo number "+strconv.Itoa(i)+"; exit "+strconv.Itoa(i))
			status, err := s.end(t.Context(), r)
			if err != nil || status.ExitCode != i || s.lines(text(r)) != "number "+strconv.Itoa(i) {
				t.Errorf("command %d = %+v, %v, output %q", i, status, err, text(r))
			}
		})
	}
	all.Wait()
}
