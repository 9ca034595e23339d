package operator

import (
	"context"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

// shRunner is the file that holds the script (operators 3.2).
const shRunner = "runner.sh"

// runSh runs its command as a shell script (operators 3.2). All parameters are environment variables.
func (s *scripts) runSh(ctx context.Context, r *Request) (Outcome, error) {
	params, err := r.Section("sh")
	if err != nil {
		return Outcome{}, err
	}
	begin := func() (*script, error) { return shScript(ctx, r, params) }
	return s.run(ctx, r, commandKind{name: "sh"}, begin, func(status command.Status) (trowel.Result, error) {
		if status.ExitCode != 0 {
			return trowel.Result{}, Runtimef("Command failed with code %d", status.ExitCode) // operators 3.2
		}
		return trowel.Result{}, nil
	})
}

func shScript(ctx context.Context, r *Request, params *param.Reader) (*script, error) {
	shell, err := readShell(params)
	if err != nil {
		return nil, err
	}
	text, err := params.String("_command")
	if err != nil {
		return nil, err
	}
	text, err = r.Expand(ctx, text)
	if err != nil {
		return nil, err
	}
	env, err := shEnv(ctx, r, params)
	if err != nil {
		return nil, err
	}
	return &script{
		files: []scriptFile{{shRunner, []byte(text)}},
		args:  func(file func(string) string) []string { return append(shell, file(shRunner)) },
		env:   env,
	}, nil
}

// readShell reads the option shell, a list, and adds the script's path. With an empty list the
// script itself is the program.
func readShell(params *param.Reader) ([]string, error) {
	if !params.Map().Has("shell") {
		return []string{"/bin/sh"}, nil
	}
	list, err := params.List("shell")
	if err != nil {
		return nil, err
	}
	return texts("shell", list)
}

// shEnv returns variables for all parameters whose names allow it, followed by those of _env
// (operators 3.2). Texts stay as they are, and everything else becomes JSON. A null parameter is an
// error (quirk).
func shEnv(ctx context.Context, r *Request, params *param.Reader) ([]string, error) {
	env := make([]string, 0, params.Map().Len()+len(r.env))
	isOwn := func(name string) bool {
		return slices.ContainsFunc(r.env, func(v variable) bool { return v.name == name })
	}
	for name, value := range params.Map().All() {
		if !isVariableName(name) {
			continue
		}
		text, isText := value.(string)
		switch {
		case value == nil:
			return nil, param.Null(name) // operators 3.2
		case isOwn(name):
			continue
		case !isText:
			text = param.JSON(value)
		}
		env = append(env, name+"="+text)
	}
	own, err := r.expandEnv(ctx)
	if err != nil {
		return nil, err
	}
	for _, v := range own {
		env = append(env, v.name+"="+v.text)
	}
	return env, nil
}
