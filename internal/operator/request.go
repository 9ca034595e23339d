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

// Request has everything that an operator gets for one run of one task. It belongs to that run, and Table.Run
// changes it.
type Request struct {
	Lease *trowel.Lease // the try
	// Params reads the merged and evaluated configuration that Select returns (language P10). Table.Run
	// removes _secrets from its map.
	Params *param.Reader
	// Local has the task's own keys, without _export, _check and _error, with the merged and
	// evaluated values (language P10).
	Local *param.Map
	// State is what earlier runs of the task kept for this one. Nil for nothing.
	State *param.Map
	// Project is the absolute path of the project's root. If it is empty, Files makes a copy of the
	// project for this try and returns its path.
	Project string
	Files   func(ctx context.Context) (string, error)

	Secrets  secret.Finder    // finds the project's secrets
	Commands command.Executor // runs command lines
	Sessions Sessions         // for require>
	// Templates evaluates files that operators read.
	Templates Templates
	Notifier  Notifier // for notify>; nil to notify nobody

	Output    io.Writer // takes what the task prints, for its log
	Log       *slog.Logger
	Limits    command.Limits // of the commands of the try
	TaskLimit int            // tasks that an attempt may have (operators 1.15)
	// OnWait is called when a run has begun to wait, for a process for example, and does not keep
	// this process busy. It may be called more than once. Nil for no calls.
	OnWait func()

	workspace *workspace    // set if the operator's Definition asks for it
	mounted   secret.Finder // Secrets, with keys that _secrets renames
	env       []variable    // own _env (operators 1.7), without expanded secrets
}

// Templates evaluates templates; package template implements it. It is safe for concurrent use.
type Templates interface {
	Text(ctx context.Context, text string, params *param.Map, zone *time.Location) (string, error)
}

// Sessions starts attempts of other workflows. It is safe for concurrent use.
type Sessions interface {
	// StartSession makes an attempt. If one with that session time and name exists, it
	// returns that one, which is not new (language A3). An unknown project or workflow is a
	// trowel.ErrNotFound. Any other error fails the task. An *Error has its kind, such as "attempt
	// limit exceeded".
	StartSession(ctx context.Context, r StartRequest) (StartedSession, error)
}

// StartRequest asks for an attempt of the newest revision of a workflow.
type StartRequest struct {
	ProjectID   trowel.ProjectID // ignored if ProjectName is given
	ProjectName string           // name of the project; empty to use ProjectID
	Workflow    string
	SessionTime time.Time
	AttemptName string     // empty for the unnamed attempt of the session
	Params      *param.Map // session parameters; never nil
	// Requirer is the attempt of the task that asks.
	Requirer trowel.AttemptID
}

// StartedSession is the attempt that was made, or that existed already.
type StartedSession struct {
	New       bool // this call made the attempt
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

// WarnOfCopy says in the task's log that a file is gone after the task, if the project is a copy for this try.
func (r *Request) WarnOfCopy(file string) {
	if r.Files != nil {
		r.Log.Warn("the file is gone after this task: a task on a server has a copy of the project for itself", slog.String("file", file))
	}
}

// Waiting calls Waiting, if there is one.
func (r *Request) Waiting() {
	if r.OnWait != nil {
		r.OnWait()
	}
}
