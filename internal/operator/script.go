package operator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

// commandStatus is the key of the state under which an unfinished command is kept (operators 3.1).
const commandStatus = "commandStatus"

// commandPoll is the time between looks at a command that is not finished (operators 3.1).
const commandPoll = 10 * time.Second

// script is a command of sh>, py> or rb> (operators 3.1): files that it needs in a folder of its own,
// and its command line.
type script struct {
	files []scriptFile
	// args makes the command line; file gives the path of a file in the folder, relative to the
	// working directory.
	args func(file func(name string) string) []string
	env  []string // NAME=value, each name once
}

type scriptFile struct {
	name string
	data []byte
}

// runScript runs a command, or looks after the one that an earlier run has started. make is only
// called to start one. If the command is not finished, the Outcome says when to look again.
func (r *Request) runScript(ctx context.Context, operator string, make func() (*script, error)) (command.Status, Outcome, error) {
	request := &command.Request{
		Project: r.workspace.project,
		WorkDir: r.workspace.fromProject(r.workspace.dir),
		Output:  r.Output,
	}
	status, err := r.startOrPoll(ctx, operator, request, make)
	if err != nil || status.Finished {
		return status, Outcome{}, err
	}
	state := r.State.Clone()
	state.Set(commandStatus, status.State)
	outcome, err := poll(commandPoll, state)
	return status, outcome, err
}

func (r *Request) startOrPoll(
	ctx context.Context, operator string, request *command.Request, make func() (*script, error),
) (command.Status, error) {
	if r.State.Has(commandStatus) {
		state, err := param.NewReader(r.State).MapOf(commandStatus)
		if err != nil {
			return command.Status{}, err
		}
		return r.Commands.Poll(ctx, request, state)
	}
	script, err := make()
	if err != nil {
		return command.Status{}, err
	}
	dir, err := r.workspace.makeRunDir(fmt.Sprintf("digdag-%s-%d-*", operator, r.Lease.TaskID))
	if err != nil {
		return command.Status{}, fmt.Errorf("make the folder of the command: %w", err)
	}
	for _, file := range script.files {
		if err := os.WriteFile(filepath.Join(dir, file.name), file.data, 0o600); err != nil {
			return command.Status{}, fmt.Errorf("write the files of the command: %w", err)
		}
	}
	request.IODir = r.workspace.fromProject(dir)
	request.Env = script.env
	request.Started = r.Waiting
	inDir := r.workspace.fromDir(dir)
	request.Args = script.args(func(name string) string { return inDir + "/" + name })
	return r.Commands.Run(ctx, request)
}

// removeRunDir removes the folder of a command that succeeded, since nothing needs it any more; that
// of a failed one stays for whoever looks for the reason. Digdag leaves both in local runs.
func (r *Request) removeRunDir(status command.Status) {
	if err := os.RemoveAll(r.runFile(status, "")); err != nil {
		r.Log.Warn("cannot remove the folder of a command: " + err.Error())
	}
}

// runFile returns the absolute path of a file in the folder of a command.
func (r *Request) runFile(status command.Status, name string) string {
	return filepath.Join(r.workspace.project, filepath.FromSlash(status.IODir), name)
}

// language is what sets py> apart from rb>.
type language struct {
	operator string // name and section, "py"
	program  string // option for the interpreter, and its default, "python"
	runner   string // the file that is run
	source   string // the runner program
	// failed is the text about an exit code (operators 3.3, 3.4).
	failed string
	// args are what stands between interpreter and runner.
	args func(params *param.Reader, w *workspace) ([]string, error)
	// explain tells, from what the runner has left, why the command failed.
	explain func(status command.Status, output []byte) string
}

// run calls a function or method of the project and returns what it left (operators 3.3, 3.4).
func (l *language) run(ctx context.Context, r *Request) (Outcome, error) {
	params, err := r.withSection(l.operator)
	if err != nil {
		return Outcome{}, err
	}
	status, outcome, err := r.runScript(ctx, l.operator, func() (*script, error) { return l.script(ctx, r, params) })
	if err != nil || !status.Finished {
		return outcome, err
	}
	output, err := os.ReadFile(r.runFile(status, "output.json"))
	if err != nil && !os.IsNotExist(err) {
		return Outcome{}, fmt.Errorf("read what the command left: %w", err)
	}
	if status.ExitCode != 0 {
		return Outcome{}, runtimeError("%s", fmt.Sprintf(l.failed, status.ExitCode)+l.explain(status, output))
	}
	if err != nil {
		return Outcome{}, runtimeError("output.json does not exist. Something unexpected error happened. Please check logs.") // operators 3.3
	}
	result, err := readResult(output)
	if err != nil {
		return Outcome{}, err
	}
	r.removeRunDir(status)
	return Outcome{Result: result}, nil
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
			args := append(interpreter, options...)
			args = append(args, file(l.runner))
			args = append(args, method...)
			return append(args, file("input.json"), file("output.json"))
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

// texts converts the elements of a list to their texts.
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

// explainError makes text of the error that a runner has left: ": MESSAGE", " (CLASS)" and the
// backtrace, each only if it is there. ok is false if there is no error to read.
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
	return text, true
}
