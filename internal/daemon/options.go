package daemon

import (
	"log/slog"
	"time"

	"github.com/trowel-project/trowel/internal/config"
)

// Options are what a server or agent process needs. All fields are required unless their comment says otherwise.
type Options struct {
	Settings *config.Server
	Sources  config.Settings // the source of Settings, which says where each is set
	Dir      string          // the folder in which relative paths begin
	Environ  []string        // of this process
	Now      func() time.Time
	Log      *slog.Logger
	LogLevel slog.Level // of the logs of tasks
	LogFile  string     // of Log, which commands of tasks must not read; empty for none
	Program  string     // the name of this program, for commands in messages

	// Project is the folder of a server's only project. Empty for a server of many projects.
	Project string
	// Workspaces is the folder of an agent's workspaces. Empty for the one in the settings.
	Workspaces string
}

// path returns the absolute path of a file that a setting or an option names.
func (o *Options) path(name string) string {
	return config.PathFrom(o.Dir, name)
}

// lookup returns the value of an environment variable and whether it is set.
func (o *Options) lookup(name string) (string, bool) {
	return config.LookupEnv(o.Environ, name)
}
