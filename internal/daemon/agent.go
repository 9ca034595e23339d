package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/remote"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/tasklog"
	"github.com/trowel-project/trowel/internal/version"
)

// Texts about the orderly end of an agent.
const (
	textAgentDrains  = "No new tasks, waiting for %d running ones"
	textAgentSecond  = "A second signal stops them; they run again elsewhere"
	textAgentReports = "Waiting until the server has all results"
	textAgentEnded   = "Agent ended"
)

// agentProcess is an agent in a process of its own. What a server has in its own process comes through the link here.
type agentProcess struct {
	*process

	link  *remote.Link
	local *localAgent
}

// RunAgent runs an agent until a signal ends it, or until the servers refuse it.
func RunAgent(ctx context.Context, opts Options, signals <-chan os.Signal) (err error) {
	p := &agentProcess{process: newProcess(ctx, opts, secret.NewValue(opts.Settings.Agent.Token))}
	p.local = newLocalAgent(p.process)
	p.local.openGroups(ctx)
	if p.link, err = openLink(p.process, p.local.keptLimits()); err != nil {
		return err
	}
	defer p.link.Close()
	return errors.Join(p.serve(ctx, signals), p.close())
}

// serve registers the agent, runs its tasks, and ends in order. At the first signal it takes no new tasks and waits for
// running ones, at the second these are stopped and handed back, and at the third they are killed.
func (p *agentProcess) serve(ctx context.Context, signals <-chan os.Signal) error {
	if err := p.openFiles(ctx); err != nil {
		return err
	}
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
	p.say(ctx, textAgentEnded)
	return err
}

// refusedAgent adds what to do to an error of a link.
func refusedAgent(err error) error {
	fix := remote.Fix(err)
	if err == nil || fix == "" {
		return err
	}
	return &trowel.Error{Kind: trowel.ErrDenied, Message: err.Error(), Hint: fix}
}

// register registers the agent with a server, unless a signal comes first.
func (p *agentProcess) register(ctx context.Context, cancel func(), signals <-chan os.Signal) (s remote.Settings, interrupted bool, err error) {
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
func (p *agentProcess) openFiles(ctx context.Context) (err error) {
	a := p.local
	if a.user, err = findCommandUser(&p.settings.Agent); err != nil {
		return err
	}
	if err := a.openWorkspaces(ctx, p.link.Archive, fix.UseWorkspaces); err != nil {
		return err
	}
	if err := a.openCommands(ctx, withoutToken(p.opts.Environ), p.secretFiles); err != nil {
		return err
	}
	p.log.InfoContext(ctx, "agent opened", slog.String("version", version.Number), slog.String("workspaces", a.workspaces.Work()),
		slog.String("commands_as", commandUserName(a.user)))
	return nil
}

// open makes the other parts.
func (p *agentProcess) open(ctx context.Context, s *remote.Settings) error {
	a := p.local
	if err := a.openNotifier(ctx); err != nil {
		return err
	}
	if err := a.openOperators(p.link); err != nil {
		return err
	}
	a.openGatherer(tasklog.GathererOptions{Insert: p.link.InsertLogs, Now: p.link.Now})
	a.openAgent(ctx, agent.Options{
		ID: s.ID, Secrets: func(lease *trowel.Lease) secret.Finder { return a.hidden(p.link.Secrets(lease)) }, Sessions: p.link,
		Workspaces: a.workspaces, TaskLimit: s.TaskLimit, Suspended: p.link.Suspend, Wake: func() {},
		Report: func(r trowel.Report) { p.link.Report(p.hideSecrets(r)) },
	})
	return nil
}

// run runs the parts until a signal, or until the servers refuse the agent.
func (p *agentProcess) run(ctx context.Context, signals <-chan os.Signal) error {
	ctx = context.WithoutCancel(ctx)
	defer p.parts.end()
	p.parts.start(func(ctx context.Context) error { return p.link.Run(ctx, p.local.agent) })
	p.parts.startNamed("log gatherer", p.local.gatherer.Run)
	p.parts.startNamed("notifier", p.local.notifier.Run)
	select {
	case <-signals:
		p.drain(ctx, signals)
		return nil
	case err := <-p.parts.failures:
		p.local.agent.Stop()
		p.local.agent.Wait()
		return err
	}
}

// drain ends the agent in order.
func (p *agentProcess) drain(ctx context.Context, signals <-chan os.Signal) {
	p.link.Drain()
	p.local.agent.Drain()
	if n := p.local.agent.Running(); n > 0 {
		p.say(ctx, fmt.Sprintf(textAgentDrains, n))
		p.say(ctx, textAgentSecond)
	}
	p.local.awaitTasks(ctx, signals)
	p.say(ctx, textAgentReports)
	delivering, cancel := context.WithTimeout(ctx, max(p.settings.ShutdownGrace, requestsGrace))
	defer cancel()
	delivered := make(chan error, 1)
	go func() { delivered <- p.link.AwaitReports(delivering) }()
	var err error
	select {
	case err = <-delivered:
	case <-signals:
		cancel()
		err = <-delivered
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
