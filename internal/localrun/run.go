package localrun

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/command"
	executors "github.com/trowel-project/trowel/internal/command/builtin"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/operator/builtin"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/statusdir"
	"github.com/trowel-project/trowel/internal/template"
	"github.com/trowel-project/trowel/internal/version"
)

// run is one run of a workflow in this process: a store, a flusher and an agent around one project folder. Fields are in the
// order in which they are made.
type run struct {
	Options

	storage  *storage
	project  *project
	statuses *statusdir.Writer // of tasks that succeed
	failed   *failures
	hook     *hook
	sessions *sessions
	killNow  chan struct{} // closed to kill commands that do not end when they are stopped
	// agentOptions are those of agent. Operators are made from the settings, unless they are set before.
	agentOptions agent.Options
	agent        *agent.Agent
	flusher      *flush.Flusher

	attempt trowel.AttemptID // the attempt that this run is about
}

// Run runs a workflow to its end and returns how it ended. Signals interrupt it. A workflow with too many tasks is a
// *TaskLimitError.
func Run(ctx context.Context, opts Options, signals <-chan os.Signal) (runview.End, error) {
	return (&run{Options: opts}).run(ctx, signals)
}

// run runs the workflow to its end and returns how it ended. Signals interrupt it.
func (l *run) run(ctx context.Context, signals <-chan os.Signal) (end runview.End, err error) {
	begun := l.Now()
	if err := l.prepareState(); err != nil {
		return end, err
	}
	l.View.Begin(runview.Begin{Workflow: l.Workflow.Name, Session: l.Session, Tasks: l.Tasks, DryRun: l.Dry})
	if err := l.open(ctx); err != nil {
		return end, err
	}
	defer func() { err = errors.Join(err, l.storage.close()) }()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var flushing sync.WaitGroup
	var broken error
	flushing.Go(func() {
		broken = l.flusher.Run(ctx)
		l.agent.Stop() // without a flusher no result is written
	})
	interrupted, attempt, err := l.await(ctx, signals)
	halt(l.agent, l.killNow, signals)
	if interrupted {
		if err := l.giveUp(ctx, signals); err != nil {
			l.Log.WarnContext(ctx, "attempt not ended", slog.Any("error", err))
		}
	}
	drained := l.flusher.Barrier(ctx) // what the last tasks reported
	cancel(errDone)
	flushing.Wait()
	switch {
	case errors.Is(broken, errDone), errors.Is(broken, context.Canceled):
		broken = nil
	case err == nil && broken == nil:
		err = drained
	}
	if err != nil && broken == nil {
		return end, err
	}
	return l.ended(attempt, interrupted, broken, l.Now().Sub(begun)), nil
}

// errDone ends the flusher when there is nothing left to do.
var errDone = errors.New("done")

// await starts the attempt and waits for its end, or for a signal. attempt is nil unless it ended.
func (l *run) await(ctx context.Context, signals <-chan os.Signal) (interrupted bool, attempt *trowel.Attempt, err error) {
	l.project.tellSession(ctx, l.Workflow, l.Session)
	started, err := l.flusher.Start(ctx, l.start())
	if errors.Is(err, trowel.ErrConflict) { // in a database that was there before
		l.AttemptName = uuid.NewString()
		started, err = l.flusher.Start(ctx, l.start())
	}
	if err != nil {
		return false, nil, l.limitFix(err)
	}
	l.attempt = started.Attempt.ID
	select {
	case a, ok := <-started.Ended:
		if !ok {
			return false, nil, nil // the flusher says why
		}
		return false, &a, nil
	case <-signals:
	case <-ctx.Done():
	}
	l.View.Stopping()
	return true, nil, nil
}

// open makes the store, the flusher and the agent.
func (l *run) open(ctx context.Context) (err error) {
	now := l.Now()
	if l.storage, err = openStorage(ctx, &l.Options, now); err != nil {
		return err
	}
	if err := l.openOn(ctx, now); err != nil {
		return errors.Join(err, l.storage.close())
	}
	return nil
}

// openOn makes what needs the store.
func (l *run) openOn(ctx context.Context, now time.Time) (err error) {
	if l.project, err = storeProject(ctx, l.storage.store, &l.Options, now); err != nil {
		return err
	}
	limits, err := l.limits()
	if err != nil {
		return err
	}
	kept := l.State
	if l.Dry {
		kept = statusdir.Session{}
	}
	l.statuses, l.failed = statusdir.NewWriter(kept), newFailures()
	l.hook = &hook{options: &l.Options, statuses: l.statuses}
	l.sessions = &sessions{project: l.project}
	templates := template.New(template.Options{})
	if err := l.openAgent(ctx, limits, templates); err != nil {
		return err
	}
	l.flusher = flush.New(flush.Options{
		Store: l.storage.store, Agent: l.agent, Now: l.Now, Log: l.Log,
		Observers: []flush.Observer{l.statuses, l.failed, l.View},
		Limits:    engine.Limits{Tasks: limits.tasks}, Attempts: limits.attempts, Templates: templates, AnyPool: true,
	})
	l.sessions.flusher = l.flusher
	return nil
}

func (l *run) openAgent(ctx context.Context, limits limits, templates *template.Evaluator) error {
	openLog, err := l.openTaskLogs()
	if err != nil {
		return err
	}
	operators, err := builtin.Read(l.Settings.Get, func(name string) (string, bool) { return config.LookupEnv(l.Environ, name) }, version.UserAgent)
	if err != nil {
		return err
	}
	mask, err := newOutputMask(l.Settings)
	if err != nil {
		return err
	}
	secrets := mask.finder(l.secretFinder())
	l.killNow = make(chan struct{})
	commands, err := l.openCommands()
	if err != nil {
		return err
	}
	table := l.agentOptions.Operators
	if table == nil {
		table = builtin.Table(operators)
	}
	l.agentOptions = agent.Options{
		ID:        "local",
		Slots:     limits.slots,
		Limits:    limits.commands,
		Anything:  true,
		Operators: table,
		Templates: templates,
		Commands:  commands,
		Secrets:   func(*trowel.Lease) secret.Finder { return secrets },
		Sessions:  l.sessions,
		Project:   l.Project.Dir,
		TaskLimit: limits.tasks,
		Now:       l.Now,
		OpenLog:   func(lease *trowel.Lease) agent.Log { return mask.log(openLog(lease)) },
		Hook:      l.hook,
		Advice:    l.failed.adviceInRun,
		Report:    func(r trowel.Report) { l.flusher.Report(mask.report(r)) },
		Wake:      func() { l.flusher.Wake() },
	}
	l.agent = agent.New(ctx, l.agentOptions)
	return nil
}

// openCommands makes what runs the commands of tasks.
func (l *run) openCommands() (command.Executor, error) {
	const prefix = "agent.command_executor."
	kind, _ := l.Settings.Get(prefix + "type")
	return executors.New(executors.Options{
		Type: kind, Setting: func(name string) (string, bool) { return l.Settings.Get(prefix + name) },
		Local: command.NewLocal(command.LocalOptions{Env: l.Environ, KillNow: l.killNow, Log: l.Log}),
	})
}

// start describes the attempt to start (language A7, A8).
func (l *run) start() flush.Start {
	return l.project.attemptOf(l.Workflow, l.project.workflow, l.Session, l.Params, l.Tasks, "run", l.AttemptName)
}

// keyTDSecrets is the setting that says whether secrets are read from the file of Treasure Data's command line.
const keyTDSecrets = "io.digdag.standards.td.secrets.enabled"

// secretFinder has the secrets of local mode: the file of Treasure Data's command line, settings, then the user's files
// (server 1.9.2).
func (o *Options) secretFinder() secret.Finder {
	properties := maps.Collect(o.Settings.Prefix("secrets."))
	options := secret.LocalOptions{Properties: properties, Dir: o.Secrets, Log: o.Log}
	if enabled, found := o.Settings.Get(keyTDSecrets); !found || enabled != "false" {
		options.First = secret.ReadTDConfig(o.TDConfig)
	}
	return secret.NewLocal(options)
}
