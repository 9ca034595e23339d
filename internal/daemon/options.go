package daemon

import (
	"log/slog"
	"time"

	"github.com/trowel-project/trowel/internal/config"
)

// Options are what the process of a server or an agent works with. Everything without a remark is required.
type Options struct {
	Settings *config.Server
	Sources  config.Settings // what Settings was read of: where each setting comes from
	Dir      string          // that paths of files count from
	Environ  []string        // of this process
	Now      func() time.Time
	Log      *slog.Logger
	LogLevel slog.Level // of the logs of tasks
	LogFile  string     // of Log, which commands of tasks must not read; empty for none
	Program  string     // the name of this program, for commands that people are told

	// Project is the folder of the project that a server is for; empty for a server of many projects.
	Project string
	// Workspaces is the folder of an agent's workspaces; empty for that of the settings.
	Workspaces string
}

// path is the absolute path of a file that a setting or an option names.
func (o *Options) path(name string) string {
	return config.PathFrom(o.Dir, name)
}

// lookup returns the value of an environment variable and whether it is set.
func (o *Options) lookup(name string) (string, bool) {
	return config.LookupEnv(o.Environ, name)
}
