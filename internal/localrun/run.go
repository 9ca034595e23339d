package localrun

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	executor "github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/database"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/builtin"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/statusdir"
	"github.com/trowel-project/trowel/internal/store/sqlite"
	"github.com/trowel-project/trowel/internal/template"
	"github.com/trowel-project/trowel/internal/version"
)

// Defaults of settings (server 3.1).
const (
	defaultTaskLimit    = 1000
	defaultAttemptLimit = 100
)

// Options say what is run and how.
type Options struct {
	// settings are those of the command; operators and limits are read from them.
	Settings config.Settings
	// environ is the environment of commands, KEY=VALUE each.
	Environ []string
	Now     func() time.Time
	// project has the workflow and those that require> starts.
	Project  *dig.Project
	Workflow *dig.Workflow
	Params   *param.Map
	// tasks are those of the workflow, or of the part of it that is run.
	Tasks   []dig.Task
	Session time.Time
	// attemptName is the name of the attempt; empty for the unnamed one.
	AttemptName string
	// state is where tasks that succeed are kept; its folder is empty if they are not.
	State statusdir.Session
	// sets say which tasks are passed over.
	Sets Selection
	// dry runs no operator and writes nothing.
	Dry bool
	// showParams logs the parameters of each task.
	ShowParams bool
	// slots is how many tasks run at a time; 0 asks the settings, which may set no limit.
	Slots int
	// taskLogs is the folder of the logs of tasks, absolute; empty for none.
	TaskLogs string
	// secrets is the folder of the user's secrets; empty for none.
	Secrets string
	View    runview.View
	Logs    *logging.Handler
	Log     *slog.Logger // to logs
}

// run is one run of a workflow in this process: a store, a flusher and an agent around one
// project folder.
type run struct {
	Options

	store        trowel.Store
	databaseLock *os.File // nil if the store does not outlive the run
	agent        *agent.Agent
	templates    *template.Evaluator
	flusher      *flush.Flusher
	setting      trowel.AttemptContext
	keeper       *statusdir.Writer
	failed       *failures
	killNow      chan struct{}
	passed       atomic.Bool      // a task was passed over, as it had succeeded before
	asked        atomic.Bool      // a task was run, or left out by the command line
	attempt      trowel.AttemptID // the attempt that this run is about
}

// Run runs a workflow to its end and returns how it ended. Signals interrupt it. A workflow with too many tasks is a
// *taskLimitError.
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
	defer func() { err = errors.Join(err, l.store.Close(), l.unlock()) }()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var flushing sync.WaitGroup
	var broken error
	flushing.Go(func() {
		broken = l.flusher.Run(ctx)
		l.agent.Stop() // without a flusher no result is written
	})
	interrupted, attempt, err := l.await(ctx, signals)
	l.halt(signals)
	if interrupted && l.databaseLock != nil {
		// Nobody goes on with it, so it must not count as running for ever.
		if err := l.flusher.Kill(ctx, l.attempt, "signal"); err != nil {
			l.Log.WarnContext(ctx, "attempt not ended in the database", slog.Any("error", err))
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
	l.tellSession(ctx, l.Workflow, l.Session)
	started, err := l.flusher.Start(ctx, l.request())
	if errors.Is(err, trowel.ErrConflict) { // in a database that was there before
		l.AttemptName = uuid.NewString()
		started, err = l.flusher.Start(ctx, l.request())
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

// tellSession logs that a session begins, as Digdag does.
func (l *run) tellSession(ctx context.Context, w *dig.Workflow, at time.Time) {
	logging.Print(ctx, l.Log, slog.LevelInfo, fmt.Sprintf("Starting a new session project id=%d workflow name=%s session_time=%s",
		l.setting.Project.ID, w.Name, at.In(w.Zone.Location).Format(trowel.SessionTimeLayout)))
}

// open makes the store, the flusher and the agent.
func (l *run) open(ctx context.Context) error {
	now := l.Now()
	var opts sqlite.Options
	var err error
	if !l.Dry { // an attempt that did nothing is not for the records
		if opts, err = databaseOptions(l.Settings); err != nil {
			return err
		}
	}
	if opts.Path != "" {
		if l.databaseLock, err = database.Lock(opts.Path); err != nil {
			return err
		}
	}
	store, err := sqlite.Open(ctx, opts, now)
	if err != nil {
		return errors.Join(fix.Database(err), l.unlock())
	}
	l.store = store
	if err := l.storeProject(ctx, now); err != nil {
		return errors.Join(err, store.Close(), l.unlock())
	}
	taskLimit, err := positiveSetting(l.Settings, "executor.task_max_run", defaultTaskLimit)
	if err != nil {
		return errors.Join(err, store.Close(), l.unlock())
	}
	attemptLimit, err := positiveSetting(l.Settings, "executor.attempt_max_run", defaultAttemptLimit)
	if err != nil {
		return errors.Join(err, store.Close(), l.unlock())
	}
	l.killNow = make(chan struct{})
	kept := l.State
	if l.Dry {
		kept = statusdir.Session{}
	}
	l.keeper = statusdir.NewWriter(kept)
	l.failed = newFailures()
	if err := l.openAgent(ctx, taskLimit); err != nil {
		return errors.Join(err, store.Close(), l.unlock())
	}
	l.flusher = flush.New(flush.Options{
		Store: store, Agent: l.agent, Now: l.Now, Log: l.Log,
		Observers: []flush.Observer{l.keeper, l.failed, l.View},
		Limits:    engine.Limits{Tasks: taskLimit}, Attempts: attemptLimit, Templates: l.templates, AnyPool: true,
	})
	return nil
}

// unlock lets others use a database that outlives the run.
func (l *run) unlock() error {
	if l.databaseLock == nil {
		return nil
	}
	return l.databaseLock.Close()
}

// storeProject stores the project as Digdag's local mode does: under the name default, as a revision
// named after the present instant.
func (l *run) storeProject(ctx context.Context, now time.Time) error {
	workflows := make([]*trowel.Workflow, len(l.Project.Workflows))
	for i, w := range l.Project.Workflows {
		workflows[i] = &trowel.Workflow{Name: w.Name, Zone: w.Zone.ID, Definition: w.Definition, Origin: w.Origin}
	}
	l.setting = trowel.AttemptContext{
		Project:  trowel.Project{Name: "default", CreatedAt: now},
		Revision: trowel.Revision{Name: now.UTC().Format(time.RFC3339Nano), Params: l.Params, Archive: trowel.Archive{Type: trowel.ArchiveNone}, CreatedAt: now},
	}
	err := l.store.Update(ctx, func(tx trowel.Tx) error {
		return tx.InsertRevision(ctx, &l.setting.Project, &l.setting.Revision, workflows)
	})
	for i, w := range l.Project.Workflows {
		if w == l.Workflow {
			l.setting.Workflow = *workflows[i]
		}
	}
	return err
}

func (l *run) openAgent(ctx context.Context, taskLimit int) error {
	slots, err := l.slotCount()
	if err != nil {
		return err
	}
	openLog, err := l.openTaskLogs()
	if err != nil {
		return err
	}
	operators, err := builtin.Options(l.Settings.Get, func(name string) (string, bool) { return config.LookupEnv(l.Environ, name) }, version.UserAgent)
	if err != nil {
		return err
	}
	l.templates = template.New(template.Options{})
	operators.Templates = l.templates
	mask, err := newOutputMask(l.Settings)
	if err != nil {
		return err
	}
	secrets := mask.finder(l.secretFinder())
	l.agent = agent.New(ctx, agent.Options{
		ID:        "local",
		Slots:     slots,
		Anything:  true,
		Operators: operator.Builtin(operators),
		Templates: operators.Templates,
		Commands: executor.NewLocal(executor.LocalOptions{
			Env: l.Environ, KillNow: l.killNow, Log: l.Log,
		}),
		Secrets:   func(*trowel.Lease) secret.Finder { return secrets },
		Sessions:  &sessions{run: l},
		Project:   l.Project.Dir,
		TaskLimit: taskLimit,
		Now:       l.Now,
		OpenLog:   func(lease *trowel.Lease) agent.Log { return mask.log(openLog(lease)) },
		Hook:      &hook{run: l},
		Advice:    l.adviceInRun,
		Report:    func(r trowel.Report) { l.flusher.Report(mask.report(r)) },
		Wake:      func() { l.flusher.Wake() },
	})
	return nil
}

// secretFinder has the secrets of local mode: settings, then the user's files (server 1.9.2).
func (l *run) secretFinder() secret.Finder {
	properties := maps.Collect(l.Settings.Prefix("secrets."))
	return secret.NewLocal(secret.LocalOptions{Properties: properties, Dir: l.Secrets, Log: l.Log})
}

// slotCount is how many tasks run at a time; 0 for no limit.
func (l *run) slotCount() (int, error) {
	if l.Slots > 0 {
		return l.Slots, nil
	}
	return numberSetting(l.Settings, "agent.max-task-threads", 0)
}

// request is the attempt to start (language A7, A8).
func (l *run) request() flush.Start {
	return l.attemptOf(l.Workflow, l.setting.Workflow, l.Session, l.Params, l.Tasks, "run", l.AttemptName)
}

// numberSetting reads a number among the settings.
func numberSetting(settings config.Settings, key string, otherwise int) (int, error) {
	text, found := settings.Get(key)
	if !found {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("setting %s = %s: want a number", key, text)
	}
	return n, nil
}

func positiveSetting(settings config.Settings, key string, otherwise int) (int, error) {
	n, err := numberSetting(settings, key, otherwise)
	if err == nil && n < 1 {
		return 0, fmt.Errorf("setting %s = %d: want a number from 1 on", key, n)
	}
	return n, err
}

// attemptOf describes an attempt of a workflow of this project.
func (l *run) attemptOf(w *dig.Workflow, row trowel.Workflow, at time.Time, params *param.Map, tasks []dig.Task, cause, name string) flush.Start {
	setting := l.setting
	setting.Workflow = row
	setting.Limits, _ = dig.ControlOf(w.Definition) // Load has refused what is wrong
	setting.Session = trowel.Session{ProjectID: setting.Project.ID, Workflow: w.Name, Time: at, UUID: uuid.NewString()}
	return flush.Start{
		Context: setting,
		Tasks:   tasks,
		Attempt: trowel.Attempt{WorkflowID: row.ID, Name: name, Zone: w.Zone.ID, Params: params, Cause: cause, Actor: "cli"},
	}
}

// databaseOptions say where the store is: in memory unless the settings name a file.
func databaseOptions(settings config.Settings) (sqlite.Options, error) {
	kind, _ := settings.Get("database.type")
	path, _ := settings.Get("database.path")
	switch kind {
	case "", "memory":
		return sqlite.Options{}, nil
	case "sqlite", "h2":
		if path == "" {
			return sqlite.Options{}, fmt.Errorf("setting database.type = %s needs database.path, the database's folder", kind)
		}
		if err := os.MkdirAll(path, 0o777); err != nil { //nolint:gosec // the umask decides
			return sqlite.Options{}, fix.UseDatabase.Failed(fmt.Errorf("make the folder of the database: %w", err))
		}
		return sqlite.Options{Path: path + "/" + config.DatabaseFile}, nil
	default:
		return sqlite.Options{}, fmt.Errorf("setting database.type = %s: a local run knows memory and sqlite", kind)
	}
}
