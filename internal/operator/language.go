package operator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

// language is what differs between py> and rb>.
type language struct {
	operator string // name and section, "py"
	program  string // option for the interpreter, and its default, "python"
	runner   string // name of the runner's file
	source   string // the runner program
	// failed is the text about an exit code (operators 3.3, 3.4).
	failed string
	// args returns the arguments between interpreter and runner.
	args func(params *param.Reader, w *workspace) ([]string, error)
	// explain says why the command failed, from the runner's output.
	explain func(status command.Status, output []byte) string
}

// run calls a function or method of the project and returns its result (operators 3.3, 3.4).
func (l *language) run(ctx context.Context, r *Request, s *scripts) (Outcome, error) {
	params, err := r.Section(l.operator)
	if err != nil {
		return Outcome{}, err
	}
	begin := func() (*script, error) { return l.script(ctx, r, params) }
	return s.run(ctx, r, commandKind{name: l.operator, keep: true}, begin, func(status command.Status) (trowel.Result, error) {
		return l.finish(r, status)
	})
}

// finish reads the runner's output.
func (l *language) finish(r *Request, status command.Status) (trowel.Result, error) {
	output, err := status.ReadFile(r.workspace.project, "output.json")
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return trowel.Result{}, fmt.Errorf("read what the command left: %w", err)
	case status.ExitCode != 0:
		return trowel.Result{}, Runtimef("%s", fmt.Sprintf(l.failed, status.ExitCode)+l.explain(status, output))
	case missing:
		return trowel.Result{}, Runtimef("output.json does not exist. Something unexpected error happened. Please check logs.") // operators 3.3
	}
	return readResult(output)
}

func (l *language) script(ctx context.Context, r *Request, params *param.Reader) (*script, error) {
	interpreter, err := l.interpreter(params)
	if err != nil {
		return nil, err
	}
	source := l.source
	var method []string
	if params.Map().Has("_command") {
		name, err := params.String("_command")
		if err != nil {
			return nil, err
		}
		method = []string{name}
	} else if source, err = params.String("script"); err != nil {
		return nil, err
	}
	options, err := l.args(params, r.workspace)
	if err != nil {
		return nil, err
	}
	vars, err := r.expandEnv(ctx)
	if err != nil {
		return nil, err
	}
	var env []string
	for _, v := range vars {
		env = append(env, v.name+"="+v.text)
	}
	return &script{
		files: []scriptFile{
			{l.runner, []byte(source)},
			{"input.json", param.AppendJSON(nil, param.Of("params", params.Map()))},
		},
		args: func(file func(string) string) []string {
			return slices.Concat(interpreter, options, []string{file(l.runner)}, method,
				[]string{file("input.json"), file("output.json")})
		},
		env: env,
	}, nil
}

// interpreter reads the option for the program: a text, or a list with options.
func (l *language) interpreter(params *param.Reader) ([]string, error) {
	raw, present := params.Value(l.program)
	switch raw := raw.(type) {
	case string:
		return []string{raw}, nil
	case param.List:
		return texts(l.program, raw)
	case nil:
		if !present {
			return []string{l.program}, nil
		}
		return nil, param.Errorf("Invalid %s: null", l.program) // operators 3.3
	default:
		text, _ := param.AsString(raw)
		return nil, param.Errorf("Invalid %s: %s", l.program, text) // operators 3.3
	}
}

// texts converts the elements of a list to texts.
func texts(key string, list param.List) ([]string, error) {
	out := make([]string, len(list))
	for i, element := range list {
		text, ok := param.AsString(element)
		if !ok {
			return nil, param.WrongType(key, "array type", list)
		}
		out[i] = text
	}
	return out, nil
}

// readResult reads the output of a runner.
func readResult(output []byte) (trowel.Result, error) {
	object, err := param.ParseMap(string(output))
	if err != nil {
		return trowel.Result{}, fmt.Errorf("read output.json: %w", err)
	}
	var result trowel.Result
	read := param.NewReader(object)
	if result.Subtasks, err = read.OptMap("subtask_config"); err != nil {
		return trowel.Result{}, err
	}
	if result.Export, err = read.OptMap("export_params"); err != nil {
		return trowel.Result{}, err
	}
	if result.Store, err = read.OptMap("store_params"); err != nil {
		return trowel.Result{}, err
	}
	return result, nil
}

// explainError returns the error in a runner's output as text: ": MESSAGE", " (CLASS)" and the
// backtrace, each only if it is there. ok is false if there is no error.
func explainError(output []byte) (text string, ok bool) {
	object, err := param.ParseMap(string(output))
	if err != nil {
		return "", false
	}
	section, err := param.NewReader(object).OptMap("error")
	if err != nil {
		return "", false
	}
	found := param.NewReader(section)
	message, hasMessage, err := found.OptString("message")
	if err != nil {
		return "", false
	}
	class, hasClass, err := found.OptString("class")
	if err != nil {
		return "", false
	}
	list, err := found.ListOr("backtrace", nil)
	if err != nil {
		return "", false
	}
	backtrace, err := texts("backtrace", list)
	if err != nil {
		return "", false
	}
	if hasMessage {
		text += ": " + message
	}
	if hasClass {
		text += " (" + class + ")"
	}
	if len(backtrace) > 0 {
		text += "\n\tfrom " + strings.Join(backtrace, "\n\tfrom ")
	}
	if len(text) > maxExplanation {
		text = fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(text[:maxExplanation], ""), len(text))
	}
	return text, true
}

// maxExplanation is how many bytes of a runner's error are shown. It goes into logs and messages, and later
// tasks see it.
const maxExplanation = 64 << 10
