package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/builtin"
	"github.com/trowel-project/trowel/internal/command/docker"
	"github.com/trowel-project/trowel/internal/config"
)

// findCommandUser returns the user that commands of tasks run as, or nil for the user of this process.
func findCommandUser(a *config.Agent) (*command.User, error) {
	if a.CommandUser == "" {
		return nil, nil
	}
	found, err := command.FindUser(a.CommandUser, a.CommandGroup)
	if err != nil {
		return nil, fmt.Errorf("use agent.command.user: %w", err)
	}
	return found, nil
}

// journalName is the file with the processes of commands, in the folder of workspaces.
const journalName = "processes"

// containersName is the file by which containers of commands are found.
const containersName = "containers"

// endAbandoned ends processes and containers of tasks that outlived the server or agent to which a folder belonged. It keeps
// in mind containers whose engine does not answer.
func (a *localAgent) endAbandoned(ctx context.Context) func(place string) error {
	local := command.NewLocal(command.LocalOptions{Env: a.commandEnvironment(withoutToken(a.opts.Environ)), User: a.user, Log: a.log})
	return func(place string) error {
		if err := command.EndLeft(ctx, filepath.Join(place, journalName), a.log); err != nil {
			return err
		}
		left, err := docker.EndLeft(ctx, filepath.Join(place, containersName), local, a.log)
		a.leftContainers = append(a.leftContainers, left...)
		return err
	}
}

// openCommands makes what runs the commands of tasks, in an environment. With another user it first runs a command, so that a
// process that cannot switch to that user fails before it has anything to run. private are files and folders that the user
// should not reach.
func (a *localAgent) openCommands(ctx context.Context, environ, private []string) error {
	journal, err := command.OpenJournal(filepath.Join(a.workspaces.Place(), journalName), a.log)
	if err != nil {
		return fmt.Errorf("note the processes of commands: %w", err)
	}
	a.onClose(journal.Close)
	local := command.NewLocal(command.LocalOptions{
		Env: a.commandEnvironment(environ), User: a.user,
		Grace: a.settings.Agent.KillGrace, KillNow: a.killNow, Groups: a.groups, Journal: journal, Log: a.log,
	})
	containers, err := docker.OpenJournal(ctx, filepath.Join(a.workspaces.Place(), containersName), a.leftContainers, local, a.log)
	if err != nil {
		return fmt.Errorf("note the containers of commands: %w", err)
	}
	a.onClose(containers.Close)
	a.commands, err = builtin.New(builtin.Options{
		Type: a.settings.Agent.CommandExecutor, Setting: a.executorSetting, Local: local, Containers: containers, Log: a.log,
	})
	if err != nil || a.user == nil {
		return err
	}
	reached, err := local.Try(ctx, a.workspaces.Work(), private)
	if err != nil {
		return fmt.Errorf("use agent.command.user: %w", err)
	}
	for _, path := range reached {
		a.log.WarnContext(ctx, "commands of tasks reach a file that is not for them", slog.String("path", path),
			slog.String("user", a.user.Name), slog.String("fix", "take the rights to it from that user and its groups"))
	}
	return nil
}

// executorSetting returns a setting of command executors, below agent.command_executor.
func (a *localAgent) executorSetting(name string) (string, bool) {
	text, found := a.settings.Agent.Executors[name]
	return text, found
}

// commandEnvironment returns the environment of commands: the part of an environment that their user may see, with variables
// from the settings, which have priority.
func (a *localAgent) commandEnvironment(environ []string) []string {
	if a.user != nil {
		environ = a.user.Environment(environ)
	}
	variables := append([]string{}, environ...)
	for name, value := range a.settings.Environment {
		variables = append(variables, name+"="+value)
	}
	return variables
}

// withoutToken removes the token with which an agent signs in, as a task that prints its environment would
// print it.
func withoutToken(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool { return strings.HasPrefix(entry, config.EnvToken+"=") })
}

// commandUserName describes the user of commands for people.
func commandUserName(u *command.User) string {
	if u != nil {
		return u.Name
	}
	if self, err := user.Current(); err == nil {
		return self.Username
	}
	return strconv.Itoa(os.Getuid())
}
