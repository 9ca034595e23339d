package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// try is one execution of one task.
type try struct {
	agent   *Agent
	lease   *trowel.Lease
	ctx     context.Context //nolint:containedctx // of this execution
	started atomic.Bool     // it no longer counts as starting
	given   secret.Given
}

// run is the life of a try, from lease to report.
func (t *try) run() {
	a := t.agent
	begun := a.opts.Now()
	log := a.opts.OpenLog(t.lease)
	out := &output{to: log.Output}
	report := t.execute(out, log.Logger)
	if size := sizeOf(&report); size > maxReport {
		err := &operator.Error{Kind: "result too large", Message: fmt.Sprintf("the result of the task has %d bytes as JSON, and may have %d", size, maxReport)}
		t.say(log.Logger, slog.LevelError, operator.LogText(t.lease.FullName, err))
		report = failure(err)
	}
	report.TaskID, report.AttemptID, report.Try = t.lease.TaskID, t.lease.AttemptID, t.lease.Try
	report.StartedAt, report.EndedAt = begun, a.opts.Now()
	report.Masked = t.given.Places(&report)
	if report.Outcome == trowel.OutcomeFailure && !report.Job || report.Outcome == trowel.OutcomeRetry {
		report.LastLines = out.lastLines()
	}
	if err := log.Output.Close(); err != nil {
		log.Logger.Error("close the task's log", slog.Any("error", err))
	}
	if log.Remainder != nil {
		report.Logs = log.Remainder()
	}
	a.ended(&report, t.started.Load())
}

// maxReport is the largest report of a try, in bytes of JSON: later tasks hold all of it in memory too.
const maxReport = 16 << 20

// sizeOf returns the size of a report in bytes of JSON.
func sizeOf(r *trowel.Report) int {
	var data []byte
	for _, params := range []*param.Map{r.Result.Subtasks, r.Result.Export, r.Result.Store, r.StateParams, r.Error} {
		if params.Len() > 0 {
			data = param.AppendJSON(data, params)
		}
	}
	return len(data)
}

// waiting is called when the task continues outside this process, or waits.
func (t *try) waiting() {
	if t.started.CompareAndSwap(false, true) {
		t.agent.started()
	}
}

// execute runs the task. If it is killed meanwhile, a job that goes on outside is canceled.
func (t *try) execute(out *output, log *slog.Logger) trowel.Report {
	if t.lease.Cancel {
		return t.cancelJob(t.lease.StateParams, out, log)
	}
	report, left := t.runOperator(out, log)
	if left == nil || !errors.Is(context.Cause(t.ctx), ErrKilled) {
		return report
	}
	canceled := t.cancelJob(left, out, log)
	canceled.Links, canceled.Usage = report.Links, report.Usage
	return canceled
}

// runOperator runs the task, and returns the state that names a job which goes on outside, or may go on. A panic of an
// operator is a failure of its task.
func (t *try) runOperator(out *output, log *slog.Logger) (report trowel.Report, left *param.Map) {
	defer func() {
		if p := recover(); p != nil {
			err := &operator.Error{Kind: "panic", Message: fmt.Sprint(p)}
			t.say(log, slog.LevelError, operator.LogText(t.lease.FullName, err), slog.String("stack", string(debug.Stack())))
			report, left = failure(err), t.jobLeft(&operator.Outcome{}, err)
		}
	}()
	if hook := t.agent.opts.Hook; hook != nil {
		if result, done := hook.Before(t.lease); done {
			log.Warn("Skipped")
			return trowel.Report{Outcome: trowel.OutcomeSuccess, Result: result}, nil
		}
	}
	outcome, err := t.operate(out, log)
	left = t.jobLeft(&outcome, err)
	report = t.outcome(&outcome, err, log)
	report.Usage = outcome.Usage
	if len(outcome.Links) > 0 {
		report.Links = t.links(outcome.Links, log)
	}
	return report, left
}

// outcome returns the report about a run of the operator.
func (t *try) outcome(outcome *operator.Outcome, err error, log *slog.Logger) trowel.Report {
	switch {
	case errors.Is(err, ErrStopped), errors.Is(err, ErrLost), t.interrupted(err): // not a failure: it runs again
		log.Warn("Stopped")
		return trowel.Report{Outcome: trowel.OutcomeReleased}
	case t.hasNoRoom(outcome, err, log):
		return trowel.Report{Outcome: trowel.OutcomeReleased}
	case err != nil:
		t.say(log, slog.LevelError, operator.LogText(t.lease.FullName, err))
		if advice := t.advice(err); advice != "" {
			t.say(log, slog.LevelError, advice)
		}
		return failure(err)
	case outcome.Again == nil:
		return trowel.Report{Outcome: trowel.OutcomeSuccess, Result: outcome.Result, Origin: outcome.Origin}
	}
	again := trowel.Report{
		Outcome: trowel.OutcomePoll, RetryIn: outcome.Again.After, StateParams: outcome.Again.State, Job: outcome.Again.Job,
	}
	if cause := outcome.Again.Cause; cause != nil {
		message, _ := operator.Kind(cause)
		t.say(log, slog.LevelError, "Task failed, retrying: "+message)
		again.Outcome, again.Error = trowel.OutcomeRetry, operator.ErrorObject(cause)
	}
	return again
}

// interrupted reports whether a run has failed because the agent stops or has lost the try. Some libraries tell that a context
// was canceled, but not why.
func (t *try) interrupted(err error) bool {
	cause := context.Cause(t.ctx)
	return errors.Is(err, context.Canceled) && (errors.Is(cause, ErrStopped) || errors.Is(cause, ErrLost))
}

func failure(err error) trowel.Report {
	return trowel.Report{Outcome: trowel.OutcomeFailure, Error: operator.ErrorObject(err)}
}

// operate evaluates the task's configuration and runs the operator that it names.
func (t *try) operate(out *output, log *slog.Logger) (operator.Outcome, error) {
	opts := &t.agent.opts
	task, ok, err := t.configure(t.ctx)
	if err != nil || !ok {
		return operator.Outcome{}, err
	}
	if opts.Hook != nil {
		if result, done := opts.Hook.Instead(t.lease, task.Selection); done {
			return operator.Outcome{Result: result}, nil
		}
	}
	t.announce(task.Selection, log)
	request := t.request(&task, out, log)
	if request.Limits, err = t.limits(log); err != nil {
		return operator.Outcome{}, err
	}
	defer t.leave(t.lend(request), log)
	outcome, err := opts.Operators.Run(t.ctx, task.Type, request)
	if err == nil && outcome.Again == nil {
		for _, line := range operator.Unused(t.lease.FullName, task.local, request.Params) {
			t.say(log, slog.LevelError, line)
		}
	}
	return outcome, err
}

// configured is a task with its evaluated configuration.
type configured struct {
	operator.Selection

	local *param.Map // the task's own keys
}

// configure evaluates the task's configuration. ok is false if the task names no operator.
func (t *try) configure(ctx context.Context) (task configured, ok bool, err error) {
	config, err := t.agent.opts.Templates.Config(ctx, t.lease.Scope, t.ownKeys(), t.lease.Zone)
	if err != nil {
		return configured{}, false, err
	}
	selection, ok, err := operator.Select(config)
	if err != nil || !ok {
		return configured{}, false, err
	}
	return configured{selection, t.localValues(config)}, true, nil
}

func (t *try) request(task *configured, out *output, log *slog.Logger) *operator.Request {
	opts := &t.agent.opts
	return &operator.Request{
		Lease: t.lease, Params: param.NewReader(task.Config), Local: task.local, State: t.lease.StateParams, Project: opts.Project,
		Secrets: t.given.Finder(opts.Secrets(t.lease)), Commands: opts.Commands, Sessions: opts.Sessions, Notifier: opts.Notifier,
		Templates: opts.Templates, Output: out, Log: log, TaskLimit: opts.TaskLimit, OnWait: t.waiting,
	}
}

// lend gives a request files of its own if there are any, and returns them; or nil.
func (t *try) lend(request *operator.Request) *archive.Workspace {
	if t.agent.opts.Workspaces == nil {
		return nil
	}
	workspace := t.agent.opts.Workspaces.Open(t.lease)
	request.Files = workspace.Dir
	return workspace
}

// leave removes the files of the try, if it has any.
func (t *try) leave(workspace *archive.Workspace, log *slog.Logger) {
	if workspace == nil {
		return
	}
	if err := workspace.Close(); err != nil {
		log.Warn("files of the task are left", slog.Any("error", err))
	}
}

// announce logs what runs; a task that polls logs it at its first run only (operators 1.17).
func (t *try) announce(selection operator.Selection, log *slog.Logger) {
	level := slog.LevelInfo
	if t.lease.RetryCount > 0 {
		level = slog.LevelDebug
	}
	if log.Enabled(t.ctx, level) {
		t.say(log, level, selection.String())
	}
}

// say logs a line for people, with Digdag's text. It does without the place in the code, which no log of a task shows and
// which takes longer to find than the line takes to write.
func (t *try) say(log *slog.Logger, level slog.Level, line string, attrs ...slog.Attr) {
	handler := log.Handler()
	if !handler.Enabled(t.ctx, level) {
		return
	}
	record := slog.NewRecord(time.Now(), level, line, 0)
	record.AddAttrs(attrs...)
	_ = handler.Handle(t.ctx, record) // as a Logger, which cannot report it either
}

// advice says what can be done about a failure; empty if unknown.
func (t *try) advice(err error) string {
	if t.agent.opts.Advice == nil {
		return ""
	}
	return t.agent.opts.Advice(t.lease, err)
}

// ownKeys are the task's own keys that operators and templates see (language P3).
func (t *try) ownKeys() *param.Map {
	local := t.lease.Local
	if !local.Has("_check") && !local.Has("_error") {
		return local
	}
	local = local.Clone()
	local.Delete("_check")
	local.Delete("_error")
	return local
}

// localValues are the task's own keys with their values in the merged configuration (language P10).
func (t *try) localValues(config *param.Map) *param.Map {
	local := param.New()
	for key := range t.lease.Local.All() {
		if value, ok := config.Get(key); ok {
			local.Set(key, value)
		}
	}
	return local
}
