package operator

import (
	"context"
	_ "embed"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

//go:embed runner/runner.rb
var rubyRunner string

// runRb calls a Ruby method (operators 3.4).
func (s *scripts) runRb(ctx context.Context, r *Request) (Outcome, error) {
	ruby := language{
		operator: "rb",
		program:  "ruby",
		runner:   "runner.rb",
		source:   rubyRunner,
		failed:   "Ruby command failed with code %d",
		args:     rubyArgs,
		explain: func(_ command.Status, output []byte) string {
			reason, _ := explainError(output)
			return reason
		},
	}
	return ruby.run(ctx, r, s)
}

// rubyArgs returns the arguments between ruby and the runner. With them the project's files can be required, and
// the feature that the option require names is loaded first.
func rubyArgs(params *param.Reader, w *workspace) ([]string, error) {
	args := []string{"-I", w.dir}
	feature, present, err := params.OptString("require")
	if err != nil {
		return nil, err
	}
	if present {
		args = append(args, "-r", feature)
	}
	return append(args, "--"), nil
}
