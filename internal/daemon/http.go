package daemon

import (
	"context"
	"log/slog"
	"net/http"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/operator/builtin"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/accesslog"
	"github.com/trowel-project/trowel/internal/server/action"
	"github.com/trowel-project/trowel/internal/server/agentapi"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/download"
	"github.com/trowel-project/trowel/internal/server/explain"
	"github.com/trowel-project/trowel/internal/server/health"
	"github.com/trowel-project/trowel/internal/server/ops"
	"github.com/trowel-project/trowel/internal/server/output"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/server/revision"
	"github.com/trowel-project/trowel/internal/server/signin"
	"github.com/trowel-project/trowel/internal/server/stream"
	v1 "github.com/trowel-project/trowel/internal/server/v1"
	"github.com/trowel-project/trowel/internal/tasklog"
	"github.com/trowel-project/trowel/internal/ui"
	"github.com/trowel-project/trowel/internal/version"
)

// maxBody is how many bytes a JSON request may have.
const maxBody = 16 << 20

// openServer makes the HTTP parts.
func (p *serverProcess) openServer(context.Context) error {
	s := p.settings
	var accessLog func(accesslog.Entry)
	if s.AccessLog.Dir != "" {
		file, err := accesslog.Open(p.opts.path(s.AccessLog.Dir), s.AccessLog.Pattern)
		if err != nil {
			return fix.UseAccessLog.Failed(err)
		}
		p.onClose(file.Close)
		accessLog = file.Log
	}
	var pages http.Handler
	if s.UI.Enabled {
		handler, err := ui.New()
		if err != nil {
			return err
		}
		pages = handler
	}
	var logs *tasklog.Reader
	if s.Logs.Type != config.StorageNone {
		logs = tasklog.NewReader(p.storage.store, p.storage.logs, s.Logs.Bucket.DirectDownload)
	}
	auth := access.New(access.Options{
		Username: s.Auth.Username, Password: s.Auth.Password, Admin: s.Auth.Admin,
		Tokens: access.NewTokens(p.storage.store, p.opts.Now), Logins: access.NewLogins(p.storage.store, p.opts.Now), Now: p.opts.Now,
		Braked: p.braked,
	})
	archives := &download.Archives{Stores: p.storage.archives, Direct: map[string]bool{s.Archives.Type: s.Archives.Bucket.DirectDownload}}
	p.server = server.New(server.Options{
		REST: rest.Options{
			Store: p.storage.store, Now: p.opts.Now, Log: p.log, AccessLog: accessLog, Observe: p.meters.observe, Metrics: p.meters.page(p.storage.store), UI: pages, Mask: p.own.Text,
			Auth:    auth,
			Version: version.Number, Names: s.Names(), SignIn: s.Auth.SignIn(), Headers: s.Listen.Headers, MaxBody: maxBody, Swagger: s.Listen.Swagger,
			RequestTimeout: requestTimeout,
		},
		V1: v1.Options{
			Launcher: p.launcher, Killer: p.flusher, Archives: archives, Crypter: p.crypter, Logs: logs, Events: p.events, SchedulesChanged: p.messenger.schedulesChanged,
			Versions: v1.Versions{
				Server: version.Number, Digdag: version.Digdag, UpgradeRecommended: s.Versions.UpgradeIfOlder, Incompatible: s.Versions.IncompatibleIfOlder,
			},
			Pushes: v1.PushOptions{
				ArchiveType: s.Archives.Type, MaxArchive: s.API.MaxArchiveBytes, TempDir: p.tempDir(), Catalog: builtin.Catalog("the project"),
			},
			MaxAttempts: s.Engine.MaxAttempts, MaxSessionsPage: s.API.MaxSessionsPage, MaxAttemptsPage: s.API.MaxAttemptsPage,
		},
		Revision: revision.Options{Archives: archives},
		Action:   action.Options{Launcher: p.launcher},
		Health:   health.Options{Health: p.storage.health(p.id)},
		Stream:   stream.Options{Events: p.events, MaxStreams: descriptors() / streamFiles},
		Ops:      ops.Options{Limits: p.flusher, SchedulesChanged: p.messenger.schedulesChanged, AgentsChanged: p.agents.changed, Aging: s.Engine.Aging},
		Explain:  explain.Options{Aging: s.Engine.Aging, ReserveAfter: s.Engine.ReserveAfter, MaxRunning: maxRunning(&s.Engine)},
		Output:   output.Options{Logs: logs},
		SignIn:   signin.Options{Auth: auth, SignIn: s.Auth.SignIn(), Version: version.Number, Links: linksOf(s.UI.Links)},
		Agents:   agentapi.Options{Agents: p.agents.hub, Archives: archives, Version: version.Number},
	})
	p.messenger.recheckLogins = p.server.RecheckLogins
	return nil
}

func linksOf(links []config.Link) []api.LinkTemplate {
	var list []api.LinkTemplate
	for _, l := range links {
		list = append(list, api.LinkTemplate(l))
	}
	return list
}

// braked adds an address that guesses to the log and the audit.
func (p *serverProcess) braked(address string, failures int) {
	p.log.Warn("tries to sign in are slowed down", slog.String("address", address), slog.Int("failures", failures))
	record := document.BrakeRecord(p.opts.Now(), address, failures)
	p.parts.background(func(ctx context.Context) {
		if err := p.storage.store.Update(ctx, func(tx trowel.Tx) error { return tx.InsertRecords(ctx, &record) }); err != nil {
			p.log.Warn("the audit is not told of tries to sign in", slog.Any("error", err))
		}
	})
}
