package operator

import (
	"context"
	"fmt"
	"io"
)

// runEcho prints its command and a new line (operators 2.9). Secrets are not expanded.
func runEcho(_ context.Context, r *Request) (Outcome, error) {
	text, err := r.Params.String("_command")
	if err != nil {
		return Outcome{}, err
	}
	if _, err := io.WriteString(r.Output, text+"\n"); err != nil {
		return Outcome{}, fmt.Errorf("write the output: %w", err)
	}
	return success()
}
