package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/secret"
)

// process is what the processes of servers and agents have in common: settings, the log, what must stay secret, the parts
// that run, and what is released at the end.
type process struct {
	opts        Options
	settings    *config.Server
	log         *slog.Logger
	own         *secret.Mask // for the process's own log, errors and answers
	secretFiles []string     // files with secret settings
	parts       *parts
	closers     []func() error
}

// newProcess returns a process whose log and reports never show the given secrets.
func newProcess(ctx context.Context, opts Options, secrets ...secret.Value) *process {
	own := secret.NewMask(secret.OwnChars)
	for _, s := range secrets {
		own.Add(s)
	}
	p := &process{opts: opts, settings: opts.Settings, log: slog.New(own.Handler(opts.Log.Handler())), own: own, parts: newParts(ctx)}
	p.secretFiles = opts.secretFiles(ctx, p.log)
	return p
}

// onClose adds a function that close will call.
func (p *process) onClose(f func() error) { p.closers = append(p.closers, f) }

// close releases everything that was opened, in the opposite order.
func (p *process) close() error {
	var errs []error
	for _, f := range slices.Backward(p.closers) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// say logs a line for people.
func (p *process) say(ctx context.Context, line string) {
	logging.Print(ctx, p.log, slog.LevelInfo, line)
}

// hideSecrets removes secrets from what the end of a try says about a failure, which is stored and shown.
func (p *process) hideSecrets(r trowel.Report) trowel.Report {
	r.Error = p.own.Params(r.Error)
	for i, line := range r.LastLines {
		r.LastLines[i] = p.own.Text(line)
	}
	return r
}

// operatorSetting returns a setting of operators.
func (p *process) operatorSetting(key string) (string, bool) {
	value, found := p.settings.Operators[key]
	return value, found
}

// agentName returns the name of the agent in this process.
func (p *process) agentName() string {
	if p.settings.Agent.ID != "" {
		return p.settings.Agent.ID
	}
	return agent.ProcessName()
}

func (p *process) tempDir() string {
	if p.settings.TempDir != "" {
		return p.opts.path(p.settings.TempDir)
	}
	return os.TempDir()
}

// workspaceDir returns a folder that belongs to this user, so that others cannot write to it or take its name.
func (p *process) workspaceDir() string {
	dir := p.tempDir()
	if p.opts.Workspaces != "" {
		dir = p.opts.path(p.opts.Workspaces)
	}
	return filepath.Join(dir, fmt.Sprintf("trowel-workspaces-%d", os.Getuid()))
}
