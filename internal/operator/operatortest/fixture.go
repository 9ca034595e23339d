// Package operatortest is the fixture for tests of operators. Only tests import it.
package operatortest

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/template"
)

// Fixture is a project with a task. Its runs do what an agent does around an operator.
type Fixture struct {
	t       testing.TB
	Project string // the folder of the project; files are put there before the run
	// Inherited are the task's parameters except its own keys, which are Own.
	Inherited, Own *param.Map
	State          *param.Map // what the run before has kept
	Table          operator.Table
	Request        operator.Request // for the next run; the fields that the fixture has are filled in
	Output         bytes.Buffer     // what the task printed
}

// New returns a task of an empty project. It has all secrets, see AnySecret.
func New(tb testing.TB, table operator.Table, own *param.Map) *Fixture {
	tb.Helper()
	return &Fixture{
		t: tb, Project: tb.TempDir(), Inherited: param.Of("project_id", 3), Own: own, Table: table,
		Request: operator.Request{
			Lease:     &trowel.Lease{TaskID: 7, AttemptID: 11, FullName: "+main+a", Zone: time.UTC},
			Secrets:   AnySecret{},
			Commands:  command.NewLocal(command.LocalOptions{Env: os.Environ()}),
			Templates: template.New(template.Options{}),
			Log:       slog.New(slog.DiscardHandler),
			TaskLimit: 1000,
		},
	}
}

// With adds an inherited parameter.
func (f *Fixture) With(key string, value param.Value) *Fixture {
	f.Inherited.Merge(param.Of(key, value))
	return f
}

// File writes a file of the project.
func (f *Fixture) File(name, text string) *Fixture {
	f.t.Helper()
	path := filepath.Join(f.Project, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return f
}

// Secrets gives the project these secrets and no others.
func (f *Fixture) Secrets(secrets map[string]string) *Fixture {
	f.Request.Secrets = Secrets(secrets)
	return f
}

// Run runs the task once.
func (f *Fixture) Run() (operator.Outcome, error) {
	f.t.Helper()
	return f.RunContext(f.t.Context())
}

// RunContext is Run with a context.
func (f *Fixture) RunContext(ctx context.Context) (operator.Outcome, error) {
	f.t.Helper()
	merged := param.Merged(f.Inherited, f.Own)
	local := param.New()
	for key := range f.Own.All() {
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
	request := f.Request
	request.Params = param.NewReader(selection.Config)
	request.Local = local
	request.State = f.State
	request.Project = f.Project
	request.Output = &f.Output
	return f.Table.Run(ctx, selection.Type, &request)
}

// maxRuns is how often RunToEnd runs a task.
const maxRuns = 100

// RunToEnd runs the task until it does not ask to be run again, without its pauses. It returns them.
func (f *Fixture) RunToEnd() (outcome operator.Outcome, pauses []time.Duration, err error) {
	f.t.Helper()
	for range maxRuns {
		outcome, err = f.Run()
		if err != nil || outcome.Again == nil {
			return outcome, pauses, err
		}
		f.State, pauses = outcome.Again.State, append(pauses, outcome.Again.After)
	}
	f.t.Fatalf("the task asks to be run again for the %dth time, with the state %s", maxRuns, param.JSON(f.State))
	return outcome, pauses, err
}

// Message returns what a task sees as ${error.message}. It is empty without an error.
func Message(err error) string {
	if err == nil {
		return ""
	}
	text, _ := operator.ErrorObject(err).Get("message")
	return text.(string)
}

// AnySecret has the secret "<KEY>" for each key that does not begin with "no.".
type AnySecret struct{}

// Find implements secret.Finder.
func (AnySecret) Find(_ context.Context, key string) (secret.Value, bool, error) {
	if len(key) > 3 && key[:3] == "no." {
		return secret.Value{}, false, nil
	}
	return secret.NewValue("<" + key + ">"), true, nil
}

// Secrets has these secrets and no others.
type Secrets map[string]string

// Find implements secret.Finder.
func (s Secrets) Find(_ context.Context, key string) (secret.Value, bool, error) {
	text, found := s[key]
	return secret.NewValue(text), found, nil
}
