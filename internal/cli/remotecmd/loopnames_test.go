package remotecmd

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
)

// iterationTasks returns the tasks of `for_each>: {table: [...]}` with a second loop in it, whose group is a task of its
// own.
func iterationTasks() []api.Task {
	tasks := followTasks("1 - +w error", "2 1 +w+load error", "3 2 +w+load^sub error")
	for i, table := range []string{"customers_of_the_north", "customers_of_the_south", "\x1b]0;T\x07"} {
		parent := fmt.Sprintf("+w+load^sub+for-0=table=%d=customer", i)
		id := 10 * (i + 1)
		made := followTasks(fmt.Sprintf("%d 3 %s error", id, parent), fmt.Sprintf("%d %d %s+say error", id+1, id, parent),
			fmt.Sprintf("%d %d %s^sub success", id+2, id, parent), fmt.Sprintf("%d %d %s^sub+for-0=n=0=1 success", id+3, id+2, parent),
			fmt.Sprintf("%d %d %s^sub+loop-0 success", id+4, id+2, parent))
		made[0].Config = param.Of("_export", param.Of("table", table))
		made[3].Config = param.Of("_export", param.Of("n", int64(1)))
		made[4].Config = param.Of("_export", param.Of("i", int64(0)))
		tasks = append(tasks, made...)
	}
	return tasks
}

// Iterations whose names begin alike are told apart by the values of their loops, in a window of any width.
func TestLoopNamesInTaskTable(t *testing.T) {
	t.Parallel()
	tasks := iterationTasks()
	for width, want := range map[int][]string{
		140: {
			"+w+load^sub", "+w+load table=customers_of_the_north", "+w+load table=customers_of_the_north +say",
			"+w+load table=customers_of_the_north ^sub", "+w+load table=customers_of_the_north n=1", "+w+load table=customers_of_the_north ^sub+loop-0",
			"+w+load table=customers_of_the_south", "+w+load table=^[]0;T^G +say",
		},
		80: {"+w+load customers_of_the_north +say", "+w+load customers_of_the_south +say"},
		50: {"_north +say", "_south +say"},
	} {
		v, out, _ := testView(width)
		v.show(taskTable(v, tasks[3:], loopNames(tasks), nil, nil, nil), "none")
		if width == 140 {
			out.Reset()
			v.show(taskTable(v, tasks, loopNames(tasks), nil, nil, nil), "none")
		}
		for _, name := range want {
			if !strings.Contains(out.String(), name+" ") {
				t.Errorf("%d columns lack %q:\n%s", width, name, out)
			}
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if terminal.Width(line) > width || strings.Contains(line, "\x1b") {
				t.Errorf("%d columns: the line %q takes %d", width, line, terminal.Width(line))
			}
		}
	}
}

// Names stay as the server has them if nothing is known about a loop, and no list of a server breaks them.
func TestLoopNamesUnknown(t *testing.T) {
	t.Parallel()
	tasks := followTasks("1 - +w success", "2 1 +w^sub+for-0=x=0=1 success", "3 99 +lost success", "4 2 elsewhere success", "5 5 +w+self success")
	tasks[1].Config = param.Of("_export", "x")
	tasks[4].Config = param.Of("_export", param.Of("x", 1))
	if diff := cmp.Diff(0, len(loopNames(tasks))); diff != "" {
		t.Errorf("names of loops (-want +got):\n%s", diff)
	}
}

// The tree of an attempt and its summary show the values of loops, as those of a local run do.
func TestFollowTreeShowsLoops(t *testing.T) {
	t.Parallel()
	tasks := iterationTasks()
	view, stderr := newFollowTree(t)
	a := &api.Attempt{ID: 4, Workflow: api.NameOptID{Name: "w"}, Project: api.IDName{Name: "p"}}
	view.Begin(a)
	running := iterationTasks()
	for i := range running {
		running[i].State = "running"
	}
	view.Tasks(a, running)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for _, want := range []string{"table=customers_of_the_north", "table=customers_of_the_south", "+say"} {
		for !strings.Contains(plainText(stderr.String()), want) { // until the tree is drawn
			<-tick.C
		}
	}
	a.Done = true
	view.End(a, tasks, taskFacts{})
	for _, want := range []string{"+say  table=customers_of_the_north\n", "+say  table=customers_of_the_south\n", "+say  table=^[]0;T^G\n"} {
		if !strings.Contains(plainText(stderr.String()), want) {
			t.Errorf("no %q in %q", want, plainText(stderr.String()))
		}
	}
}
