package daemon

import (
	"context"
	"math"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/advice"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/keyring"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/notify"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/builtin"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/scheduler"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/template"
	"github.com/trowel-project/trowel/internal/usage"
	"github.com/trowel-project/trowel/internal/version"
)

// openSecrets makes the parts that encrypt secrets and notify people.
func (p *serverProcess) openSecrets(ctx context.Context) (err error) {
	if p.crypter, err = keyring.Open(ctx, p.settings, p.store, p.log); err != nil {
		return err
	}
	p.templates = template.New(template.Options{})
	p.notifier, err = newNotifier(ctx, &p.settings.Notification, p.templates, p.log)
	return err
}

// openEngine makes the flusher, the agent and the scheduler.
func (p *serverProcess) openEngine(ctx context.Context) error {
	p.launcher = &launch.Launcher{Store: p.store, Now: p.opts.Now}
	if err := p.openAgent(ctx); err != nil {
		return err
	}
	p.usage = usage.New(usage.Options{Store: p.store, Now: p.opts.Now, Log: p.log})
	e := &p.settings.Engine
	p.flusher = flush.New(flush.Options{
		Store: p.meters.metered(p.store, "flusher"), Agent: p.agent, Now: p.opts.Now, Log: p.log,
		Listeners: []flush.Listener{attemptLog{p.log}, eventFeed{p.events}, p, p.meters, loadFeed{p.usage, p.opts.Now}},
		Limits:    engine.Limits{Tasks: e.MaxTasks}, Attempts: e.MaxAttempts,
		Templates: p.templates, Rules: queue.Rules{Aging: e.Aging, ReserveAfter: e.ReserveAfter},
		MaxRunning: p.maxRunning(), Poison: p.settings.Agent.PoisonLimit, ServerID: p.id,
		TTLs:         engine.TTLs{Attempt: e.AttemptTTL, Task: e.TaskTTL},
		RetryForever: true, Poll: p.settings.Database.ExpireInterval, Recover: e.Enabled, Exclusive: p.sole, Notify: notifyServers, Outdated: p.outdated, LeftAlone: p.leftAlone, Defaults: p.settings.DefaultParams,
	})
	p.launcher.Flusher = p.flusher
	p.renewals = queue.NewRenewals(queue.RenewalOptions{Store: p.store, Lease: p.settings.Agent.Lease, Now: p.opts.Now})
	if p.runsTasks() {
		p.heartbeat = queue.NewHeartbeat(queue.HeartbeatOptions{
			Store: p.store, Renewals: p.renewals, Agent: p.agent, Row: p.agentRow(), Interval: p.settings.Agent.Heartbeat, Log: p.log,
		})
	}
	p.openHub()
	if p.settings.Schedule.Enabled {
		p.scheduler = scheduler.New(scheduler.Options{Shared: !p.sole, Store: p.meters.metered(p.store, "scheduler"), Launcher: p.launcher, Now: p.opts.Now, Log: p.log})
	}
	return nil
}

func (p *serverProcess) openAgent(ctx context.Context) error {
	a := &p.settings.Agent
	options, err := builtin.Options(p.operatorSetting, p.opts.lookup, version.UserAgent)
	if err != nil {
		return err
	}
	if options.Params == nil {
		options.Params = &operator.StoreParams{Store: store.Retrying{Store: p.store}, Now: p.opts.Now}
	}
	options.Templates, options.LogOnly = p.templates, true
	p.params = options.Params
	p.killNow = make(chan struct{})
	commands := taskCommands{
		settings: p.settings, user: p.commandUser, environ: p.opts.Environ, killNow: p.killNow, workspaces: p.workspaces,
		private: p.privatePaths(), log: p.log,
	}
	local, journal, err := commands.open(ctx)
	if err != nil {
		return err
	}
	p.onClose(journal.Close)
	project, workspaces := "", p.workspaces
	if p.local != nil {
		project, workspaces = p.local.dir, nil
	}
	p.agent = agent.New(ctx, agent.Options{
		ID: "none", Slots: p.slots(), Queues: a.Queues, Labels: a.Labels, Operators: operator.Builtin(options), Templates: p.templates,
		Commands: local, Secrets: p.secretsOf, Sessions: p.sessions(),
		Notifier: taskNotifier{p.notifier}, Project: project, Workspaces: workspaces, TaskLimit: p.settings.Engine.MaxTasks,
		Now: p.opts.Now, OpenLog: p.openLog,
		Report: p.report, Wake: func() { p.flusher.Wake() }, Advice: advice.OnServer, Log: p.log,
	})
	if !p.runsTasks() {
		p.agent.Drain()
	}
	return nil
}

// runsTasks reports whether this server runs tasks itself. If not, it has no agent in lists and counts.
func (p *serverProcess) runsTasks() bool {
	return p.settings.Agent.Enabled && p.settings.Engine.Enabled
}

// agentRow returns the row of the agent in this process.
func (p *serverProcess) agentRow() trowel.Agent {
	return trowel.Agent{
		Name: p.agentName(), Version: version.Number, Slots: p.slots(), Host: agent.HostName(),
		Queues: p.settings.Agent.Queues, Labels: p.settings.Agent.Labels, ServerID: p.id,
	}
}

// maxRunning returns how many tasks may run on all agents, or zero without limit.
func (p *serverProcess) maxRunning() int {
	e := &p.settings.Engine
	if e.MaxConcurrency < math.MaxInt32 && (e.MaxRunningTasks == 0 || e.MaxConcurrency < e.MaxRunningTasks) {
		return e.MaxConcurrency
	}
	return e.MaxRunningTasks
}

// slots returns how many tries run in this process at the same time, or zero without limit.
func (p *serverProcess) slots() int {
	slots, limit := p.settings.Agent.Slots, p.settings.Engine.MaxConcurrency
	if limit < math.MaxInt32 && (slots == 0 || slots > limit) {
		return limit
	}
	return slots
}

// sessions returns what starts attempts for tasks.
func (p *serverProcess) sessions() *serverSessions {
	return &serverSessions{store: store.Retrying{Store: p.store}, launcher: p.launcher, own: !p.settings.Engine.RequireOthers}
}

func (p *serverProcess) operatorSetting(key string) (string, bool) {
	value, found := p.settings.Operators[key]
	return value, found
}

// commandEnvironment returns an environment with variables from the settings, which have priority.
func commandEnvironment(environ []string, settings map[string]string) []string {
	variables := append([]string{}, environ...)
	for name, value := range settings {
		variables = append(variables, name+"="+value)
	}
	return variables
}

// secretsOf returns a Finder of a try's secrets, those of its project.
func (p *serverProcess) secretsOf(lease *trowel.Lease) secret.Finder {
	return p.secretsIn(lease.Context.Project.ID)
}

func (p *serverProcess) secretsIn(project trowel.ProjectID) secret.Finder {
	finder := p.own.Finder(secret.NewStored(secret.RowsIn(store.Retrying{Store: p.store}), p.crypter, project))
	if p.mask != nil {
		finder = p.mask.Finder(finder)
	}
	return finder
}

// report receives the end of a try. It removes secrets from what is stored and shown about a failure.
func (p *serverProcess) report(r trowel.Report) {
	r.Error = p.own.Params(r.Error)
	for i, line := range r.LastLines {
		r.LastLines[i] = p.own.Text(line)
	}
	p.flusher.Report(r)
}

// openLog opens the log of a try.
func (p *serverProcess) openLog(lease *trowel.Lease) agent.Log {
	w := p.gatherer.Open(lease)
	return agent.Log{Output: w, Logger: w.Logger(), Remainder: w.Remainder}
}

// notifyServers tells other servers, with the commit, that attempts changed.
func notifyServers(ctx context.Context, tx trowel.Tx, n cluster.Attempts) error {
	return tx.Notify(ctx, n.String())
}

// Heard implements flush.Listener. It tells the scheduler about ended attempts, and people about attempts
// that took too long.
func (p *serverProcess) Heard(batch *flush.Batch) {
	if len(batch.Ended) > 0 && p.scheduler != nil {
		p.scheduler.AttemptsEnded()
	}
	if len(batch.Ended) > 0 && p.packer != nil {
		p.packer.AttemptsEnded()
	}
	for i := range batch.Timeouts {
		t := &batch.Timeouts[i]
		p.notifier.Post(notify.OfAttempt(batch.At, t.Message, t.Attempt.ID, batch.Context(t.Attempt.ID)))
	}
}
