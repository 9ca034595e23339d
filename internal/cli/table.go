package cli

import (
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/cli/local"
	"github.com/trowel-project/trowel/internal/cli/remotecmd"
	"github.com/trowel-project/trowel/internal/cli/serve"
)

// table lists all commands in Digdag's order, followed by our own. A command
// without Run belongs to a later version; its usage and its arguments are checked nevertheless.
func table() []cmd.Command {
	return []cmd.Command{
		local.Init(),
		local.Run(),
		local.Check(),
		local.Schema(),
		serve.Scheduler(),
		serve.Server(),
		serve.Agent(),
		remotecmd.Push(),
		local.Archive(),
		remotecmd.Upload(),
		remotecmd.Download(),
		remotecmd.Projects(),
		remotecmd.Workflows(),
		remotecmd.Start(),
		remotecmd.Retry(),
		remotecmd.Sessions(),
		remotecmd.Attempts(),
		remotecmd.Attempt(),
		remotecmd.Reschedule(),
		remotecmd.Backfill(),
		remotecmd.Log(),
		remotecmd.Kill(),
		remotecmd.Tasks(),
		remotecmd.Why(),
		remotecmd.Schedules(),
		remotecmd.Disable(),
		remotecmd.Enable(),
		remotecmd.Delete(),
		remotecmd.Secrets(),
		remotecmd.Version(),
		serve.Migrate(),
		remotecmd.Tokens(),
		remotecmd.Pause(),
		remotecmd.Unpause(),
		remotecmd.History(),
		remotecmd.Pools(),
		remotecmd.Queues(),
		remotecmd.Search(),
		remotecmd.Failures(),
		remotecmd.Late(),
		remotecmd.Upcoming(),
		remotecmd.Agents(),
		remotecmd.Audit(),
		serve.DB(),
		selfupdateRow(),
		cmd.Help(),
		cmd.Completion(),
	}
}
