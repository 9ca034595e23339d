package daemon

import (
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/hub"
	"github.com/trowel-project/trowel/internal/version"
)

// openHub makes the part that serves remote agents, if this server moves tasks on.
func (p *serverProcess) openHub() {
	if p.local != nil || !p.settings.Engine.Enabled {
		return
	}
	keep := p.keepOutput
	if p.settings.Logs.Type == config.StorageNone {
		keep = nil
	}
	a := &p.settings.Agent
	p.hub = hub.New(hub.Options{
		Store: p.meters.metered(p.store, "agents"), Flusher: p.flusher, Renewals: p.renewals, Report: p.report, ServerID: p.id, Version: version.Number,
		Heartbeat: a.Heartbeat, Lease: a.Lease, TaskLimit: p.settings.Engine.MaxTasks, MaxReport: maxBody,
		Secrets: p.secretsIn, Sessions: p.sessions(), Params: p.params, KeepOutput: keep, Now: p.opts.Now, Log: p.log,
	})
}
