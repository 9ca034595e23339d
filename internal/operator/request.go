package operator

import (
	"context"
	"io"
	"log/slog"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// Request is all that an operator gets for one run of one task. It belongs to that run: Table.Run
// changes it.
type Request struct {
	Lease *trowel.Lease
	// Params reads the merged and evaluated configuration as Select returns it (language P10). Table.Run
	// takes _secrets out of its map.
	Params *param.Reader
	// Local has the task's own keys, without _export, _check and _error, with the merged and
	// evaluated values (language P10).
	Local *param.Map
	// State is what earlier runs of the task left for this one; nil is empty.
	State *param.Map
	// Project is the absolute path of the project's root. If it is empty, Files makes a copy of the
	// project for this try and returns its path.
	Project string
	Files   func(ctx context.Context) (string, error)

	Secrets  secret.Finder
	Commands command.Executor
	Sessions Sessions // for require>
	Notifier Notifier // for notify>; nil notifies nobody

	Output    io.Writer // what the task prints: text for its log
	Log       *slog.Logger
	TaskLimit int // tasks that an attempt may have (operators 1.15)
	// Waiting is called when a run has begun to wait for something, as a process, and no longer
	// keeps this one busy. It may be called more than once; nil is not called.
	Waiting func()

	workspace *workspace    // set if the operator's Definition asks for it
	mounted   secret.Finder // Secrets with the keys that _secrets renames
	env       []variable    // own _env (operators 1.7), not yet expanded
}

// Sessions starts attempts of other workflows. It is safe for concurrent use.
type Sessions interface {
	// StartSession makes an attempt, unless one with that session time and name exists: then it
	// returns that one, which is not new (language A3). An unknown project or workflow is a
	// trowel.ErrNotFound. Any other error fails the task; an *Error gives its kind, such as "attempt
	// limit exceeded".
	StartSession(ctx context.Context, r StartRequest) (StartedSession, error)
}

// StartRequest asks for an attempt of the newest revision of a workflow.
type StartRequest struct {
	ProjectID   trowel.ProjectID // ignored if ProjectName is given
	ProjectName string
	Workflow    string
	SessionTime time.Time
	AttemptName string     // empty for the unnamed attempt of the session
	Params      *param.Map // session parameters; never nil
	// Requirer is the attempt that asks.
	Requirer trowel.AttemptID
}

// StartedSession is the attempt that was made, or that existed.
type StartedSession struct {
	New       bool
	SessionID trowel.SessionID
	AttemptID trowel.AttemptID
	Flags     trowel.AttemptFlags
}

// Notifier sends notifications. It is safe for concurrent use.
type Notifier interface {
	Notify(ctx context.Context, n Notification) error
}

// Notification is a message about a task (operators 2.11).
type Notification struct {
	At      time.Time
	Message string
	Lease   *trowel.Lease
}

// waiting tells that this run waits now, see Waiting.
func (r *Request) waiting() {
	if r.Waiting != nil {
		r.Waiting()
	}
}
