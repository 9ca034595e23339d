package local

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/localrun"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/param"
	why "github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/schedule"
)

// The cases that were recorded over REST also say how tasks run. Those whose steps only start
// attempts are replayed here, without a server.

// recordedStep is a step of case.json, as conformance/conform.go has it.
type recordedStep struct {
	Op          string         `json:"op"`
	As          string         `json:"as"`
	Workflow    string         `json:"workflow"`
	SessionTime string         `json:"session_time"`
	RetryName   string         `json:"retry_name"`
	Params      map[string]any `json:"params"`
	NoWait      bool           `json:"no_wait"`
}

type recordedCase struct {
	name  string
	dir   string
	logs  bool
	steps []recordedStep
	want  recordedGolden
}

type recordedGolden struct {
	Push     struct{ Status int }
	Steps    []any
	Attempts map[string]recordedAttempt
}

type recordedAttempt struct {
	Status string            `json:"status"`
	Tasks  []recordedTask    `json:"tasks"`
	Logs   map[string]string `json:"logs"`
}

type recordedTask struct {
	Name            string   `json:"name"`
	Parent          string   `json:"parent"`
	Upstreams       []string `json:"upstreams"`
	Group           bool     `json:"group"`
	State           string   `json:"state"`
	CancelRequested bool     `json:"cancel_requested"`
	Config          any      `json:"config"`
	Export          any      `json:"export"`
	Store           any      `json:"store"`
	Error           string   `json:"error"`
}

func TestRecordedAttempts(t *testing.T) {
	t.Parallel()
	cases := recordedCases(t)
	if len(cases) < 100 {
		t.Fatalf("found %d cases that only start attempts, want at least 100", len(cases))
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			project := filepath.Join(t.TempDir(), "project")
			if err := os.CopyFS(project, os.DirFS(c.dir)); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{"case.json", "golden.json"} {
				_ = os.Remove(filepath.Join(project, file))
			}
			for _, step := range c.steps {
				got := replay(t, project, step, c.logs)
				if c.logs && c.want.Attempts[step.As].Logs == nil {
					got.Logs = nil // an empty map is not recorded
				}
				if diff := cmp.Diff(c.want.Attempts[step.As], got); diff != "" {
					t.Errorf("attempt %s differs from the recording (-want +got):\n%s", step.As, diff)
				}
			}
		})
	}
}

func recordedCases(t *testing.T) []recordedCase {
	t.Helper()
	const root = "../../../conformance/cases"
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var cases []recordedCase
	for _, entry := range entries {
		c := recordedCase{name: entry.Name(), dir: filepath.Join(root, entry.Name())}
		var file struct {
			Logs  bool
			Steps []recordedStep
		}
		readJSON(t, filepath.Join(c.dir, "case.json"), &file)
		readJSON(t, filepath.Join(c.dir, "golden.json"), &c.want)
		c.logs, c.steps = file.Logs, file.Steps
		if len(c.steps) == 0 {
			c.steps = []recordedStep{{Op: "start"}}
		}
		for i := range c.steps {
			c.steps[i].As = cmpOr(c.steps[i].As, "a1")
			c.steps[i].Workflow = cmpOr(c.steps[i].Workflow, "main")
			c.steps[i].SessionTime = cmpOr(c.steps[i].SessionTime, "2024-01-15T00:00:00+00:00")
		}
		if c.want.Push.Status == 200 && c.onlyStarts() && !needsServer(c.name) {
			cases = append(cases, c)
		}
	}
	return cases
}

func cmpOr(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// needsServer reports whether a case shows what only a server does: times of an SLA, and a fresh folder
// for each task.
func needsServer(name string) bool {
	return strings.HasPrefix(name, "sla-") || name == "sh-script-from-project"
}

// onlyStarts reports whether every step starts an attempt, with success, and awaits it.
func (c recordedCase) onlyStarts() bool {
	for i, s := range c.steps {
		if s.Op != "start" || s.NoWait || c.want.Steps[i] != "start "+s.As+": 200" {
			return false
		}
	}
	return true
}

// watcher is a view that records all tasks and what they print.
type watcher struct {
	mu    sync.Mutex
	tasks map[trowel.TaskID]*trowel.Task
	logs  map[string][]*bytes.Buffer // by task, one for each try
	log   runview.LockedWriter

	unexplained error // a task without a reason, see explain
}

func (w *watcher) Begin(runview.Begin)         {}
func (w *watcher) Would(*trowel.Lease, string) {}
func (w *watcher) Stopping()                   {}
func (w *watcher) End(runview.End)             {}
func (w *watcher) Abandon(error)               {}
func (w *watcher) Log() io.Writer              { return &w.log }

func (w *watcher) Committed(batch *flush.Batch) error {
	for _, c := range batch.Changes {
		w.tasks[c.Task.ID] = c.Task
	}
	if w.unexplained == nil {
		w.unexplained = w.explain()
	}
	return nil
}

// explain asks of every task why it does not run: each that neither runs nor is done must have a reason
// (control K820).
func (w *watcher) explain() error {
	f := &why.Facts{Now: time.Unix(0, 0), Attempt: &trowel.Attempt{Zone: "UTC"}, Tree: why.NewTree(), Market: &why.Market{}}
	ids := slices.Sorted(maps.Keys(w.tasks))
	for _, id := range ids {
		f.Tree.Add(w.tasks[id].Outline())
	}
	for _, id := range ids {
		t := w.tasks[id]
		reasons := why.Explain(t, f)
		if goes := t.State == trowel.TaskRunning || t.State.Done(); goes == (len(reasons) > 0) {
			return fmt.Errorf("%s is %s and has %d reasons", t.FullName, t.State, len(reasons))
		}
		for _, r := range reasons {
			if r.Text == "" || r.Code == trowel.WaitParent && r.Next == 0 {
				return fmt.Errorf("%s is %s and has reason %s: %q", t.FullName, t.State, r.Code, r.Text)
			}
		}
	}
	return nil
}

func (w *watcher) Open(lease *trowel.Lease) io.WriteCloser {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := &bytes.Buffer{}
	w.logs[lease.FullName] = append(w.logs[lease.FullName], text)
	return &watched{w, text}
}

type watched struct {
	w  *watcher
	to *bytes.Buffer
}

func (o *watched) Write(data []byte) (int, error) {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	return o.to.Write(data)
}

func (o *watched) Close() error { return nil }

// replay runs one attempt in this process and describes it in the form of the recording.
func replay(t *testing.T, project string, step recordedStep, logs bool) recordedAttempt {
	t.Helper()
	w := &watcher{tasks: map[trowel.TaskID]*trowel.Task{}, logs: map[string][]*bytes.Buffer{}, log: runview.LockedWriter{To: io.Discard}}
	l := recordedRun(t, project, step, w)
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	end, err := l.run(ctx)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	if end.Broken != nil {
		t.Fatalf("run: %v", end.Broken)
	}
	if w.unexplained != nil {
		t.Error(w.unexplained)
	}
	got := recordedAttempt{Status: end.Status, Tasks: w.describe(w.first())}
	if logs {
		got.Logs = map[string]string{}
		for name, tries := range w.logs {
			for _, text := range tries {
				if own := ownLines(text.String()); own != "" {
					got.Logs[name] += normalised(own)
				}
			}
		}
	}
	return got
}

func recordedRun(t *testing.T, project string, step recordedStep, w *watcher) *preparation {
	t.Helper()
	env := cmd.Env{
		Args: []string{"trowel", "run", step.Workflow + ".dig", "--project", project, "--no-save"}, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
		Dir: t.TempDir(), Environ: os.Environ(), Now: time.Now,
	}
	c, err := cmd.Read(env, newConsole(t).Commands)
	if err != nil {
		t.Fatal(err)
	}
	l := &preparation{
		c: c,
		Options: localrun.Options{
			Settings: config.Settings{"secrets.greeting": {Value: "hello"}}, Environ: env.Environ, Now: env.Now,
			View: w, Logs: &logging.Handler{To: io.Discard, Thread: "main"},
		},
	}
	l.Log = slog.New(l.Logs)
	if err := l.load(t.Context()); err != nil {
		t.Fatalf("load: %v", err)
	}
	if err := l.selectTasks(); err != nil {
		t.Fatalf("compile: %v", err)
	}
	l.Params = param.New()
	if step.Params != nil {
		sorted, err := json.Marshal(step.Params) // as the recorder sent them
		if err != nil {
			t.Fatal(err)
		}
		if l.Params, err = param.ParseMap(string(sorted)); err != nil {
			t.Fatal(err)
		}
	}
	plan, err := schedule.ParseOptional(l.Workflow.Schedule, l.Workflow.Zone)
	if err != nil {
		t.Fatal(err)
	}
	if l.Session, err = time.Parse(time.RFC3339, step.SessionTime); err != nil {
		t.Fatal(err)
	}
	l.Session = l.Session.In(l.Workflow.Zone.Location)
	l.Params = launch.SessionParams(l.Params, plan, l.Session)
	l.Sets = localrun.Selection{All: true, Any: true}
	l.AttemptName = step.RetryName
	return l
}

// first returns the attempt that the run began with: those of require> come after it.
func (w *watcher) first() trowel.AttemptID {
	var first trowel.AttemptID
	for _, task := range w.tasks {
		if first == 0 || task.AttemptID < first {
			first = task.AttemptID
		}
	}
	return first
}

// describe lists the tasks of the attempt as the REST API shows them, sorted by name.
func (w *watcher) describe(attempt trowel.AttemptID) []recordedTask {
	var ids []trowel.TaskID
	for id, task := range w.tasks {
		if task.AttemptID == attempt {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	list := []recordedTask{}
	for _, id := range ids {
		task := w.tasks[id]
		ups := []string{}
		for _, up := range task.Upstreams {
			ups = append(ups, w.tasks[up].FullName)
		}
		slices.Sort(ups)
		parent := ""
		if p := w.tasks[task.ParentID]; p != nil {
			parent = p.FullName
		}
		config := task.Local.Clone()
		if task.Export.Len() > 0 {
			config.Set("_export", task.Export)
		}
		message, _ := task.Error.Get("message")
		text, _ := message.(string)
		list = append(list, recordedTask{
			Name: task.FullName, Parent: parent, Upstreams: ups, Group: task.Group, State: task.State.String(),
			CancelRequested: task.Flags&trowel.TaskCancelRequested != 0,
			Config:          scrubbed(config), Export: scrubbed(task.Result.Export, task.Export), Store: scrubbed(task.Result.Store),
			Error: normalised(text),
		})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// scrubbed returns the JSON of maps merged over each other, last first, free of what differs from run to
// run.
func scrubbed(maps ...*param.Map) any {
	m := param.New()
	for _, over := range slices.Backward(maps) {
		m.Merge(over)
	}
	var v any
	_ = json.Unmarshal([]byte(param.JSON(m)), &v)
	return scrub(v)
}

func scrub(v any) any {
	switch v := v.(type) {
	case string:
		return normalised(v)
	case map[string]any:
		delete(v, "stacktrace")
		for key, member := range v {
			v[key] = scrub(member)
		}
		return v
	case []any:
		for i, element := range v {
			v[i] = scrub(element)
		}
	}
	return v
}

var recordedReplacements = []struct {
	expr *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`20(2[5-9]|[3-9]\d)-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?`), "NOW"},
	{regexp.MustCompile(`(?i)\b((?:session|attempt|project|task)[ _]?id|id)([:=] ?)\d+`), "$1${2}ID"},
	{regexp.MustCompile(`(?s)\n\tfrom .*`), ""},
	{regexp.MustCompile(`(?s)\((TypeError|SyntaxError): .*\)( \(config\))`), "($1: ...)$2"},
	{regexp.MustCompile(`(/[\w.-]+)*/(tmp|workspace|\.digdag|\.trowel)[\w./-]*`), "TMP"},
}

func normalised(text string) string {
	for _, r := range recordedReplacements {
		text = r.expr.ReplaceAllString(text, r.with)
	}
	return text
}

func ownLines(text string) string {
	var keep []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" {
			keep = append(keep, line)
		}
	}
	return strings.Join(keep, "\n")
}
