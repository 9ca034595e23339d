package operator

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/trowel-project/trowel/internal/param"
)

// CommandText reads the text of an operator. Its command is a file or an object with the text, or the text
// is in an option (operators 1.9, language L52). A file is evaluated.
func (r *Request) CommandText(ctx context.Context, params *param.Reader, option string) (string, error) {
	command, found := params.Value("_command")
	if !found {
		return params.String(option)
	}
	if object, ok := command.(*param.Map); ok {
		return param.NewReader(object).String("data")
	}
	name, err := params.String("_command")
	if err != nil {
		return "", err
	}
	return r.ReadTemplate(ctx, params, name)
}

// ReadTemplate returns the text of a file of the project, evaluated with parameters (operators 1.9). The name is relative to
// the working directory.
func (r *Request) ReadTemplate(ctx context.Context, params *param.Reader, name string) (string, error) {
	path, err := r.workspace.path(name)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", commandFileError(name, path, err)
	}
	text, err := r.Templates.Text(ctx, string(data), params.Map(), r.Lease.Zone)
	if err != nil && ctx.Err() == nil {
		message, _ := Kind(err)
		return "", &Error{Kind: KindConfig, Message: message + " in " + name, Err: err} // operators 1.9
	}
	return text, err
}

// commandFileError returns Digdag's texts for a file that cannot be read (operators 1.9).
func commandFileError(name, path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &Error{Kind: KindConfig, Message: "File not found: " + path, Err: err}
	}
	class := "java.io.IOException"
	if errors.Is(err, fs.ErrPermission) {
		class = "java.nio.file.AccessDeniedException"
	}
	return &Error{Kind: KindConfig, Message: "Failed to read file: " + name + ": " + class, Err: err}
}
