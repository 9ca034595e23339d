package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/archive"
	executor "github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/keyring"
)

// findCommandUser returns the user that commands of tasks run as, or nil for the user of this process.
func findCommandUser(a *config.Agent) (*executor.User, error) {
	if a.CommandUser == "" {
		return nil, nil
	}
	found, err := executor.FindUser(a.CommandUser, a.CommandGroup)
	if err != nil {
		return nil, fmt.Errorf("use agent.command.user: %w", err)
	}
	return found, nil
}

// taskCommands has what is needed to run the commands of tasks, on a server or an agent.
type taskCommands struct {
	settings   *config.Server
	user       *executor.User // nil for the user of this process
	environ    []string       // of this process
	killNow    chan struct{}
	workspaces *archive.Workspaces
	private    []string // files and folders that the user should not reach
	log        *slog.Logger
}

// journalName is the file with the processes of commands, in the folder of workspaces.
const journalName = "processes"

// endAbandoned ends processes of tasks that outlived the server or agent to which a folder belonged.
func endAbandoned(log *slog.Logger) func(place string) error {
	return func(place string) error { return executor.EndLeft(filepath.Join(place, journalName), log) }
}

// open returns the executor, and the journal to close after it. With another user it first runs a command, so that a process
// that cannot switch to that user fails before it has anything to run.
func (t *taskCommands) open(ctx context.Context) (*executor.Local, *executor.Journal, error) {
	journal, err := executor.OpenJournal(filepath.Join(t.workspaces.Place(), journalName), t.log)
	if err != nil {
		return nil, nil, fmt.Errorf("note the processes of commands: %w", err)
	}
	environ := t.environ
	if t.user != nil {
		environ = t.user.Environment(environ)
	}
	local := executor.NewLocal(executor.LocalOptions{
		Env: commandEnvironment(environ, t.settings.Environment), User: t.user,
		Grace: t.settings.Agent.KillGrace, KillNow: t.killNow, Journal: journal, Log: t.log,
	})
	if t.user == nil {
		return local, journal, nil
	}
	reached, err := local.Try(ctx, t.workspaces.Work(), t.private)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("use agent.command.user: %w", err), journal.Close())
	}
	for _, path := range reached {
		t.log.WarnContext(ctx, "commands of tasks reach a file that is not for them", slog.String("path", path),
			slog.String("user", t.user.Name), slog.String("fix", "take the rights to it from that user and its groups"))
	}
	return local, journal, nil
}

// withoutToken removes the token with which an agent signs in, as a task that prints its environment would
// print it.
func withoutToken(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool { return strings.HasPrefix(entry, config.EnvToken+"=") })
}

// commandUserName describes the user of commands for people.
func commandUserName(u *executor.User) string {
	if u != nil {
		return u.Name
	}
	if self, err := user.Current(); err == nil {
		return self.Username
	}
	return strconv.Itoa(os.Getuid())
}

// warnOfReach logs, once, what the commands of a server can reach but should not.
func (p *serverProcess) warnOfReach(ctx context.Context) {
	signIn := p.settings.Auth.Username != ""
	switch {
	case !p.runsTasks() || p.local != nil:
	case p.commandUser == nil && signIn:
		p.log.WarnContext(ctx, "commands of tasks run as the user of this server: whoever may push to a project reaches its settings, database and secrets",
			slog.String("user", commandUserName(nil)),
			slog.String("fix", "set agent.command.user, or start with --disable-local-agent and run agents as another user; docs/tokens.md"))
	case p.commandUser != nil && !signIn:
		p.log.WarnContext(ctx, "commands of tasks can use this server, as nobody has to sign in",
			slog.String("fix", "set server.authenticator.basic.username and .password"))
	}
}

// privatePaths returns the files and folders of a server that commands of another user should not reach.
func (p *serverProcess) privatePaths() []string {
	s := p.settings
	paths := slices.Clone(p.secretFiles)
	for _, path := range []string{s.Database.File, keyring.Path(s), s.Listen.TLSKey, s.Archives.Folder, s.AccessLog.Dir} {
		if path != "" {
			paths = append(paths, p.opts.path(path))
		}
	}
	if s.Logs.Type == config.StorageFile {
		paths = append(paths, p.opts.path(s.Logs.Folder))
	}
	if p.opts.LogFile != "" {
		paths = append(paths, p.opts.path(p.opts.LogFile))
	}
	return paths
}

// refuseCommandUser returns the error of a program command that runs tasks in its caller's folder.
func refuseCommandUser() error {
	return &trowel.Error{
		Kind: trowel.ErrInvalid, Message: "agent.command.user is for `trowel server` and `trowel agent`: `trowel scheduler` runs commands in the project's own folder",
		Hint: "leave it out, or push the project to a server",
	}
}
