package operator

import (
	"context"
	_ "embed"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

//go:embed runner/runner.py
var pythonRunner string

// runPy calls a Python function or method (operators 3.3).
func (s *scripts) runPy(ctx context.Context, r *Request) (Outcome, error) {
	python := language{
		operator: "py",
		program:  "python",
		runner:   "runner.py",
		source:   pythonRunner,
		failed:   "Python command failed with code %d",
		args:     func(*param.Reader, *workspace) ([]string, error) { return nil, nil },
		explain:  explainPython,
	}
	return python.run(ctx, r, s)
}

// explainPython returns the text after the exit code in the message of a failed Python command.
func explainPython(status command.Status, output []byte) (text string) {
	if status.Message != "" {
		text = "\nError messages from CommandExecutor: " + status.Message
	}
	if output == nil {
		return text
	}
	if reason, ok := explainError(output); ok {
		return text + "\nError messages from python" + reason
	}
	return text + "\n\tCan't parse output.json. The command failed unexpectedly. Please check logs."
}
