package operator

import (
	"context"
	"fmt"
	"io"
)

// echo is the operator echo>.
type echo struct{ logOnly bool }

// run prints the command and a new line (operators 2.9). Secrets are not expanded. In a log Digdag
// leaves out the new line, which only matters if there is nothing before it.
func (e echo) run(_ context.Context, r *Request) (Outcome, error) {
	text, err := r.Params.String("_command")
	if err != nil {
		return Outcome{}, err
	}
	if text == "" && e.logOnly {
		return Success()
	}
	if _, err := io.WriteString(r.Output, text+"\n"); err != nil {
		return Outcome{}, fmt.Errorf("write the output: %w", err)
	}
	return Success()
}
