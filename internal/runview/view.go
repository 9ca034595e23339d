package runview

import (
	"io"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/textutil"
)

// View shows a run: to people on a terminal, to scripts as Digdag does, to programs as JSON.
type View interface {
	// Committed receives every change of a task. It is called by one goroutine and must be quick.
	flush.Observer
	// Begin is called once, before anything else, when the attempt is about to start.
	Begin(Begin)
	// Open returns where the output of one try goes. It is called from any goroutine; the writer is
	// used by one at a time.
	Open(lease *trowel.Lease) io.WriteCloser
	// Log is where log lines go that have no file of their own. It may be written to from any
	// goroutine; each Write is one whole entry.
	Log() io.Writer
	// Would shows what a task of a dry run would do: its operator with the evaluated command. It may be
	// called from any goroutine.
	Would(lease *trowel.Lease, command string)
	// Stopping is called once when the run is asked to stop: nothing new starts, what runs is ended.
	Stopping()
	// End is called once, when nothing is running any more. It shows how the run ended.
	End(End)
	// Abandon is called in the place of End if the run came to nothing because of an error that the
	// caller reports. Begin may not have been called.
	Abandon(err error)
}

// Begin is what is known when a run begins.
type Begin struct {
	Workflow string
	Session  time.Time // in the workflow's zone
	Tasks    []dig.Task
	DryRun   bool      // no operator is run
	At       time.Time // when it began; zero for now
	Whole    bool      // instants are those of a server, many in whole seconds
}

// End is how a run ended.
type End struct {
	Status      string        // success, error, killed; running if the run was interrupted
	Failed      []FailedTask  // tasks that failed in their own operator, in the order of their ids
	Interrupted bool          // by a signal
	Broken      error         // why the run could not go on, as a full disk; nil otherwise
	BrokenText  string        // Broken for people, with what to do about it
	Succeeded   []string      // full names, if Interrupted or Broken
	StateDir    string        // where finished tasks are kept; empty if nowhere
	Resume      string        // the command that goes on with what is left; empty after a success
	Elapsed     time.Duration // since Begin
	Whole       bool          // Elapsed is in whole seconds
	Nothing     bool          // all tasks had succeeded before, so none was run
	DryRun      bool          // no operator was run, nothing is kept
}

// After says how long the run took.
func (e *End) After() string {
	if e.Whole {
		return textutil.Seconds(e.Elapsed)
	}
	return textutil.Duration(e.Elapsed)
}

// FailedTask is a task that failed, and what is known about it.
type FailedTask struct {
	Name      string
	Message   string   // Digdag's text (server 1.9.2)
	LastLines []string // of its output
	Where     string   // file:line:column; empty if unknown
	Values    string   // of the loops that it is in, as "region=apac kind=orders"; empty outside of for_each>
	Tries     int      // that failed
	Fix       string   // what mends it; empty if unknown

	Culprit string // the key that is wrong in it, if known
}

// ErrorMessage is the message of a task's error object; empty without one.
func ErrorMessage(row *trowel.Task) string {
	message, _ := row.Error.Get("message")
	text, _ := message.(string)
	return text
}

// Beginnings of log entries by which a view knows what they are about.
const (
	// NewSessionText is about a session time that nobody asked for.
	NewSessionText = "Using a new session time "
	// ParamsHead is about the parameters of a task, as --show-params wants; no other entry begins so.
	ParamsHead = "\n"
)
