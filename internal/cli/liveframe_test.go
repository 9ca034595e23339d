package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/terminal"
)

var update = flag.Bool("update", false, "write the golden files anew; read the difference")

// album is what a rehearsal looked like: frames of a tree, one below the other.
type album struct {
	*rehearsal
	tree          *liveTree
	look          look
	width, height int
	names         int
	text          strings.Builder
}

func newAlbum(t *testing.T, width, height int, body string) *album {
	t.Helper()
	a := &album{rehearsal: rehearse(t, body), look: look{signs: unicodeSigns()}, width: width, height: height}
	a.tree = newLiveTree(a.begun)
	a.show = func(batch *flush.Batch) {
		for i := range batch.Changes {
			a.tree.apply(&batch.Changes[i], batch.At)
		}
	}
	a.start()
	return a
}

// snap adds a frame, and checks what holds for every frame.
func (a *album) snap(title string) {
	a.t.Helper()
	var lines []drawnLine
	lines, a.names = a.tree.draw(&a.look, a.now.Sub(a.begun), a.width, a.height, a.names)
	fmt.Fprintf(&a.text, "-- %s (%s, %dx%d)\n", title, a.now.Sub(a.begun), a.width, a.height)
	for _, line := range lines {
		a.text.WriteString(line.text + "\n")
		if line.width != terminal.Width(line.text) || line.width >= a.width {
			a.t.Errorf("%s: %q takes %d columns, says %d, the window has %d", title, line.text, terminal.Width(line.text), line.width, a.width)
		}
	}
	if len(lines) > a.height {
		a.t.Errorf("%s: %d lines, want at most %d", title, len(lines), a.height)
	}
}

// print makes a running task print.
func (a *album) print(name, text string) {
	a.t.Helper()
	out := &liveOutput{spool: newSpool(urgentSize)}
	if _, err := out.Write([]byte(text)); err != nil {
		a.t.Error(err)
	}
	a.tree.tasks[a.find(name).ID].trying().output = out
}

// compare compares the album with a golden file.
func (a *album) compare(name string) {
	a.t.Helper()
	golden(a.t, filepath.Join("testdata", "live", name+".txt"), a.text.String())
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
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
	a.claim("+w+prepare")
	a.after(300 * time.Millisecond)
	a.snap("one runs")
	a.succeed("+w+prepare")
	a.claim("+w+load+fetch")
	a.print("+w+load+fetch", "connecting\nfetched 10\x1b[31m rows\x1b[0m\tof 20\n\n")
	a.after(time.Second)
	a.snap("one prints")
	a.again("+w+load+fetch", trowel.OutcomeRetry, 5*time.Second)
	a.after(800 * time.Millisecond)
	a.snap("a retry")
	a.due("+w+load+fetch")
	a.snap("due")
	a.claim("+w+load+fetch")
	a.after(time.Second)
	a.snap("the second try")
	a.succeed("+w+load+fetch")
	a.claim("+w+load+clean")
	a.succeed("+w+load+clean")
	a.snap("a group is done")
	a.claim("+w+count")
	a.generate("+w+count", "{_parallel: true, +one: {+a: {sh>: x}, +b: {echo>: x}}, +two: {+a: {sh>: x}, +b: {echo>: x}}}")
	a.claim("+w+count^sub+one+a", "+w+count^sub+two+a")
	a.after(2 * time.Minute)
	a.snap("generated tasks")
	a.succeed("+w+count^sub+one+a")
	a.claim("+w+count^sub+one+b")
	a.succeed("+w+count^sub+one+b")
	a.after(2 * time.Hour)
	a.snap("some of them done")
	a.fail("Command failed with code 1", "+w+count^sub+two+a")
	a.snap("one failed")
	a.claim("+w^failure-alert")
	a.succeed("+w^failure-alert")
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
	a.claim("+w+group+a")
	a.succeed("+w+group+a")
	a.claim("+w+group+b")
	a.fail("no", "+w+group+b")
	a.after(time.Second)
	a.snap("waits for its retry")
	a.due("+w+group")
	a.snap("the second round")
	for _, name := range []string{"+a", "+b", "+c"} {
		a.claim("+w+group" + name)
		a.succeed("+w+group" + name)
	}
	a.claim("+w+again")
	a.generate("+w+again", "{_retry: {limit: 1, interval: 3}, +x: {echo>: x}, +y: {echo>: x}}")
	a.claim("+w+again^sub+x")
	a.after(time.Second)
	a.snap("a ^sub")
	a.fail("no", "+w+again^sub+x")
	a.after(time.Second)
	a.snap("a ^sub waits")
	a.due("+w+again^sub")
	a.snap("its second round")
	a.claim("+w+again^sub+x")
	a.fail("still no", "+w+again^sub+x")
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
	a.claim("+w+a")
	a.fail("Command failed with code 3\nand more", "+w+a")
	a.snap("failed, its _error task is ready")
	a.claim("+w+a^error+tell")
	a.print("+w+a^error+tell", "half a line, 日本語のテキスト that is too long to fit into the line of a window like this one")
	a.after(time.Second)
	a.snap("its _error task runs")
	a.succeed("+w+a^error+tell")
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
	a.claim("+w+before")
	a.succeed("+w+before")
	a.snap("everything is ready")
	for i := range 10 {
		a.claim(fmt.Sprintf("+w+all+item-%03d+fetch", 2*i))
	}
	a.after(time.Second)
	a.snap("ten run")
	for i := range 3 {
		a.succeed(fmt.Sprintf("+w+all+item-%03d+fetch", 2*i))
	}
	a.fail("Command failed with code 1", "+w+all+item-008+fetch", "+w+all+item-010+fetch")
	a.after(time.Second)
	a.snap("two failed")
	for _, size := range []struct{ width, height int }{{40, 8}, {20, 3}, {10, 1}, {120, 40}} {
		a.width, a.height, a.names = size.width, size.height, 0
		a.snap("another window")
	}
	a.compare("folded")
}

// What was asked to stop says so.
func TestFramesKill(t *testing.T) {
	t.Parallel()
	a := newAlbum(t, 60, 10, "_parallel: true\n+a: {sh>: x}\n+b: {sh>: x}\n+c: {+d: {sh>: x}}\n")
	a.claim("+w+a", "+w+c+d")
	a.apply(engine.Kill{})
	a.snap("asked to stop")
	a.succeed("+w+a")
	a.succeed("+w+c+d")
	a.snap("stopped")
	a.compare("kill")
}
