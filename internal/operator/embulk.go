package operator

import (
	"context"
	"errors"
	"io/fs"
	"os"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

// embulkConfig is the file that holds the configuration (operators 3.5).
const embulkConfig = "load.yml"

// Texts of operators 3.5, with the names of Java's classes.
const (
	embulkMissing  = "java.nio.file.NoSuchFileException: "
	embulkTemplate = "io.digdag.spi.TemplateException: "
)

// runEmbulk runs Embulk with a configuration (operators 3.5). Only _env becomes variables: Digdag also hands the
// server's own ones to containers.
func (s *scripts) runEmbulk(ctx context.Context, r *Request) (Outcome, error) {
	params, err := r.Section("embulk")
	if err != nil {
		return Outcome{}, err
	}
	begin := func() (*script, error) { return embulkScript(ctx, r, params) }
	return s.run(ctx, r, commandKind{name: "embulk"}, begin, func(status command.Status) (trowel.Result, error) {
		if status.ExitCode != 0 {
			return trowel.Result{}, Runtimef("Command failed with code %d", status.ExitCode) // operators 3.5
		}
		return trowel.Result{}, nil
	})
}

func embulkScript(ctx context.Context, r *Request, params *param.Reader) (*script, error) {
	text, err := embulkText(ctx, r, params)
	if err != nil {
		return nil, err
	}
	own, err := r.expandEnv(ctx)
	if err != nil {
		return nil, err
	}
	env := make([]string, len(own))
	for i, v := range own {
		env[i] = v.name + "=" + v.text
	}
	return &script{
		files: []scriptFile{{embulkConfig, text}},
		args:  func(file func(string) string) []string { return []string{"embulk", "run", file(embulkConfig)} },
		env:   env,
	}, nil
}

// embulkText returns the configuration as YAML: that of a file, with expressions and secrets replaced, or
// the option config as it is.
func embulkText(ctx context.Context, r *Request, params *param.Reader) ([]byte, error) {
	name, found, err := params.OptString("_command")
	if err != nil {
		return nil, err
	}
	if !found {
		config, err := params.MapOf("config")
		if err != nil {
			return nil, err
		}
		return param.AppendYAML(nil, config, 0), nil
	}
	text, err := readEmbulk(ctx, r, params, name)
	if err != nil {
		return nil, err
	}
	config, err := ParseYAML(text)
	if err != nil {
		return nil, err
	}
	expanded, err := r.ExpandAll(ctx, config)
	if err != nil {
		return nil, err
	}
	return param.AppendJSON(nil, expanded), nil
}

// readEmbulk returns the evaluated text of a file of the project.
func readEmbulk(ctx context.Context, r *Request, params *param.Reader, name string) (string, error) {
	path, err := r.workspace.path(name)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &Error{Kind: KindRuntime, Message: embulkMissing + path, Err: err}
	}
	if err != nil {
		return "", err
	}
	text, err := r.Templates.Text(ctx, string(data), params.Map(), r.Lease.Zone)
	if err != nil && ctx.Err() == nil {
		message, _ := Kind(err)
		return "", &Error{Kind: KindRuntime, Message: embulkTemplate + message, Err: err}
	}
	return text, err
}
