package command

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/trowel-project/trowel/internal/param"
)

// ErrKill kills a command at once, instead of asking it to end, if it is the cause of its canceled context.
var ErrKill = errors.New("kill at once")

// Request is one command to run (operators 3.1). Paths are those of the machine that asks; an executor elsewhere takes
// the files along.
type Request struct {
	Project string    // absolute path of the project
	WorkDir string    // working directory, relative to Project; "." for Project itself
	IODir   string    // directory for files of this run, relative to Project
	Env     []string  // NAME=value, each name once; added to the executor's environment
	Args    []string  // program and arguments; files are relative to WorkDir; not empty
	Started func()    // called once the command has started or ended; may be nil
	Output  io.Writer // gets standard output and standard error, merged, in chunks as they come

	// Log gets oddities of the command, such as processes that it leaves behind; nil for the executor's own log.
	Log *slog.Logger
}

// Dir returns the absolute working directory.
func (r *Request) Dir() string { return filepath.Join(r.Project, filepath.FromSlash(r.WorkDir)) }

// Status is the progress of a command.
type Status struct {
	Finished bool
	ExitCode int        // of an ended command; 128 + signal if a signal ended it
	Message  string     // what the executor says about a failure; may be empty
	IODir    string     // as in the Request; its files can be read when the command is finished
	Left     bool       // of an ended command: processes of its group may still run
	Owner    *User      // owner of the files in IODir, checked by ReadFile; nil for the user of this process
	State    *param.Map // of a running command: what Poll needs, stored as "commandStatus"
}

// Executor runs commands. It is safe for concurrent use.
type Executor interface {
	// Run starts a command and, if it runs on this machine, waits for its end. When ctx ends, the command is ended too,
	// and the error is the cause. A nonzero exit code is no error.
	Run(ctx context.Context, r *Request) (Status, error)
	// Poll checks a command that had not ended; state is the State of its last Status, and r has neither Args nor Env.
	Poll(ctx context.Context, r *Request, state *param.Map) (Status, error)
}
