package operator

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/trowel-project/trowel/internal/dig"
)

const workflowSuffix = ".dig"

// runCall makes the content of another workflow file the task's subtasks (operators 2.1, language O14
// to O17). The path is relative to the working directory. Its suffix is optional.
func runCall(_ context.Context, r *Request) (Outcome, error) {
	name, err := r.Params.String("_command")
	if err != nil {
		return Outcome{}, err
	}
	if !strings.HasSuffix(name, workflowSuffix) {
		name += workflowSuffix
	}
	path, err := r.workspace.path(name)
	if err != nil {
		return Outcome{}, err
	}
	project := dig.OpenFS(os.DirFS(r.workspace.project), r.workspace.project)
	workflow, err := project.LoadFile(r.workspace.fromProject(path))
	if err != nil {
		return Outcome{}, callError(name, err)
	}
	outcome, err := Generate(workflow.Definition)
	outcome.Origin = workflow.Origin
	return outcome, err
}

// callError returns the operators' texts for errors of the file system (language L52).
func callError(name string, err error) error {
	file, ok := errors.AsType[*dig.Error](err)
	switch {
	case ok && file.Kind == dig.KindNoSuchFile:
		return &Error{Kind: KindConfig, Message: "File not found: " + file.Message, Err: err}
	case ok && file.Kind == dig.KindIO:
		return &Error{Kind: KindConfig, Message: "Failed to read file: " + name + ": " + file.Message, Err: err}
	default:
		return err
	}
}
