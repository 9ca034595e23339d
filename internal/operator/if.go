package operator

import (
	"context"

	"github.com/trowel-project/trowel/internal/param"
)

// runIf runs _do if its command is true and _else_do if not (operators 2.7, language O1 to O3). A body
// that is absent or empty runs nothing, but one of them must be given.
func runIf(_ context.Context, r *Request) (Outcome, error) {
	do, err := r.Params.OptMap("_do")
	if err != nil {
		return Outcome{}, err
	}
	otherwise, err := r.Params.OptMap("_else_do")
	if err != nil {
		return Outcome{}, err
	}
	condition, err := r.Params.Bool("_command")
	if err != nil {
		return Outcome{}, err
	}
	switch {
	case do.Len() == 0 && otherwise.Len() == 0:
		return Outcome{}, param.Errorf("Both _do and _else_do are not specified.") // language O1
	case condition:
		return Generate(do)
	default:
		return Generate(otherwise)
	}
}
