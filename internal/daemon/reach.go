package daemon

import (
	"context"
	"log/slog"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/keyring"
)

// warnOfReach logs, once, what the commands of a server can reach but should not.
func warnOfReach(ctx context.Context, a *localAgent) {
	signIn := a.settings.Auth.Username != ""
	switch {
	case !runsTasks(a.settings) || a.opts.Project != "":
	case a.user == nil && signIn:
		a.log.WarnContext(ctx, "commands of tasks run as the user of this server: whoever may push to a project reaches its settings, database and secrets",
			slog.String("user", commandUserName(nil)),
			slog.String("fix", "set agent.command.user, or start with --disable-local-agent and run agents as another user; docs/tokens.md"))
	case a.user != nil && !signIn:
		a.log.WarnContext(ctx, "commands of tasks can use this server, as nobody has to sign in",
			slog.String("fix", "set server.authenticator.basic.username and .password"))
	}
}

// privatePaths returns the files and folders of a server that commands of another user should not reach.
func (p *process) privatePaths() []string {
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
