package daemon

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/hub"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/version"
)

// openAgent makes the agent of this server, which takes no tasks if none run here.
func (p *serverProcess) openAgent(ctx context.Context) error {
	a := p.local
	if runsTasks(p.settings) {
		a.openGroups(ctx)
	}
	params := &operator.StoreParams{Store: store.Retrying{Store: p.storage.store}, Now: p.opts.Now}
	if err := a.openOperators(params); err != nil {
		return err
	}
	if err := a.openCommands(ctx, p.opts.Environ, p.privatePaths()); err != nil {
		return err
	}
	workspaces := a.workspaces
	if p.opts.Project != "" {
		workspaces = nil // tasks work in the project's own folder
	}
	a.openAgent(ctx, agent.Options{
		ID: "none", Slots: slots(p.settings), Project: p.opts.Project, Workspaces: workspaces, TaskLimit: p.settings.Engine.MaxTasks,
		Secrets:  func(lease *trowel.Lease) secret.Finder { return p.secretsIn(lease.Context.Project.ID) },
		Sessions: p.sessions(), Report: p.report, Wake: func() { p.flusher.Wake() },
	})
	if !runsTasks(p.settings) {
		a.agent.Drain()
	}
	return nil
}

// openAgents makes the parts that keep agents alive and serve remote ones.
func (p *serverProcess) openAgents() {
	store := p.storage.store
	p.agents = &serverAgents{
		process: p.process, store: store, flusher: p.flusher, own: p.local.agent,
		renewals: queue.NewRenewals(queue.RenewalOptions{Store: store, Lease: p.settings.Agent.Lease, Now: p.opts.Now}),
	}
	if runsTasks(p.settings) {
		p.agents.heartbeat = queue.NewHeartbeat(queue.HeartbeatOptions{
			Store: store, Renewals: p.agents.renewals, Agent: p.local.agent, Interval: p.settings.Agent.Heartbeat, Log: p.log,
			Row: trowel.Agent{
				Name: p.agentName(), Version: version.Number, Slots: slots(p.settings), Host: agent.HostName(),
				Queues: p.settings.Agent.Queues, Labels: p.settings.Agent.Labels, Limits: p.local.keptLimits(), ServerID: p.id,
			},
		})
	}
	if p.opts.Project == "" && p.settings.Engine.Enabled {
		p.agents.hub = p.newHub()
	}
}

// newHub returns the part that serves remote agents.
func (p *serverProcess) newHub() *hub.Hub {
	keep := p.output.keep
	if p.settings.Logs.Type == config.StorageNone {
		keep = nil
	}
	a := &p.settings.Agent
	return hub.New(hub.Options{
		Store: p.meters.metered(p.storage.store, "agents"), Flusher: p.flusher, Renewals: p.agents.renewals, Report: p.report, ServerID: p.id, Version: version.Number,
		Heartbeat: a.Heartbeat, Lease: a.Lease, TaskLimit: p.settings.Engine.MaxTasks, MaxReport: maxBody,
		Secrets: p.secretsIn, Sessions: p.sessions(), Params: p.local.params, KeepOutput: keep, Now: p.opts.Now, Log: p.log,
	})
}

// report passes on the end of a try to the flusher.
func (p *serverProcess) report(r trowel.Report) { p.flusher.Report(p.hideSecrets(r)) }

// secretsIn returns a Finder of a project's secrets for one try, or for one request of a remote agent.
func (p *serverProcess) secretsIn(project trowel.ProjectID) secret.Finder {
	return p.local.hidden(secret.NewStored(p.secrets, p.crypter, project).ForTry())
}

// sessions returns what starts attempts for tasks.
func (p *serverProcess) sessions() *serverSessions {
	return &serverSessions{store: store.Retrying{Store: p.storage.store}, launcher: p.launcher, own: !p.settings.Engine.RequireOthers}
}
