package operator_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// fixture is a project with a task. Its run does what an agent does around an operator.
type fixture struct {
	t testing.TB
	// project is the folder of the project; files are put there before the run.
	project string
	// inherited are the task's parameters except its own keys.
	inherited *param.Map
	// own are the task's own keys.
	own     *param.Map
	state   *param.Map
	table   operator.Table
	request operator.Request
	output  bytes.Buffer
}

func newFixture(tb testing.TB, own *param.Map) *fixture {
	tb.Helper()
	return newFixtureIn(tb, tb.TempDir(), own)
}

func newFixtureIn(tb testing.TB, project string, own *param.Map) *fixture {
	tb.Helper()
	f := &fixture{t: tb, project: project, inherited: param.Of("project_id", 3), own: own, table: operator.Builtin(operator.Options{})}
	f.request = operator.Request{
		Lease:     &trowel.Lease{TaskID: 7, AttemptID: 11, FullName: "+main+a"},
		Secrets:   secrets{},
		Commands:  command.NewLocal(command.LocalOptions{Env: os.Environ()}),
		Log:       slog.New(slog.DiscardHandler),
		TaskLimit: 1000,
	}
	return f
}

// with adds an inherited parameter.
func (f *fixture) with(key string, value param.Value) *fixture {
	f.inherited.Merge(param.Of(key, value))
	return f
}

// file writes a file of the project.
func (f *fixture) file(name, text string) *fixture {
	f.t.Helper()
	path := filepath.Join(f.project, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return f
}

func (f *fixture) run() (operator.Outcome, error) {
	f.t.Helper()
	return f.runCtx(f.t.Context())
}

func (f *fixture) runCtx(ctx context.Context) (operator.Outcome, error) {
	f.t.Helper()
	merged := param.Merged(f.inherited, f.own)
	local := param.New()
	for key := range f.own.All() {
		value, _ := merged.Get(key)
		local.Set(key, value)
	}
	selection, ok, err := operator.Select(merged)
	if err != nil {
		return operator.Outcome{}, err
	}
	if !ok {
		f.t.Fatalf("Select(%s) found no operator", param.JSON(merged))
	}
	request := f.request
	request.Params = param.NewReader(selection.Config)
	request.Local = local
	request.State = f.state
	request.Project = f.project
	request.Output = &f.output
	return f.table.Run(ctx, selection.Type, &request)
}

// message returns what a task sees as ${error.message}. It is empty without an error.
func message(err error) string {
	if err == nil {
		return ""
	}
	text, _ := operator.ErrorObject(err).Get("message")
	return text.(string)
}

// secrets has the secret "<KEY>" for each key that does not begin with "no.".
type secrets struct{}

func (secrets) Find(_ context.Context, key string) (secret.Value, bool, error) {
	if len(key) > 3 && key[:3] == "no." {
		return secret.Value{}, false, nil
	}
	return secret.NewValue("<" + key + ">"), true, nil
}
