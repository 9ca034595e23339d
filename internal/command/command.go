package command

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/trowel-project/trowel/internal/param"
)

// ErrKill ends a command at once, instead of asking it to end, when it is the cause of its canceled
// context.
var ErrKill = errors.New("kill at once")

// Request is one command to run (operators 3.1). Paths are those of the machine that asks; an
// executor that runs elsewhere takes what they name with it.
type Request struct {
	Project string    // absolute path of the project
	WorkDir string    // working directory, relative to Project; "." for Project itself
	IODir   string    // folder of this run's files, relative to Project
	Env     []string  // NAME=value, each name once; on top of what the executor provides
	Args    []string  // program and arguments; files are relative to WorkDir; not empty
	Started func()    // called once the command runs by itself, or has ended; may be nil
	Output  io.Writer // gets standard output and standard error, merged, in chunks as they come

	// Log hears what is odd about the command, such as processes that it leaves behind; nil for the
	// executor's own.
	Log *slog.Logger
}

// Dir returns the absolute working directory.
func (r *Request) Dir() string { return filepath.Join(r.Project, filepath.FromSlash(r.WorkDir)) }

// Status is how far a command is.
type Status struct {
	Finished bool
	ExitCode int        // of a finished command; 128 + signal for one that a signal ended
	Message  string     // what the executor says about a failure; may be empty
	IODir    string     // as in the Request; its files can be read when the command is finished
	Left     bool       // of a finished command: processes of its group may still run
	Owner    *User      // whose the files in IODir are, which ReadFile heeds; nil for the user of this process
	State    *param.Map // of an unfinished command: what Poll needs, kept as "commandStatus"
}

// Executor runs commands. It is safe for concurrent use.
type Executor interface {
	// Run starts a command and, if it runs on this machine, waits for its end. When ctx ends, the
	// command is ended, too, and the error says why. An exit code other than zero is no error.
	Run(ctx context.Context, r *Request) (Status, error)
	// Poll looks after a command that was not finished; state is the State of its last Status, and
	// r has neither Args nor Env.
	Poll(ctx context.Context, r *Request, state *param.Map) (Status, error)
}
