package localrun

import (
	"log/slog"
	"time"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/statusdir"
)

// Options say what is run and how.
type Options struct {
	// Settings are those of the command; operators and limits are read from them.
	Settings config.Settings
	// Environ is the environment of commands, KEY=VALUE each.
	Environ []string
	Now     func() time.Time
	// Project has the workflow and those that require> starts.
	Project  *dig.Project
	Workflow *dig.Workflow
	Params   *param.Map
	// Tasks are those of the workflow, or of the part of it that is run.
	Tasks   []dig.Task
	Session time.Time
	// AttemptName is the name of the attempt; empty for the unnamed one.
	AttemptName string
	// State is where tasks that succeed are kept; its folder is empty if they are not.
	State statusdir.Session
	// Sets say which tasks are passed over.
	Sets Selection
	// Dry runs no operator and writes nothing.
	Dry bool
	// ShowParams logs the parameters of each task.
	ShowParams bool
	// Slots is how many tasks run at a time; 0 asks the settings, which may set no limit.
	Slots int
	// TaskLogs is the folder of the logs of tasks, absolute; empty for none.
	TaskLogs string
	// Secrets is the folder of the user's secrets; empty for none.
	Secrets string
	// TDConfig is the file of Treasure Data's command line, which may have secrets. It need not exist; empty for none.
	TDConfig string
	View     runview.View
	Logs     *logging.Handler
	Log      *slog.Logger // to logs
}
