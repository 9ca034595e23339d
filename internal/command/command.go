package command

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	trowel "github.com/trowel-project/trowel"
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

	// Try is what the command runs for. Executors elsewhere name and mark things by it.
	Try Try
	// Params are the merged parameters of the task, of which executors read their own blocks, such as "docker". Nil for
	// none. They are not changed.
	Params *param.Map
	// Limits restrict what the command may use.
	Limits Limits

	// Log gets oddities of the command, such as processes that it leaves behind; nil for the executor's own log.
	Log *slog.Logger

	outside bool // Project is none, and is not given to the user of commands
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
	Foreign  bool       // the files in IODir may belong to users of a container, which ReadFile checks in place of Owner
	State    *param.Map // of a running command: what Poll and Stop need, stored as "commandStatus"
	// PollIn is when to look at a running command again. Zero for the usual time.
	PollIn time.Duration
	// Exceeded is the limit that ended the command, or with which it failed. Nil for none.
	Exceeded *LimitError
	// Usage is what the command has used, as far as the executor knows. Links lead to pages about it; it is enough to
	// give one once.
	Usage trowel.Usage
	Links []trowel.Link
}

// Executor runs commands. It is safe for concurrent use.
type Executor interface {
	// Run starts a command and, if it runs on this machine, waits for its end. When ctx ends, such a command is ended
	// too, and the error is the cause. A nonzero exit code is no error. A *param.Error says that the options of the
	// executor are wrong.
	//
	// Run may be called again for a command that it had started, if the answer was lost because this process ended. An
	// executor elsewhere then goes on with the command of that Try.Key.
	Run(ctx context.Context, r *Request) (Status, error)
	// Poll checks a command that had not ended; state is the State of its last Status, and r has neither Args nor Env.
	Poll(ctx context.Context, r *Request, state *param.Map) (Status, error)
	// Stop ends a command that had not ended, because its task was killed. State and r are as for Poll. It may be called
	// more than once, and a command that has ended or does not exist any more is no error.
	Stop(ctx context.Context, r *Request, state *param.Map) error
}
