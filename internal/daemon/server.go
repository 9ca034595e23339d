// Package daemon has the processes of a server and of an agent: it makes all their parts from settings, runs them, and
// ends them in order. It knows nothing about a command line.
package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/blob"
	executor "github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/database"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/hub"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/notify"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/scheduler"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/server/events"
	"github.com/trowel-project/trowel/internal/server/health"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/store/digdag"
	"github.com/trowel-project/trowel/internal/store/postgres"
	"github.com/trowel-project/trowel/internal/store/sqlite"
	"github.com/trowel-project/trowel/internal/tasklog"
	"github.com/trowel-project/trowel/internal/template"
	"github.com/trowel-project/trowel/internal/usage"
)

// serverProcess is a server with all its parts. Fields are in the order in which open makes them.
// A part that is nil is switched off.
type serverProcess struct {
	opts     Options
	settings *config.Server
	log      *slog.Logger
	local    *localFolder // of the command scheduler; nil for a server of many projects

	secretFiles []string // files with secret settings

	closers   []func() error // release what open has made
	listeners *listeners
	sole      bool // no other process uses the database
	store     trowel.Store
	writes    health.Writes // results of writes to the database
	meters    meters

	archives    map[string]blob.Store // by archive type
	logBlobs    blob.Store            // nil if logs stay in the database
	blobs       []healthBlobs         // these stores as parts of the health
	workspaces  *archive.Workspaces
	commandUser *executor.User // nil if commands run as the user of this process
	gatherer    *tasklog.Gatherer
	packer      *tasklog.Packer // nil if logs stay in the database

	crypter   *secret.Crypter
	own       *secret.Mask // for the server's own log, errors and answers
	mask      *secret.Mask // for the output of tasks; nil if it is shown as it is
	templates *template.Evaluator
	notifier  *notify.Notifier

	killNow   chan struct{}
	agent     *agent.Agent
	id        string // id of this process among the servers of a database
	renewals  *queue.Renewals
	heartbeat *queue.Heartbeat // nil if no tasks run here
	params    operator.ParamServer
	flusher   *flush.Flusher
	hub       *hub.Hub // nil if there are no remote agents
	launcher  *launch.Launcher
	usage     *usage.Recorder
	output    *outputNews
	scheduler *scheduler.Scheduler

	events *events.Feed
	server *rest.Server

	stopping     atomic.Bool // the agent in this process takes no more tasks
	parts        sync.WaitGroup
	failures     chan error      // of parts that ended by themselves
	partsCtx     context.Context //nolint:containedctx // for all parts
	endParts     context.CancelFunc
	schedulerCtx context.Context //nolint:containedctx // ends before the others
	endScheduler context.CancelFunc
}

// RunServer starts all parts of a server, waits until it should end, and stops them in order. It ends when ctx
// does, at a signal, or when a part fails.
func RunServer(ctx context.Context, opts Options, signals <-chan os.Signal) error {
	own := secret.NewMask(secret.OwnChars)
	p := &serverProcess{opts: opts, id: uuid.NewString(), settings: opts.Settings, own: own, log: slog.New(own.Handler(opts.Log.Handler()))}
	if opts.Project != "" {
		p.local = &localFolder{dir: opts.Project, log: opts.Log}
	}
	p.secretFiles = opts.secretFiles(ctx, p.log)
	if err := p.open(ctx); err != nil {
		return errors.Join(err, p.close())
	}
	if err := p.start(ctx); err != nil {
		p.abandon()
		return errors.Join(err, p.close())
	}
	if p.local != nil {
		logging.Print(ctx, opts.Log, slog.LevelInfo, p.outputPlace())
	}
	err := p.wait(ctx, signals)
	return errors.Join(err, p.stop(ctx, signals), p.close())
}

// open makes all parts, without starting them.
func (p *serverProcess) open(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		p.openSockets, p.openStore, p.openEvents, p.openFiles, p.openSecrets, p.openEngine, p.openServer, p.introduce,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// openSockets opens the listeners. It comes first, so that no folder, key or database is made if a port is taken.
func (p *serverProcess) openSockets(ctx context.Context) (err error) {
	if p.listeners, err = openListeners(ctx, p.settings.Listen, p.log); err != nil {
		return err
	}
	p.onClose(func() error { p.listeners.closeSockets(); return nil })
	return nil
}

// openStore opens the database. Only one server may use a database in a file.
func (p *serverProcess) openStore(ctx context.Context) (err error) {
	d := &p.settings.Database
	now := p.opts.Now()
	switch d.Type {
	case config.DatabasePostgreSQL:
		opts := database.PostgresOptions(d)
		opts.MaxConnections, opts.KeepSchema, opts.Log = d.MaxConnections, !d.Migrate, p.log
		db, errOpen := postgres.Open(ctx, opts, now)
		if errOpen != nil {
			return fix.Database(errOpen)
		}
		p.hintAtDigdag(ctx, db)
		p.store = db
	case config.DatabaseSQLite:
		lock, errLock := database.Lock(d.File)
		if errLock != nil {
			return errLock
		}
		p.onClose(lock.Close)
		p.warnOfH2(ctx, d)
		p.store, err = sqlite.Open(ctx, sqlite.Options{Path: d.File, Durable: true, KeepSchema: !d.Migrate}, now)
	default:
		p.store, err = sqlite.Open(ctx, sqlite.Options{}, now)
	}
	if err != nil {
		return fix.Database(err)
	}
	p.sole = d.Type != config.DatabasePostgreSQL
	p.onClose(p.store.Close)
	p.meters = newMeters(p.opts.Now)
	p.store = p.meters.metered(healthStore{p.store, &p.writes, p.opts.Now}, "server")
	return nil
}

// hintAtDigdag logs that the database also has Digdag's tables, which are left alone, as long as there are no
// projects.
func (p *serverProcess) hintAtDigdag(ctx context.Context, db *store.DB) {
	present, err := digdag.Present(ctx, db)
	if err != nil || !present {
		return
	}
	err = db.View(ctx, func(tx trowel.Tx) error {
		projects, err := tx.ListProjects(ctx, trowel.ProjectFilter{Limit: 1})
		if err == nil && len(projects) == 0 {
			logging.Print(ctx, p.log, slog.LevelWarn, digdag.Hint)
		}
		return err
	})
	if err != nil {
		p.log.WarnContext(ctx, "projects not listed", slog.Any("error", err))
	}
}

// onClose adds a function that close will call.
func (p *serverProcess) onClose(f func() error) { p.closers = append(p.closers, f) }

// close releases everything that open has made, in the opposite order.
func (p *serverProcess) close() error {
	var errs []error
	for _, f := range slices.Backward(p.closers) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}
