package command

import (
	"context"
	"io"
	"os"
	"path/filepath"
)

// Call runs a program that an executor needs for itself, such as the client of a container engine, as Run does: as the same
// user, in the same environment with env added, until ctx ends it. It runs in the working directory of this process, or in the
// root if programs run as another user. The output goes to out, and the result is the exit code.
func (l *Local) Call(ctx context.Context, env, args []string, out io.Writer) (exit int, err error) {
	dir := string(filepath.Separator)
	if here, err := os.Getwd(); err == nil && l.options.User == nil {
		dir = here
	}
	status, err := l.Run(ctx, &Request{Project: dir, WorkDir: ".", Env: env, Args: args, Output: out, outside: true})
	return status.ExitCode, err
}
