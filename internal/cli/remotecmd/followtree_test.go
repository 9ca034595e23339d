package remotecmd

import (
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// followTasks makes tasks of lines: id, parent or -, full name, state. Names that end with ^sub are groups.
func followTasks(lines ...string) []api.Task {
	var tasks []api.Task
	at := api.Instant{Time: time.Unix(1000, 0)}
	for _, line := range lines {
		f := strings.Split(line, " ")
		id, _ := api.ParseID(f[0])
		t := api.Task{ID: id, FullName: f[2], State: f[3], UpdatedAt: at, IsGroup: strings.HasSuffix(f[2], "^sub")}
		if f[1] != "-" {
			parent, _ := api.ParseID(f[1])
			t.ParentID = &parent
		}
		if f[3] == "error" {
			t.Error = param.Of("message", "it broke")
		}
		if f[3] != "blocked" {
			t.StartedAt = &at
		}
		tasks = append(tasks, t)
	}
	return tasks
}

// An attempt of a server is shown like a local run: its counts, what failed and how to
// go on. Earlier rounds of a group do not count, and no list of a server breaks the tree.
func TestFollowTree(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		tasks   []api.Task
		changes []api.TaskChange
		success bool
		want    []string
	}{
		{
			name:    "all well",
			tasks:   followTasks("1 - +w success", "2 1 +w+a success", "3 2 +w+a^sub success", "4 3 +w+a^sub+x success"),
			success: true,
			want:    []string{"w succeeded in 5s", "3 tasks: 3 succeeded"},
		},
		{
			name:    "changes",
			tasks:   followTasks("1 - +w planned", "2 1 +w+a running", "3 1 +w+b blocked"),
			changes: []api.TaskChange{{ID: 2, State: "success"}, {ID: 3, State: "running"}, {ID: 3, State: "error"}, {ID: 2, State: "running"}, {ID: 99, State: "ready"}},
			want:    []string{"w failed after 5s", "3 tasks: 1 succeeded, 1 failed, 1 unfinished", "trowel retry 4 --latest-revision --resume", "trowel log 4"},
		},
		{
			name:  "rounds",
			tasks: followTasks("1 - +w group_error", "2 1 +w+a error", "3 2 +w+a^sub success", "4 1 +w+a error"),
			want:  []string{"w failed", "2 tasks: 1 failed, 1 failed below", "+w+a  w.dig:7:1\n    it broke"},
		},
		{
			name:    "not as it should be",
			tasks:   followTasks("1 - +\x1b]0;w\x07 success", "2 1 a success", "3 99 +w+lost success", "4 4 +w+self error", "5 2 + misunderstood", "2 1 +twice success"),
			success: true,
			want:    []string{"w succeeded"},
		},
		{name: "none", success: true, want: []string{"w succeeded", "0 tasks"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			view, stderr := newFollowTree(t)
			a := &api.Attempt{ID: 4, Workflow: api.NameOptID{Name: "w"}, Project: api.IDName{Name: "p"}, CreatedAt: api.Instant{Time: time.Unix(1000, 0)}}
			view.Begin(a)
			view.Tasks(a, tc.tasks)
			view.Changed(tc.changes)
			a.Done, a.Success, a.FinishedAt = true, tc.success, &api.Instant{Time: time.Unix(1005, 0)}
			view.End(a, tc.tasks, taskFacts{places: map[api.ID]string{4: "w.dig:7:1"}})
			for _, want := range tc.want {
				if !strings.Contains(plainText(stderr.String()), want) {
					t.Errorf("no %q in %q", want, stderr)
				}
			}
			if strings.Count(stderr.String(), "it broke") > 1 {
				t.Errorf("a failure is told again: %q", stderr)
			}
			if strings.Contains(stderr.String(), "\x1b]") {
				t.Errorf("the server commands the terminal: %q", stderr)
			}
		})
	}
}

// plainText returns what a terminal shows of a text with colours.
func plainText(text string) string {
	var plain []string
	for line := range strings.SplitSeq(text, "\n") {
		plain = append(plain, terminal.Clean(line))
	}
	return strings.Join(plain, "\n")
}

// The tree is for people. On the terminal of CI lines are printed.
func TestDrawsTree(t *testing.T) {
	t.Parallel()
	both := cmd.Terminals{Stdout: true, Stderr: true}
	for _, tc := range []struct {
		environ   string
		terminals cmd.Terminals
		want      bool
	}{
		{"TERM=xterm", both, true},
		{"TERM=xterm CI=false", both, true},
		{"TERM=xterm CI=", both, true},
		{"TERM=xterm CI=true", both, false},
		{"TERM=xterm CI=1", both, false},
		{"TERM=dumb", both, false},
		{"TERM=xterm", cmd.Terminals{Stderr: true}, false},
	} {
		env := cmd.Env{Environ: strings.Fields(tc.environ), Terminals: tc.terminals}
		if got := cmd.DrawsTree(env); got != tc.want {
			t.Errorf("drawsTree(%s, %+v) = %t, want %t", tc.environ, tc.terminals, got, tc.want)
		}
	}
}

// newFollowTree returns the view of `attempt 4 --follow` on a terminal, and what it draws on.
func newFollowTree(t *testing.T) (*followTree, *servertest.Buffer) {
	t.Helper()
	console := newConsole(t)
	console.Environ = append(console.Environ, "TERM=xterm")
	env, _, _ := console.Env("attempt", "4", "--follow")
	stderr := &servertest.Buffer{}
	env.Stderr = stderr
	env.Terminals = cmd.Terminals{Stdout: true, Stderr: true}
	c, err := cmd.Read(env, console.Commands)
	if err != nil {
		t.Fatal(err)
	}
	view, ok := newFollowView(c).(*followTree)
	if !ok {
		t.Fatal("no tree on a terminal")
	}
	return view, stderr
}
