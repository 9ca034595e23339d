package runview

import (
	"io"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/textutil"
)

// View shows a run: to people on a terminal, to scripts as Digdag does, or to programs as JSON.
type View interface {
	// Committed is given every change of a task. It is called by one goroutine and must be quick.
	flush.Observer
	// Begin is called once, before anything else, when the attempt is about to start.
	Begin(Begin)
	// Open returns the writer for the output of one try. It is called from any goroutine; only one at a time uses the
	// writer.
	Open(lease *trowel.Lease) io.WriteCloser
	// Log returns the writer for log lines that do not go to a file. Any goroutine may use it;
	// each Write is one whole entry.
	Log() io.Writer
	// Would shows what a task would do in a dry run: its operator with the evaluated command. It may be
	// called from any goroutine.
	Would(lease *trowel.Lease, command string)
	// Stopping is called once when the run is asked to stop: nothing new starts, and running tasks are ended.
	Stopping()
	// End is called once, when nothing runs any more. It shows how the run ended.
	End(End)
	// Abandon is called instead of End if the run failed with an error that the
	// caller reports. Begin may not have been called.
	Abandon(err error)
}

// Begin is what is known when a run begins.
type Begin struct {
	Workflow string     // name of the workflow
	Session  time.Time  // session time in the workflow's zone
	Tasks    []dig.Task // all tasks of the workflow that may run
	DryRun   bool       // no operator is run
	At       time.Time  // when the run began; zero for now
	Whole    bool       // instants come from a server, many in whole seconds
}

// End is how a run ended.
type End struct {
	Status      string        // success, error, killed; running if the run was interrupted
	Failed      []FailedTask  // tasks that failed in their own operator, in the order of their ids
	Interrupted bool          // by a signal
	Broken      error         // why the run could not go on, for example a full disk; nil otherwise
	BrokenText  string        // the text of Broken for people, with what to do about it
	Succeeded   []string      // full names of succeeded tasks, if Interrupted or Broken
	StateDir    string        // folder of the status files of finished tasks; empty if there is none
	Resume      string        // the command that runs the remaining tasks; empty after a success
	Elapsed     time.Duration // since Begin
	Whole       bool          // Elapsed is in whole seconds
	Nothing     bool          // all tasks had succeeded before, so none ran
	DryRun      bool          // no operator ran and nothing is kept
}

// After says how long the run took.
func (e *End) After() string {
	if e.Whole {
		return textutil.Seconds(e.Elapsed)
	}
	return textutil.Duration(e.Elapsed)
}

// FailedTask describes a task that failed.
type FailedTask struct {
	Name      string   // full name
	Message   string   // Digdag's text (server 1.9.2)
	LastLines []string // the end of its output
	Where     string   // file:line:column; empty if unknown
	Values    string   // values of the loops around it, as "region=apac kind=orders"; empty outside of for_each>
	Tries     int      // how many tries failed
	Fix       string   // what to do about it; empty if unknown

	Culprit string // the key that is wrong; empty if unknown
}

// ErrorMessage returns the message of a task's error object; empty without one.
func ErrorMessage(row *trowel.Task) string {
	message, _ := row.Error.Get("message")
	text, _ := message.(string)
	return text
}

// Prefixes by which a view recognizes log entries.
const (
	// NewSessionText begins the entry about a session time that was not asked for.
	NewSessionText = "Using a new session time "
	// ParamsHead begins the entry with the parameters of a task, for --show-params.
	ParamsHead = "\n"
)
