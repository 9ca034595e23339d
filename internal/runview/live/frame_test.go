package live

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/runview/viewtest"
	"github.com/trowel-project/trowel/internal/terminal"
)

// album holds the frames of a rehearsal, one below the other.
type album struct {
	*viewtest.Rehearsal
	tree          *liveTree
	look          terminal.Look
	width, height int
	names         int
	text          strings.Builder
}

func newAlbum(t *testing.T, width, height int, body string) *album {
	t.Helper()
	a := &album{Rehearsal: viewtest.Rehearse(t, body), look: terminal.Look{Signs: terminal.UnicodeSigns()}, width: width, height: height}
	a.tree = newLiveTree(a.Begun)
	a.Show = func(batch *flush.Batch) {
		for i := range batch.Changes {
			a.tree.apply(&batch.Changes[i], batch.At)
		}
	}
	a.Start()
	return a
}

// snap adds a frame, and checks what holds for every frame.
func (a *album) snap(title string) {
	a.T.Helper()
	var lines []drawnLine
	lines, a.names = a.tree.draw(&a.look, a.Now.Sub(a.Begun), a.width, a.height, a.names)
	fmt.Fprintf(&a.text, "-- %s (%s, %dx%d)\n", title, a.Now.Sub(a.Begun), a.width, a.height)
	for _, line := range lines {
		a.text.WriteString(line.text + "\n")
		if line.width != terminal.Width(line.text) || line.width >= a.width {
			a.T.Errorf("%s: %q takes %d columns, says %d, the window has %d", title, line.text, terminal.Width(line.text), line.width, a.width)
		}
	}
	if len(lines) > a.height {
		a.T.Errorf("%s: %d lines, want at most %d", title, len(lines), a.height)
	}
}

// print makes a running task print.
func (a *album) print(name, text string) {
	a.T.Helper()
	out := &liveOutput{spool: runview.NewSpool(urgentSize)}
	if _, err := out.Write([]byte(text)); err != nil {
		a.T.Error(err)
	}
	a.tree.tasks[a.Find(name).ID].trying().output = out
}

// compare compares the album with a golden file.
func (a *album) compare(name string) {
	a.T.Helper()
	viewtest.Golden(a.T, filepath.Join("testdata", name+".txt"), a.text.String())
}

const loadWorkflow = `
+prepare: {echo>: x}
+load:
  +fetch: {sh>: x, _retry: 2}
  +clean: {sh>: x}
+count: {for_each>: x, _do: {}}
+report: {echo>: x}
`

func TestFrames(t *testing.T) {
	t.Parallel()
	a := newAlbum(t, 80, 20, loadWorkflow)
	a.snap("begin")
	a.Claim("+w+prepare")
	a.After(300 * time.Millisecond)
	a.snap("one runs")
	a.Succeed("+w+prepare")
	a.Claim("+w+load+fetch")
	a.print("+w+load+fetch", "connecting\nfetched 10\x1b[31m rows\x1b[0m\tof 20\n\n")
	a.After(time.Second)
	a.snap("one prints")
	a.Again("+w+load+fetch", trowel.OutcomeRetry, 5*time.Second)
	a.After(800 * time.Millisecond)
	a.snap("a retry")
	a.Due("+w+load+fetch")
	a.snap("due")
	a.Claim("+w+load+fetch")
	a.After(time.Second)
	a.snap("the second try")
	a.Succeed("+w+load+fetch")
	a.Claim("+w+load+clean")
	a.Succeed("+w+load+clean")
	a.snap("a group is done")
	a.Claim("+w+count")
	a.Generate("+w+count", "{_parallel: true, +one: {+a: {sh>: x}, +b: {echo>: x}}, +two: {+a: {sh>: x}, +b: {echo>: x}}}")
	a.Claim("+w+count^sub+one+a", "+w+count^sub+two+a")
	a.After(2 * time.Minute)
	a.snap("generated tasks")
	a.Succeed("+w+count^sub+one+a")
	a.Claim("+w+count^sub+one+b")
	a.Succeed("+w+count^sub+one+b")
	a.After(2 * time.Hour)
	a.snap("some of them done")
	a.Fail("Command failed with code 1", "+w+count^sub+two+a")
	a.snap("one failed")
	a.Claim("+w^failure-alert")
	a.Succeed("+w^failure-alert")
	a.snap("end")
	a.compare("frames")
}

// X34, X37: a group that is retried begins with fresh tasks.
func TestFramesGroupRetry(t *testing.T) {
	t.Parallel()
	a := newAlbum(t, 70, 20, `
+group:
  _retry: {limit: 2, interval: 10}
  +a: {echo>: x}
  +b: {echo>: x}
  +c: {echo>: x}
+again: {loop>: 1, _do: {}}
`)
	a.Claim("+w+group+a")
	a.Succeed("+w+group+a")
	a.Claim("+w+group+b")
	a.Fail("no", "+w+group+b")
	a.After(time.Second)
	a.snap("waits for its retry")
	a.Due("+w+group")
	a.snap("the second round")
	for _, name := range []string{"+a", "+b", "+c"} {
		a.Claim("+w+group" + name)
		a.Succeed("+w+group" + name)
	}
	a.Claim("+w+again")
	a.Generate("+w+again", "{_retry: {limit: 1, interval: 3}, +x: {echo>: x}, +y: {echo>: x}}")
	a.Claim("+w+again^sub+x")
	a.After(time.Second)
	a.snap("a ^sub")
	a.Fail("no", "+w+again^sub+x")
	a.After(time.Second)
	a.snap("a ^sub waits")
	a.Due("+w+again^sub")
	a.snap("its second round")
	a.Claim("+w+again^sub+x")
	a.Fail("still no", "+w+again^sub+x")
	a.snap("failed for good")
	a.compare("group-retry")
}

// X18, X19: what follows from a failure is shown below the task that failed.
func TestFramesErrorTasks(t *testing.T) {
	t.Parallel()
	a := newAlbum(t, 70, 20, `
+a:
  sh>: x
  _error: {+tell: {echo>: x}}
+b: {wait>: 10s}
`)
	a.Claim("+w+a")
	a.Fail("Command failed with code 3\nand more", "+w+a")
	a.snap("failed, its _error task is ready")
	a.Claim("+w+a^error+tell")
	a.print("+w+a^error+tell", "half a line, 日本語のテキスト that is too long to fit into the line of a window like this one")
	a.After(time.Second)
	a.snap("its _error task runs")
	a.Succeed("+w+a^error+tell")
	a.snap("failed for good")
	a.compare("error-tasks")
}

// Long lists are folded to the height of the window.
func TestFramesFolded(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	body.WriteString("+before: {echo>: x}\n+all:\n  _parallel: true\n")
	for i := range 500 {
		fmt.Fprintf(&body, "  +item-%03d:\n    +fetch: {sh>: x}\n    +store: {sh>: x}\n", i)
	}
	body.WriteString("+after: {echo>: x}\n")
	a := newAlbum(t, 60, 14, body.String())
	a.Claim("+w+before")
	a.Succeed("+w+before")
	a.snap("everything is ready")
	for i := range 10 {
		a.Claim(fmt.Sprintf("+w+all+item-%03d+fetch", 2*i))
	}
	a.After(time.Second)
	a.snap("ten run")
	for i := range 3 {
		a.Succeed(fmt.Sprintf("+w+all+item-%03d+fetch", 2*i))
	}
	a.Fail("Command failed with code 1", "+w+all+item-008+fetch", "+w+all+item-010+fetch")
	a.After(time.Second)
	a.snap("two failed")
	for _, size := range []struct{ width, height int }{{40, 8}, {20, 3}, {10, 1}, {120, 40}} {
		a.width, a.height, a.names = size.width, size.height, 0
		a.snap("another window")
	}
	a.compare("folded")
}

// The tree says that the run was asked to stop.
func TestFramesKill(t *testing.T) {
	t.Parallel()
	a := newAlbum(t, 60, 10, "_parallel: true\n+a: {sh>: x}\n+b: {sh>: x}\n+c: {+d: {sh>: x}}\n")
	a.Claim("+w+a", "+w+c+d")
	a.Apply(engine.Kill{})
	a.snap("asked to stop")
	a.Succeed("+w+a")
	a.Succeed("+w+c+d")
	a.snap("stopped")
	a.compare("kill")
}
