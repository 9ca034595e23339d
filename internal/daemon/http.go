package daemon

import (
	"context"
	"log/slog"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/tasklog"
	"github.com/trowel-project/trowel/internal/version"
)

const (
	maxBody        = 16 << 20         // bytes of a JSON request
	requestTimeout = 30 * time.Second // for requests that only use the database
)

// openServer makes the HTTP parts.
func (p *serverProcess) openServer(context.Context) error {
	s := p.settings
	var accessLog func(server.Access)
	if s.AccessLog.Dir != "" {
		file, err := server.OpenAccessFile(p.opts.path(s.AccessLog.Dir), s.AccessLog.Pattern)
		if err != nil {
			return fix.UseAccessLog.Failed(err)
		}
		p.onClose(file.Close)
		accessLog = file.Log
	}
	var logs *tasklog.Reader
	if s.Logs.Type != config.StorageNone {
		logs = tasklog.NewReader(p.store, p.logBlobs, s.Logs.Bucket.DirectDownload)
	}
	p.server = server.New(server.Options{
		Store: p.store, Launcher: p.launcher, Killer: p.flusher, Auth: access.New(access.Options{
			Username: s.Auth.Username, Password: s.Auth.Password, Admin: s.Auth.Admin,
			Tokens: access.NewTokens(p.store, p.opts.Now), Now: p.opts.Now,
			Braked: p.braked,
		}), Agents: p.hub,
		Archives: p.archives, ArchiveType: s.Archives.Type,
		DirectDownload: map[string]bool{s.Archives.Type: s.Archives.Bucket.DirectDownload},
		Logs:           logs, Crypter: p.crypter, Events: p.events, Health: p.health(),
		Now: p.opts.Now, Log: p.log, AccessLog: accessLog, Observe: p.meters.observe, Metrics: p.meters.page(p.store), SchedulesChanged: p.schedulesChanged, Mask: p.own.Text,
		AgentsChanged: p.agentsChanged, Catalog: operator.DefaultCatalog("the project"), Limits: p.flusher, Aging: s.Engine.Aging,
		Version: version.Number, DigdagVersion: version.Digdag, UpgradeRecommended: s.Versions.UpgradeIfOlder, Incompatible: s.Versions.IncompatibleIfOlder,
		MaxStreams: descriptors() / streamFiles, Names: s.Names(), SignIn: s.Auth.SignIn(), Headers: s.Listen.Headers, TempDir: p.tempDir(), MaxArchive: s.API.MaxArchiveBytes, MaxBody: maxBody,
		MaxAttempts: s.Engine.MaxAttempts, MaxSessionsPage: s.API.MaxSessionsPage, MaxAttemptsPage: s.API.MaxAttemptsPage,
		Swagger: s.Listen.Swagger, RequestTimeout: requestTimeout, ReserveAfter: s.Engine.ReserveAfter, MaxRunning: p.maxRunning(),
	})
	return nil
}

// braked adds an address that guesses to the log and the audit.
func (p *serverProcess) braked(address string, failures int) {
	p.log.Warn("tries to sign in are slowed down", slog.String("address", address), slog.Int("failures", failures))
	record := server.BrakeRecord(p.opts.Now(), address, failures)
	p.parts.Go(func() {
		ctx, cancel := context.WithTimeout(p.partsCtx, requestTimeout)
		defer cancel()
		if err := p.store.Update(ctx, func(tx trowel.Tx) error { return tx.InsertRecords(ctx, &record) }); err != nil {
			p.log.Warn("the audit is not told of tries to sign in", slog.Any("error", err))
		}
	})
}

// schedulesChanged wakes the schedulers of all servers. one is the schedule that was changed, or nil if there are
// several.
func (p *serverProcess) schedulesChanged(one *trowel.Schedule) {
	if p.scheduler != nil {
		p.scheduler.Wake()
	}
	if p.sole {
		return
	}
	var message cluster.Schedules // any
	if one != nil {
		message = cluster.Schedules{ID: one.ID, ProjectID: one.ProjectID, Workflow: one.Workflow}
	}
	p.parts.Go(func() {
		ctx, cancel := context.WithTimeout(p.partsCtx, requestTimeout)
		defer cancel()
		// If the message gets lost, the other servers look for themselves soon.
		_ = p.store.Update(ctx, func(tx trowel.Tx) error { return tx.Notify(ctx, message.String()) })
	})
}
