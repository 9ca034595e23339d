package template_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

const casesDir = "../../conformance/cases"

// instructions are what is read of a case, recorded what is read of its golden file.
type instructions struct {
	Steps []struct {
		SessionTime string         `json:"session_time"`
		Params      map[string]any `json:"params"` // the runner sends its keys sorted
	} `json:"steps"`
}

type recorded struct {
	Attempts map[string]struct {
		Tasks []recordedTask    `json:"tasks"`
		Logs  map[string]string `json:"logs"`
	} `json:"attempts"`
}

type recordedTask struct {
	Name   string    `json:"name"`
	Group  bool      `json:"group"`
	State  string    `json:"state"`
	Export param.Map `json:"export"`
	Store  param.Map `json:"store"`
	Error  string    `json:"error"`
}

// TestRecordedCases evaluates what the recorded cases evaluate, and compares the results with what Digdag printed
// and with the messages of failed tasks.
func TestRecordedCases(t *testing.T) {
	t.Parallel()
	want := map[string]int{ // number of tasks that can be compared without running anything
		"builtin-variables-half-hour-zone":    1,
		"builtin-variables-utc":               4,
		"error-export-and-stores":             2,
		"error-in-loop":                       1,
		"error-keys-of-two-failures":          2,
		"error-on-every-level":                4,
		"error-on-group":                      4,
		"error-on-operator":                   2,
		"error-on-shell-command":              1,
		"error-sees-stores-of-children":       2,
		"error-task-that-fails":               3,
		"error-two-failures":                  3,
		"params-built-ins-cannot-be-replaced": 1,
		"params-deep-merge":                   1,
		"params-export-scope":                 3,
		"params-number-texts":                 7,
		"params-resets-and-nulls":             2,
		"params-start-parameters-are-weakest": 1,
		"params-store-against-export":         4,
		"params-stores-from-generated-tasks":  4,
		"template-braces-and-quotes":          6,
		"template-broken-export-fails-tasks":  1,
		"template-comments-and-open-braces":   7,
		"template-dates-at-midnight-gap":      1,
		"template-dates-of-es5":               5,
		"template-dollar-signs":               5,
		"template-export-of-its-own-name":     2,
		"template-exports-in-order":           1,
		"template-java-string-methods":        4,
		"template-library-of-es5":             3,
		"template-lists-and-nested-objects":   3,
		"template-moment":                     6,
		"template-multi-line-text":            2,
		"template-own-built-in":               1,
		"template-own-keys-in-file-order":     4,
		"template-results":                    6,
		"template-thrown-errors":              6,
		"template-undefined-variable":         4,
	}
	for name, tasks := range want {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := readCase(t, name)
			r.walk("+main", r.root, r.start, nil)
			if r.compared != tasks {
				t.Errorf("compared %d tasks, want %d", r.compared, tasks)
			}
		})
	}
}

// replay evaluates the tasks of one case.
type replay struct {
	t         *testing.T
	evaluator *template.Evaluator
	root      *param.Map
	start     *param.Map // parameters of the attempt
	session   time.Time
	tasks     []recordedTask
	logs      map[string]string
	compared  int
}

func readCase(t *testing.T, name string) *replay {
	t.Helper()
	dir := filepath.Join(casesDir, name)
	source, err := os.ReadFile(filepath.Join(dir, "main.dig"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := dig.ReadYAML(source)
	if err != nil {
		t.Fatal(err)
	}
	var todo instructions
	var golden recorded
	readJSON(t, filepath.Join(dir, "case.json"), &todo)
	readJSON(t, filepath.Join(dir, "golden.json"), &golden)
	r := &replay{
		t: t, evaluator: template.New(template.Options{}), root: root, start: param.New(),
		tasks: golden.Attempts["a1"].Tasks, logs: golden.Attempts["a1"].Logs,
	}
	session := "2024-01-15T00:00:00+00:00"
	if len(todo.Steps) > 0 {
		if todo.Steps[0].Params == nil {
			todo.Steps[0].Params = map[string]any{}
		}
		sorted, err := json.Marshal(todo.Steps[0].Params)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(sorted, r.start); err != nil {
			t.Fatal(err)
		}
		if at := todo.Steps[0].SessionTime; at != "" {
			session = at
		}
	}
	if r.session, err = time.Parse(time.RFC3339, session); err != nil {
		t.Fatal(err)
	}
	return r
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("read %s: %v", file, err)
	}
}

// walk visits a task and those below it. scope has the parameters of the tasks above and the
// stores of earlier ones. late are stores that replace what the task exports.
func (r *replay) walk(name string, body, scope, late *param.Map) {
	scope = scope.Clone()
	if export, ok := body.Get("_export"); ok {
		scope.Merge(export.(*param.Map))
	}
	scope.Merge(late)
	inside := scope.Clone()
	own := param.New()
	for key, value := range body.All() {
		child, isMap := value.(*param.Map)
		switch {
		case strings.HasPrefix(key, "+") && isMap:
			r.walk(name+key, child, inside, nil)
			inside.Merge(r.stores(name + key))
		case key == "_error" || key == "_export":
		default:
			own.Set(key, value)
		}
	}
	r.compare(name, scope, own)
	if failed, ok := body.Get("_error"); ok {
		inside.Set("error", param.Of("message", r.message(name), "stacktrace", ""))
		r.walk(name+"^error", failed.(*param.Map), inside, r.stores(name))
	}
}

// stores returns the stores of a task and of all below it.
func (r *replay) stores(name string) *param.Map {
	stores := param.New()
	for _, task := range r.tasks {
		if strings.HasPrefix(task.Name, name) {
			stores.Merge(&task.Store)
		}
	}
	return stores
}

// message returns the message of the last failure in a task or below it.
func (r *replay) message(name string) string {
	message := ""
	for _, task := range r.tasks {
		if strings.HasPrefix(task.Name, name) && task.Error != "" {
			message = task.Error
		}
	}
	return message
}

// compare evaluates a task and compares what it prints, fails with or repeats.
func (r *replay) compare(name string, scope, own *param.Map) {
	var recorded *recordedTask
	for i := range r.tasks {
		if r.tasks[i].Name == name && !r.tasks[i].Group {
			recorded = &r.tasks[i]
		}
	}
	logged, printed := r.logs[name]
	if recorded == nil || !printed && recorded.Error == "" && !own.Has("for_each>") {
		return
	}
	zone := time.UTC
	if id, ok := r.root.Get("timezone"); ok {
		location, err := time.LoadLocation(id.(string))
		if err != nil {
			r.t.Fatal(err)
		}
		zone = location
	}
	scope = scope.Clone()
	scope.Delete("_error")
	scope.Merge(builtIns(name, r.session, zone))
	config, err := r.evaluator.Config(r.t.Context(), scope, own, zone)
	switch {
	case err != nil:
		r.equal(name, "error", ownWords(err.Error()+" (config)"), recorded.Error)
	case own.Has("echo>"):
		r.equal(name, "output", text(config, "echo>"), logged)
	case own.Has("fail>"):
		r.equal(name, "error", text(config, "fail>"), recorded.Error)
	case own.Has("for_each>"):
		r.compareItems(name, config)
	default:
		return
	}
}

// compareItems compares the only list of a loop with the parameters of the tasks in its rounds.
func (r *replay) compareItems(name string, config *param.Map) {
	each, _ := config.Get("for_each>")
	variable := each.(*param.Map).Keys()[0]
	items, _ := each.(*param.Map).Get(variable)
	i := 0
	for _, task := range r.tasks {
		if !strings.HasPrefix(task.Name, name+"^sub+for-") || task.Export.Len() == 0 {
			continue
		}
		got := items.(param.List)[i]
		want, _ := task.Export.Get(variable)
		r.equal(task.Name, variable, param.JSON(got), param.JSON(want))
		i++
	}
}

func (r *replay) equal(task, what, got, want string) {
	r.t.Helper()
	r.compared++
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("Config(%s): %s differs (-want +got):\n%s", task, what, diff)
	}
}

func text(config *param.Map, key string) string {
	v, _ := config.Get(key)
	s, _ := param.AsString(v)
	return s
}

// ownWords removes the engine's own words, as the goldens do.
func ownWords(message string) string {
	return regexp.MustCompile(`(?s)\((TypeError|SyntaxError): .*\)( \(config\))`).ReplaceAllString(message, "($1: ...)$2")
}

// builtIns returns the built-in parameters of a task (language P12, P15).
func builtIns(task string, session time.Time, zone *time.Location) *param.Map {
	local := session.In(zone)
	return param.Of(
		"timezone", zone.String(),
		"project_id", 1,
		"session_id", 2,
		"session_uuid", "9b5c7e5a-3f0e-4b0e-8c59-0d3b1d2c7f11",
		"session_time", local.Format("2006-01-02T15:04:05-07:00"),
		"session_date", local.Format(time.DateOnly),
		"session_date_compact", local.Format("20060102"),
		"session_local_time", local.Format(time.DateTime),
		"session_tz_offset", local.Format("-0700"),
		"session_unixtime", session.Unix(),
		"attempt_id", 3,
		"task_name", task,
		"last_executed_session_time", "",
		"last_executed_session_date", "",
		"last_executed_session_date_compact", "",
		"last_executed_session_local_time", "",
		"last_executed_session_tz_offset", time.Unix(0, 0).In(zone).Format("-0700"),
		"last_executed_session_unixtime", "",
	)
}
