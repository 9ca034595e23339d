package dig_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

const casesDir = "../../conformance/cases"

// recorded has the parts of a golden of conformance/ that describe a push and the attempts that followed.
type recorded struct {
	Push struct {
		Status  int    `json:"status"`
		Message string `json:"message"`
	} `json:"push"`
	Workflows []string `json:"workflows"`
	Attempts  map[string]struct {
		Workflow string         `json:"workflow"`
		Tasks    []recordedTask `json:"tasks"`
	} `json:"attempts"`
}

type recordedTask struct {
	Name      string   `json:"name"`
	Parent    string   `json:"parent"`
	Upstreams []string `json:"upstreams"`
	Group     bool     `json:"group"`
	Config    any      `json:"config"`
	Export    any      `json:"export"`
}

// TestRecordedCases pushes the project of each recorded case. What Digdag refused must be refused
// with its message, and what it accepted must compile to the same tasks.
func TestRecordedCases(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob(filepath.Join(casesDir, "*", "golden.json"))
	if err != nil || len(cases) < 250 {
		t.Fatalf("found %d cases in %s (%v), want at least 250", len(cases), casesDir, err)
	}
	for _, golden := range cases {
		dir := filepath.Dir(golden)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			checkRecorded(t, dir)
		})
	}
}

func checkRecorded(t *testing.T, dir string) {
	t.Helper()
	var want recorded
	data, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	project, message := push(absolute)
	checkFindings(t, absolute, want.Push.Status != 200)
	message = strings.ReplaceAll(message, filepath.ToSlash(absolute), "TMP")
	message = regexp.MustCompile(`TMP/[\w.-]+`).ReplaceAllString(message, "TMP")
	if want.Push.Status != 200 {
		if message != want.Push.Message {
			t.Errorf("push: message = %q, want %q", message, want.Push.Message)
		}
		return
	}
	if message != "" {
		t.Fatalf("push was refused: %s", message)
	}
	if hasRevisions(t, dir) {
		return // the recorded workflows and tasks are those of a later revision
	}
	names := []string{}
	for _, w := range project.Workflows {
		names = append(names, w.Name)
	}
	if diff := cmp.Diff(want.Workflows, names); diff != "" {
		t.Errorf("workflows (-want +got):\n%s", diff)
	}
	for _, attempt := range want.Attempts {
		compareTasks(t, project.Find(attempt.Workflow), attempt.Tasks)
	}
}

// checkFindings checks that Check finds an error if and only if Digdag refused the push. Options of a
// schedule that nobody reads are a warning, since only a push refuses them.
func checkFindings(t *testing.T, dir string, refused bool) {
	t.Helper()
	found := false
	findings := dig.Check(dir, catalog())
	for _, f := range findings {
		found = found || f.Severity == dig.SeverityError || strings.HasPrefix(f.Message, "no schedule has the option") || strings.HasPrefix(f.Message, "a schedule has one kind")
	}
	if found != refused {
		t.Errorf("Check: errors = %v, want %v: %v", found, refused, findings)
	}
}

func hasRevisions(t *testing.T, dir string) bool {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(dir, "rev*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(folders) > 0
}

// push does what Digdag does with an archive: it reads and compiles it, and checks the schedules.
func push(dir string) (*dig.Project, string) {
	project, err := dig.Load(dir)
	if err != nil {
		return nil, err.Error()
	}
	if _, err := project.Compile(); err != nil {
		return nil, err.Error()
	}
	for _, w := range project.Workflows {
		block, err := w.ScheduleBlock()
		if err != nil {
			return nil, err.Error()
		}
		if block == nil {
			continue
		}
		plan, err := schedule.Parse(block, w.Zone)
		if err != nil {
			return nil, err.Error()
		}
		if unused := plan.Unused(); len(unused) > 0 {
			return nil, strings.Join(unused, "\n") + "\n"
		}
	}
	return project, ""
}

// compareTasks compares the static tasks of a workflow with the recorded ones of an attempt. It leaves out
// repeated and generated tasks.
func compareTasks(t *testing.T, w *dig.Workflow, recordedTasks []recordedTask) {
	t.Helper()
	if w == nil {
		t.Fatal("the workflow of an attempt is missing")
	}
	tasks, err := w.Compile()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]recordedTask{}
	for i, task := range tasks {
		got[task.FullName] = recordedTaskOf(t, tasks, i)
	}
	seen := 0
	for _, want := range recordedTasks {
		if strings.Contains(want.Name, "^") && got[want.Name].Name == "" {
			continue // generated
		}
		seen++
		sort.Strings(want.Upstreams)
		if config, ok := want.Config.(map[string]any); ok && config["_export"] == nil {
			want.Export = map[string]any{} // the recorded values come from the operator
		}
		if diff := cmp.Diff(want, got[want.Name]); diff != "" && !mentionsRun(want) {
			t.Errorf("task %s (-want +got):\n%s", want.Name, diff)
		}
	}
	if seen < len(tasks) {
		t.Errorf("Compile(%s): %d tasks, want the %d recorded", w.Name, len(tasks), seen)
	}
}

// mentionsRun reports whether a stored task contains values that only the run knew.
func mentionsRun(task recordedTask) bool {
	text, err := json.Marshal(task.Config)
	return err == nil && slices.ContainsFunc([]string{"PROJECT", "UUID", "TMP", "NOW"}, func(word string) bool {
		return strings.Contains(string(text), word)
	})
}

func recordedTaskOf(t *testing.T, tasks []dig.Task, index int) recordedTask {
	t.Helper()
	task := tasks[index]
	r := recordedTask{
		Name: task.FullName, Upstreams: []string{}, Group: task.Group,
		Config: generic(t, task.Config()), Export: generic(t, task.Export),
	}
	if task.Parent >= 0 {
		r.Parent = tasks[task.Parent].FullName
	}
	for _, up := range task.Upstreams {
		r.Upstreams = append(r.Upstreams, tasks[up].FullName)
	}
	sort.Strings(r.Upstreams)
	return r
}

func generic(t *testing.T, m *param.Map) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(param.JSON(m)), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
