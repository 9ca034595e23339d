// Package daemon has the processes of a server and of an agent: it makes all their parts from settings, runs them, and
// ends them in order. It knows nothing about a command line.
package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"github.com/google/uuid"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/keyring"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/scheduler"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/server/events"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/tasklog"
	"github.com/trowel-project/trowel/internal/usage"
)

// serverProcess is a server with all its parts. Fields are in the order in which they are made. A part that is nil is
// switched off.
//
// The life of a server has this order. open makes all parts, the sockets first. start stores what they need (pools, the row
// of the agent, the project of a folder), and starts the flusher, what serves agents, what does the work behind, what hears
// other servers, the scheduler, and at last what answers requests. wait returns at a signal, when a part has failed, or when
// only later versions may write to the database. stop ends the scheduler, claims nothing more, waits for running tasks, then
// for requests, gives up the row of the agent, and ends all other parts. close releases what open has made, backwards.
type serverProcess struct {
	*process

	id     string // of this process among the servers of a database
	meters meters
	events *events.Feed

	listeners *listeners
	storage   *storage
	packer    *tasklog.Packer // nil if logs stay in the database
	output    *taskOutput
	local     *localAgent
	crypter   *secret.Crypter
	secrets   secret.Rows
	launcher  *launch.Launcher
	scheduler *scheduler.Scheduler
	usage     *usage.Recorder
	flusher   *flush.Flusher
	agents    *serverAgents
	messenger *messenger
	folder    *localFolder // of the command scheduler; nil for a server of many projects
	server    *rest.Server

	endScheduler context.CancelFunc // ends the scheduler before the other parts
}

// RunServer starts all parts of a server, waits until it should end, and stops them in order. It ends when ctx
// does, at a signal, or when a part fails.
func RunServer(ctx context.Context, opts Options, signals <-chan os.Signal) error {
	p := &serverProcess{process: newProcess(ctx, opts), id: uuid.NewString(), meters: newMeters(opts.Now), events: events.NewFeed()}
	p.local = newLocalAgent(p.process)
	if err := p.open(ctx); err != nil {
		return errors.Join(err, p.close())
	}
	if err := p.start(ctx); err != nil {
		p.abandon()
		return errors.Join(err, p.close())
	}
	if p.folder != nil {
		logging.Print(ctx, opts.Log, slog.LevelInfo, outputPlace(p.process, p.listeners.info))
	}
	err := p.wait(ctx, signals)
	return errors.Join(err, p.stop(ctx, signals), p.close())
}

// open makes all parts, without starting them.
func (p *serverProcess) open(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		p.openSockets, p.openDatabase, p.openFiles, p.openSecrets, p.openEngine, p.openServer, p.introduce,
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

// openDatabase opens the database.
func (p *serverProcess) openDatabase(ctx context.Context) error {
	p.storage = &storage{process: p.process, meters: p.meters}
	return p.storage.openDatabase(ctx)
}

// openFiles opens the stores of archives and logs, and what keeps the files and the output of tries.
func (p *serverProcess) openFiles(ctx context.Context) (err error) {
	if err := p.storage.openBlobs(ctx); err != nil {
		return err
	}
	switch {
	case p.opts.Project != "" && p.settings.Agent.CommandUser != "":
		return refuseCommandUser()
	case runsTasks(p.settings):
		if p.local.user, err = findCommandUser(&p.settings.Agent); err != nil {
			return err
		}
	}
	if err := p.local.openWorkspaces(ctx, p.storage.fetchArchive, fix.UseTemporary); err != nil {
		return err
	}
	logs := &p.settings.Logs
	options := tasklog.GathererOptions{Now: p.opts.Now}
	p.output = newTaskOutput(p.storage, p.events)
	if logs.Type != config.StorageNone {
		options.Insert = p.output.keep
	}
	if p.storage.logs != nil {
		p.packer = tasklog.NewPacker(tasklog.PackerOptions{
			Database: p.storage.store, Blobs: p.storage.logs, Logger: p.log, Alone: logs.Bucket.DirectDownload,
		})
		options.Large = p.packer.Large
	}
	p.local.openGatherer(options)
	return nil
}

// openSecrets makes the parts that encrypt secrets and notify people.
func (p *serverProcess) openSecrets(ctx context.Context) (err error) {
	p.secrets = secret.RowsIn(store.Retrying{Store: p.storage.store})
	if p.crypter, err = keyring.Open(ctx, p.settings, p.storage.store, p.log); err != nil {
		return err
	}
	return p.local.openNotifier(ctx)
}
