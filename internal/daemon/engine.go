package daemon

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/scheduler"
	"github.com/trowel-project/trowel/internal/telemetry"
	"github.com/trowel-project/trowel/internal/usage"
)

// openEngine makes what begins attempts, moves them on and runs their tasks.
func (p *serverProcess) openEngine(ctx context.Context) error {
	store := p.storage.store
	p.launcher = &launch.Launcher{Store: store, Now: p.opts.Now}
	if err := p.openAgent(ctx); err != nil {
		return err
	}
	if p.settings.Schedule.Enabled {
		p.scheduler = scheduler.New(scheduler.Options{
			Shared: !p.storage.exclusive, Store: p.meters.metered(store, "scheduler"), Launcher: p.launcher, Now: p.opts.Now, Log: p.log,
		})
	}
	p.usage = usage.New(usage.Options{Store: store, Now: p.opts.Now, Log: p.log})
	e := &p.settings.Engine
	p.flusher = flush.New(flush.Options{
		Store: p.meters.metered(store, "flusher"), Agent: p.local.agent, Now: p.opts.Now, Log: p.log,
		Listeners: []flush.Listener{
			attemptLog{p.log}, eventFeed{p.events}, attemptFeed{p.scheduler, p.packer, p.local.notifier}, p.meters, usageFeed{p.usage, p.opts.Now},
		},
		Limits: engine.Limits{Tasks: e.MaxTasks}, Attempts: e.MaxAttempts,
		Templates: p.local.templates, Rules: queue.Rules{Aging: e.Aging, ReserveAfter: e.ReserveAfter},
		MaxRunning: maxRunning(e), Poison: p.settings.Agent.PoisonLimit, ServerID: p.id,
		TTLs:         engine.TTLs{Attempt: e.AttemptTTL, Task: e.TaskTTL},
		RetryForever: true, Poll: p.settings.Database.ExpireInterval, Recover: e.Enabled, Exclusive: p.storage.exclusive, Notify: notifyServers,
		Outdated: p.parts.fail, LeftAlone: func() { p.meters.Add(telemetry.AttemptsLeftAlone, 1) }, Defaults: p.settings.DefaultParams,
	})
	p.launcher.Flusher = p.flusher
	p.openAgents()
	p.messenger = &messenger{process: p.process, storage: p.storage, events: p.events, flusher: p.flusher, scheduler: p.scheduler, agents: p.agents}
	if p.opts.Project != "" {
		p.folder = &localFolder{dir: p.opts.Project, log: p.opts.Log, store: store, now: p.opts.Now, changed: p.messenger.schedulesChanged}
	}
	return nil
}

// notifyServers tells other servers, with the commit, that attempts changed.
func notifyServers(ctx context.Context, tx trowel.Tx, n cluster.Attempts) error {
	return tx.Notify(ctx, n.String())
}
