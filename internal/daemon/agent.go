package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/advice"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/archive"
	executor "github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/notify"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/builtin"
	uplink "github.com/trowel-project/trowel/internal/remote"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/tasklog"
	"github.com/trowel-project/trowel/internal/template"
	"github.com/trowel-project/trowel/internal/version"
)

// Texts about the orderly end of an agent.
const (
	textAgentDrains  = "No new tasks, waiting for %d running ones"
	textAgentSecond  = "A second signal stops them; they run again elsewhere"
	textAgentReports = "Waiting until the server has all results"
	textAgentEnded   = "Agent ended"
)

// agentProcess is an agent in a process of its own, with all its parts.
type agentProcess struct {
	opts     Options
	settings *config.Server
	log      *slog.Logger
	own      *secret.Mask // for the agent's own log and its reports
	mask     *secret.Mask // for the output of tasks; nil if it is shown as it is
	link     *uplink.Link

	workspaces *archive.Workspaces
	gatherer   *tasklog.Gatherer
	notifier   *notify.Notifier
	killNow    chan struct{}
	commands   *executor.Local
	journal    *executor.Journal
	agent      *agent.Agent

	secretFiles []string // files with secret settings
}

// RunAgent runs an agent until a signal ends it, or until the servers refuse it.
func RunAgent(ctx context.Context, opts Options, signals <-chan os.Signal) (err error) {
	own := secret.NewMask(secret.OwnChars)
	own.Add(secret.NewValue(opts.Settings.Agent.Token))
	p := &agentProcess{opts: opts, settings: opts.Settings, own: own, log: slog.New(own.Handler(opts.Log.Handler()))}
	p.secretFiles = opts.secretFiles(ctx, p.log)
	if p.link, err = opts.link(p.log); err != nil {
		return err
	}
	defer p.link.Close()
	return p.serve(ctx, signals)
}

// serve registers the agent, runs its tasks, and ends in order. At the first signal it takes no new tasks and waits for
// running ones, at the second these are stopped and handed back, and at the third they are killed.
func (p *agentProcess) serve(ctx context.Context, signals <-chan os.Signal) (err error) {
	if err := p.openFiles(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.journal.Close(), p.workspaces.Close()) }()
	registering, cancel := context.WithCancel(ctx)
	settings, interrupted, err := p.register(registering, cancel, signals)
	cancel()
	if interrupted {
		return nil
	}
	if err != nil {
		return refusedAgent(err)
	}
	if err := p.open(ctx, &settings); err != nil {
		return errors.Join(err, p.link.Leave(ctx))
	}
	err = refusedAgent(p.run(ctx, signals))
	logging.Print(ctx, p.log, slog.LevelInfo, textAgentEnded)
	return err
}

// refusedAgent adds what to do to an error of a link.
func refusedAgent(err error) error {
	fix := uplink.Fix(err)
	if err == nil || fix == "" {
		return err
	}
	return &trowel.Error{Kind: trowel.ErrDenied, Message: err.Error(), Hint: fix}
}

// register registers the agent with a server, unless a signal comes first.
func (p *agentProcess) register(ctx context.Context, cancel func(), signals <-chan os.Signal) (s uplink.Settings, interrupted bool, err error) {
	var registering sync.WaitGroup
	done := make(chan struct{})
	registering.Go(func() {
		defer close(done)
		s, err = p.link.Register(ctx)
	})
	select {
	case <-done:
	case <-signals:
		interrupted = true
		cancel()
	}
	registering.Wait()
	return s, interrupted, err
}

// openFiles makes the parts that write the files of tasks and run their commands. This comes before registration, as no
// task should be claimed if it fails.
func (p *agentProcess) openFiles(ctx context.Context) error {
	user, err := findCommandUser(&p.settings.Agent)
	if err != nil {
		return err
	}
	if p.workspaces, err = archive.NewWorkspaces(archive.WorkspaceOptions{
		Dir: p.workspaceDir(), Fetch: p.link.Archive, Log: p.log, Passable: user != nil, Abandoned: endAbandoned(p.log),
	}); err != nil {
		return fix.UseWorkspaces.Failed(fmt.Errorf("make a folder for the files of tasks: %w", err))
	}
	p.killNow = make(chan struct{})
	commands := taskCommands{
		settings: p.settings, user: user, environ: withoutToken(p.opts.Environ), killNow: p.killNow, workspaces: p.workspaces,
		private: p.secretFiles, log: p.log,
	}
	if p.commands, p.journal, err = commands.open(ctx); err != nil {
		return errors.Join(err, p.workspaces.Close())
	}
	p.log.InfoContext(ctx, "agent opened", slog.String("version", version.Number), slog.String("workspaces", p.workspaces.Work()),
		slog.String("commands_as", commandUserName(user)))
	return nil
}

// open makes the other parts, like those of a server (engine.go, storage.go). What a server has in its own
// process comes through the link here.
func (p *agentProcess) open(ctx context.Context, s *uplink.Settings) (err error) {
	templates := template.New(template.Options{})
	if p.notifier, err = newNotifier(ctx, &p.settings.Notification, templates, p.log); err != nil {
		return err
	}
	options, err := builtin.Options(p.operatorSetting, p.opts.lookup, version.UserAgent)
	if err != nil {
		return err
	}
	if options.Params == nil {
		options.Params = p.link
	}
	options.Templates, options.LogOnly = templates, true
	p.gatherer = tasklog.NewGatherer(p.gathering())
	a := &p.settings.Agent
	p.agent = agent.New(ctx, agent.Options{
		ID: s.ID, Queues: a.Queues, Labels: a.Labels, Operators: operator.Builtin(options), Templates: templates,
		Commands: p.commands,
		Secrets:  p.secretsOf, Sessions: p.link, Notifier: taskNotifier{p.notifier}, Workspaces: p.workspaces, TaskLimit: s.TaskLimit,
		Now: p.opts.Now, OpenLog: p.openLog, Report: p.report, Wake: func() {}, Pause: p.link.Pause, Advice: advice.OnServer, Log: p.log,
	})
	return nil
}

func (p *agentProcess) gathering() tasklog.GathererOptions {
	name := p.settings.Agent.ID
	if name == "" {
		name = agent.ProcessName()
	}
	options := tasklog.GathererOptions{
		Insert: p.link.InsertLogs, Agent: name, Level: p.opts.LogLevel, SplitBytes: p.settings.Logs.SplitBytes,
		Now: p.link.Now, Logger: p.log,
	}
	if p.settings.Logs.MaskSecrets {
		p.mask = secret.NewMask(secret.OutputChars)
		options.Mask = func(to io.Writer) io.WriteCloser { return p.mask.Writer(to) }
	}
	return options
}

// workspaceDir returns a folder that belongs to this user, like a server's.
func (p *agentProcess) workspaceDir() string {
	dir := p.settings.TempDir
	switch {
	case p.opts.Workspaces != "":
		dir = p.opts.path(p.opts.Workspaces)
	case dir != "":
		dir = p.opts.path(dir)
	default:
		dir = os.TempDir()
	}
	return filepath.Join(dir, fmt.Sprintf("trowel-workspaces-%d", os.Getuid()))
}

func (p *agentProcess) operatorSetting(key string) (string, bool) {
	value, found := p.settings.Operators[key]
	return value, found
}

// secretsOf returns a Finder of a try's secrets, which asks the server.
func (p *agentProcess) secretsOf(lease *trowel.Lease) secret.Finder {
	finder := p.own.Finder(p.link.Secrets(lease))
	if p.mask != nil {
		finder = p.mask.Finder(finder)
	}
	return finder
}

func (p *agentProcess) openLog(lease *trowel.Lease) agent.Log {
	w := p.gatherer.Open(lease)
	return agent.Log{Output: w, Logger: w.Logger(), Rest: w.Rest}
}

// report passes on the end of a try. It removes secrets from what is said about a failure.
func (p *agentProcess) report(r trowel.Report) {
	r.Error = p.own.Params(r.Error)
	for i, line := range r.LastLines {
		r.LastLines[i] = p.own.Text(line)
	}
	p.link.Report(r)
}

// run runs the parts until a signal, or until the servers refuse the agent.
func (p *agentProcess) run(ctx context.Context, signals <-chan os.Signal) error {
	ctx = context.WithoutCancel(ctx)
	partsCtx, endParts := context.WithCancel(ctx)
	defer endParts()
	var parts sync.WaitGroup
	refused := make(chan error, 1)
	parts.Go(func() {
		if err := p.link.Run(partsCtx, p.agent); err != nil && !errors.Is(err, context.Canceled) {
			refused <- err
		}
	})
	parts.Go(func() { _ = p.gatherer.Run(partsCtx) }) // it only ends with ctx
	parts.Go(func() { _ = p.notifier.Run(partsCtx) }) // the same
	var err error
	select {
	case <-signals:
		p.drain(ctx, signals)
	case err = <-refused:
		p.agent.Stop()
		p.agent.Wait()
	}
	endParts()
	parts.Wait()
	return err
}

// drain ends the agent in order.
func (p *agentProcess) drain(ctx context.Context, signals <-chan os.Signal) {
	p.link.Rest()
	p.agent.Rest()
	if n := p.agent.Running(); n > 0 {
		logging.Print(ctx, p.log, slog.LevelInfo, fmt.Sprintf(textAgentDrains, n))
		logging.Print(ctx, p.log, slog.LevelInfo, textAgentSecond)
	}
	awaitTasks(p.agent, signals, p.settings.ShutdownGrace, p.killNow, func() { logging.Print(ctx, p.log, slog.LevelInfo, textHandBack) })
	logging.Print(ctx, p.log, slog.LevelInfo, textAgentReports)
	settling, cancel := context.WithTimeout(ctx, max(p.settings.ShutdownGrace, requestsGrace))
	defer cancel()
	settled := make(chan error, 1)
	go func() { settled <- p.link.Settle(settling) }()
	var err error
	select {
	case err = <-settled:
	case <-signals:
		cancel()
		err = <-settled
	}
	if err != nil {
		p.log.WarnContext(ctx, "results are not with a server; their tasks run again when the lease of this agent ends", slog.Any("error", err))
		return
	}
	leaving, cancelLeaving := context.WithTimeout(ctx, 5*time.Second)
	defer cancelLeaving()
	if err := p.link.Leave(leaving); err != nil {
		p.log.WarnContext(ctx, "the server does not know that this agent has ended, and waits for the end of its lease", slog.Any("error", err))
	}
}
