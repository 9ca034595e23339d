package live

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/runview/viewtest"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// stage is a live display in front of a window, with a run to rehearse.
type stage struct {
	*viewtest.Rehearsal
	live   *View
	window *window
	clock  *clock
}

// lookOf returns the look in an environment of KEY=VALUE each.
func lookOf(environ ...string) terminal.Look {
	return terminal.NewLook(func(name string) (string, bool) { return config.LookupEnv(environ, name) })
}

// newStage begins a run. Colours are off.
func newStage(t *testing.T, body string) *stage {
	t.Helper()
	s := &stage{Rehearsal: viewtest.Rehearse(t, body), window: newWindow(t, 80, 24), clock: &clock{}}
	s.clock.now = s.Begun
	s.live = New(Options{
		Stdout: s.window, Stderr: s.window, Now: s.clock.Now, Dir: "/p", Look: lookOf("TERM=xterm", "NO_COLOR=1"), Level: slog.LevelWarn,
		Size: func() (int, int) { return 80, 24 },
	})
	s.Show = func(batch *flush.Batch) {
		if err := s.live.Committed(batch); err != nil {
			t.Errorf("Committed() = %v, want nil", err)
		}
	}
	return s
}

func (s *stage) begin() {
	s.T.Helper()
	s.live.Begin(runview.Begin{Workflow: "w", Session: s.Begun, Tasks: s.Tasks})
	s.Start()
}

// output prints as a task, from open to close.
func (s *stage) output(name string, pieces ...string) {
	s.T.Helper()
	out := s.live.Open(s.Lease(name))
	for _, piece := range pieces {
		if _, err := io.WriteString(out, piece); err != nil {
			s.T.Error(err)
		}
	}
	if err := out.Close(); err != nil {
		s.T.Error(err)
	}
}

// After a run on a terminal, the output of its tasks, warnings of the log and a summary stay.
func TestLive(t *testing.T) {
	t.Parallel()
	s := newStage(t, "+a: {sh>: x}\n+b: {sh>: x}\n")
	logger := slog.New(&logging.Handler{To: s.live.Log()})
	logger.Warn("Using a new session time.")
	s.begin()
	s.Claim("+w+a")
	s.output("+w+a", "one\ntw", "o\nthree")
	s.Succeed("+w+a")
	s.Claim("+w+b")
	about := (&logging.Handler{To: s.live.Log()}).ForTask(s.Lease("+w+b"))
	about.Info("sh>: x")
	about.Warn("Skipped")
	about.Warn(runview.ParamsHead + "  a: 1\n  b: |\n    x\n") //nolint:sloglint // as --show-params logs it
	about.Error("Task failed", slog.Int("try", 1))
	s.output("+w+b", "four\n")
	s.Fail("no", "+w+b")
	s.live.End(runview.End{
		Status: "error", Elapsed: 3200 * time.Millisecond, StateDir: "/p/.digdag/status/20240102T030405+0000", Resume: "trowel run w.dig",
		Failed: []runview.FailedTask{{Name: "+w+b", Message: "no (runtime)", Where: "w.dig:3:1", LastLines: []string{"four"}}},
	})
	logger.Warn("said after the end")
	want := []string{
		"warn Using a new session time.",
		"+a │ one",
		"+a │ two",
		"+a │ three",
		"+b │   a: 1",
		"+b │   b: |",
		"+b │     x",
		"error +b Task failed try=1",
		"+b │ four",
		"✗ w failed after 3.2s",
		"  2 tasks: 1 succeeded (1 skipped), 1 failed",
		"  ✓ +a   0.0s",
		"  ✗ +b   0.0s",
		"",
		"  ✗ +w+b  w.dig:3:1",
		"    no (runtime)",
		"    │ four",
		"",
		"  what succeeded is kept in " + filepath.FromSlash(".digdag/status/20240102T030405+0000"),
		"  resume: trowel run w.dig",
		"warn said after the end",
	}
	if diff := cmp.Diff(want, s.window.text()); diff != "" {
		t.Errorf("window (-want +got):\n%s", diff)
	}
}

// The tree is on the terminal while the run goes on.
func TestLiveDraws(t *testing.T) {
	t.Parallel()
	s := newStage(t, "+a: {sh>: x}\n")
	drawn := make(chan string, 100)
	s.live.screen.lower = writerFunc(func(data []byte) (int, error) {
		drawn <- string(data)
		return len(data), nil
	})
	s.begin()
	s.Claim("+w+a")
	s.output("+w+a", "working\n")
	deadline := time.After(10 * time.Second)
	for seen := ""; !strings.Contains(seen, "+a   0.0s  working"); {
		select {
		case text := <-drawn:
			seen += text
		case <-deadline:
			t.Fatalf("drawn in 10 s: %q, want the line of +a", seen)
		}
	}
	s.live.End(runview.End{Status: "success"})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(data []byte) (int, error) { return f(data) }

// A terminal that takes nothing blocks the task that prints, but neither the flusher nor the log.
// Once the terminal goes on, nothing is missing.
func TestLiveBlockedTerminal(t *testing.T) {
	t.Parallel()
	s := newStage(t, "_parallel: true\n+a: {sh>: x}\n+b: {sh>: x}\n")
	var got bytes.Buffer
	open := make(chan struct{})
	blocked := writerFunc(func(data []byte) (int, error) {
		<-open
		return got.Write(data)
	})
	s.live.screen.out, s.live.screen.lower = blocked, io.Discard
	s.begin()
	s.Claim("+w+a", "+w+b")
	out := s.live.Open(s.Lease("+w+a"))
	line := strings.Repeat("x", 1000) + "\n"
	const lines = 3000 // far more than the spool holds
	var written sync.WaitGroup
	written.Go(func() {
		for range lines {
			if _, err := io.WriteString(out, line); err != nil {
				t.Error(err)
			}
		}
	})
	s.Succeed("+w+b")
	logger := slog.New(&logging.Handler{To: s.live.Log()})
	for range 100 {
		logger.Error("an error")
	}
	close(open)
	written.Wait()
	s.Succeed("+w+a")
	s.live.End(runview.End{Status: "success"})
	if n := strings.Count(got.String(), "+a │ "+line); n != lines {
		t.Errorf("%d lines of +a arrived, want %d", n, lines)
	}
	if n := strings.Count(got.String(), "error an error\n"); n != 100 {
		t.Errorf("%d log entries arrived, want 100", n)
	}
}

// A run that failed with an error leaves its output and no tree. The caller says why it failed.
func TestLiveAbandon(t *testing.T) {
	t.Parallel()
	s := newStage(t, "+a: {sh>: x}\n")
	s.live.Abandon(errors.New("no database"))
	if got := s.window.text(); len(got) > 0 {
		t.Errorf("window after a run that was not begun = %q, want nothing", got)
	}
	s = newStage(t, "+a: {sh>: x}\n")
	s.begin()
	s.Claim("+w+a")
	s.output("+w+a", "one\n")
	s.live.Abandon(errors.New("no database"))
	if diff := cmp.Diff([]string{"+a │ one"}, s.window.text()); diff != "" {
		t.Errorf("window (-want +got):\n%s", diff)
	}
}

// A run that is asked to stop says how to end tasks that do not stop.
func TestLiveStopping(t *testing.T) {
	t.Parallel()
	a := newAlbum(t, 80, 10, "+a: {sh>: x}\n")
	l := New(Options{Look: lookOf()})
	l.tree = a.tree
	l.Stopping()
	lines, _ := a.tree.draw(&a.look, 0, 80, 10, 0)
	if want := "⠋ +w     0.0s  0/1  stopping, Ctrl-C again to kill"; lines[0].text != want {
		t.Errorf("first line = %q, want %q", lines[0].text, want)
	}
}

// A dry run shows what each task would do, and the tree has a title.
func TestLiveDryRun(t *testing.T) {
	t.Parallel()
	s := newStage(t, "+a: {sh>: x}\n")
	s.live.Begin(runview.Begin{Workflow: "w", Session: s.Begun, Tasks: s.Tasks, DryRun: true})
	s.Start()
	s.live.mu.Lock()
	lines, _ := s.live.tree.draw(&s.live.look, 0, 80, 10, 0)
	s.live.mu.Unlock()
	if want := "⠋ dry run: +w   0.0s  0/1"; lines[0].text != want {
		t.Errorf("first line = %q, want %q", lines[0].text, want)
	}
	s.live.Would(s.Lease("+w+a"), "sh>: echo one\necho \x1b[2Jtwo")
	about := (&logging.Handler{To: s.live.Log()}).ForTask(s.Lease("+w+a"))
	about.Warn("Skipped")
	s.Claim("+w+a")
	s.Succeed("+w+a")
	s.live.End(runview.End{Status: "success", Elapsed: 200 * time.Millisecond, DryRun: true})
	want := []string{
		"+a │ sh>: echo one",
		"+a │ echo ^[[2Jtwo",
		"✓ dry run: w succeeded in 0.2s",
		"  1 task: 1 evaluated (1 passed over: done before)",
		"",
		"  nothing was run, and nothing was saved",
	}
	if diff := cmp.Diff(want, s.window.text()); diff != "" {
		t.Errorf("window (-want +got):\n%s", diff)
	}
}

// What is left on the terminal after a run, however it ended.
func TestSummary(t *testing.T) {
	t.Parallel()
	state := "/p/.digdag/status/20240102T030405+0000" // from /p, the folder of the command
	cases := []struct {
		name string
		end  runview.End
		play func(*stage)
	}{
		{"success", runview.End{Status: "success", Elapsed: 200 * time.Millisecond, StateDir: state}, func(s *stage) {
			s.Claim("+w+a")
			s.clock.add(time.Second)
			s.Succeed("+w+a")
			s.Claim("+w+b+c")
			s.Succeed("+w+b+c")
			s.Claim("+w+b+d")
			s.Succeed("+w+b+d")
		}},
		{"interrupted", runview.End{
			Status: "running", Interrupted: true, Elapsed: 90 * time.Second, StateDir: state,
			Resume: "trowel run w.dig --session '2024-01-02 03:04:05'", Succeeded: []string{"+w+a"},
		}, func(s *stage) {
			s.Claim("+w+a")
			s.Succeed("+w+a")
			s.Claim("+w+b+c")
		}},
		{"interrupted at once", runview.End{Status: "running", Interrupted: true}, func(*stage) {}},
		{"broken", runview.End{
			Status: "running", Broken: errors.New("disk full"), BrokenText: "cannot keep the state of +w+a: no space left on device",
			Succeeded: []string{"+w+a"},
		}, func(s *stage) {
			s.Claim("+w+a")
			s.Succeed("+w+a")
		}},
		{"killed", runview.End{Status: "killed", StateDir: state, Resume: "trowel run w.dig"}, func(s *stage) {
			s.Claim("+w+a")
			s.Again("+w+a", trowel.OutcomeRetry, time.Minute)
		}},
		{"failed, untrusted text", runview.End{Status: "error", Failed: []runview.FailedTask{
			{Name: "+w+a", Message: "line one\nline \x1b[2Jtwo (runtime)", LastLines: []string{"\x1b[31mred\x1b[0m", strings.Repeat("long ", 40), "\xff"}},
			{Name: "+w+b^sub+x", Message: "no"},
		}}, func(s *stage) {
			s.Claim("+w+a")
			s.Fail("no", "+w+a")
		}},
	}
	var text strings.Builder
	for _, tc := range cases {
		s := newStage(t, "+a: {sh>: x}\n+b:\n  +c: {sh>: x}\n  +d: {echo>: x}\n")
		s.begin()
		tc.play(s)
		s.live.End(tc.end)
		fmt.Fprintf(&text, "-- %s\n%s\n", tc.name, strings.Join(s.window.text(), "\n"))
	}
	viewtest.Golden(t, filepath.Join("testdata", "summary.txt"), text.String())
}

func TestLook(t *testing.T) {
	t.Parallel()
	cases := []struct {
		environ []string
		color   bool
		done    string
	}{
		{[]string{"TERM=xterm"}, true, "✓"},
		{[]string{"TERM=xterm", "NO_COLOR="}, true, "✓"},
		{[]string{"TERM=xterm", "NO_COLOR=1"}, false, "✓"},
		{[]string{"TERM=linux", "LANG=en_US.UTF-8"}, true, "v"},
		{[]string{"TERM=xterm", "LANG=ja_JP.eucJP"}, true, "v"},
		{[]string{"TERM=xterm", "LANG=ja_JP.eucJP", "LC_ALL=ja_JP.UTF-8"}, true, "✓"},
		{[]string{"TERM=xterm", "LANG=de_DE.ISO-8859-15@euro"}, true, "v"},
		{[]string{"TERM=xterm", "LANG=en_US"}, true, "✓"},
	}
	for _, tc := range cases {
		got := lookOf(tc.environ...)
		if got.Color != tc.color || got.Signs.Done != tc.done {
			t.Errorf("newLook(%q): colour %t, done %s, want %t, %s", tc.environ, got.Color, got.Signs.Done, tc.color, tc.done)
		}
		for _, sign := range append(got.Signs.Spin, got.Signs.Waiting, got.Signs.Retry, got.Signs.Failed, got.Signs.Canceled, got.Signs.Rest, got.Signs.Bar) {
			if terminal.Width(sign) != 1 {
				t.Errorf("newLook(%q): sign %q takes %d columns, want 1", tc.environ, sign, terminal.Width(sign))
			}
		}
	}
}

func TestDurationText(t *testing.T) {
	t.Parallel()
	cases := []struct {
		d    time.Duration
		want string
	}{
		{-time.Second, "0.0s"},
		{0, "0.0s"},
		{149 * time.Millisecond, "0.1s"},
		{9999 * time.Millisecond, "9.9s"},
		{10 * time.Second, "10s"},
		{59*time.Second + 900*time.Millisecond, "59s"},
		{time.Minute, "1m00s"},
		{59*time.Minute + 59*time.Second, "59m59s"},
		{time.Hour, "1h00m"},
		{23*time.Hour + 59*time.Minute, "23h59m"},
		{24 * time.Hour, "1d00h"},
		{1000 * 24 * time.Hour, "1000d00h"},
	}
	for _, tc := range cases {
		if got := textutil.Duration(tc.d); got != tc.want {
			t.Errorf("durationText(%s) = %s, want %s", tc.d, got, tc.want)
		}
	}
}

// The place of a failed task has a line of its own where it does not fit behind the name.
func TestSummaryPlace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		length int // of the name of the task
		want   string
	}{
		{63, "NAME  a=1  w.dig:3:1\n"},
		{64, "NAME  a=1\n    at w.dig:3:1\n"},
	} {
		l := New(Options{Look: lookOf("NO_COLOR=1")})
		name := "+" + strings.Repeat("n", tc.length-1)
		end := runview.End{Status: "error", Failed: []runview.FailedTask{{Name: name, Values: "a=1", Message: "no (runtime)", Where: "w.dig:3:1"}}}
		got := l.summary(end, 4+63+len("  a=1  w.dig:3:1"))
		if want := strings.Replace(tc.want, "NAME", "✗ "+name, 1); !strings.Contains(got, "  "+want) {
			t.Errorf("a name of %d characters: %q, want %q", tc.length, got, want)
		}
	}
}
