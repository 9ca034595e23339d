package ecs

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/transfer"
)

// watch is one look at a command.
type watch struct {
	executor *Executor
	cluster  *cluster
	client   *client
	request  *command.Request
	state    *state
	log      *slog.Logger
}

const (
	statusRunning = "RUNNING"
	statusStopped = "STOPPED"
	// mostFailed is how many looks in a row may fail.
	mostFailed = 60
	// soon is when a command is looked at whose next step can be done at once, after its state was stored.
	soon = time.Millisecond
)

// poll looks at the task, or fetches what it has left.
func (w *watch) poll(ctx context.Context) (command.Status, error) {
	if w.state.ended != 0 {
		return w.finish(ctx)
	}
	task, err := w.client.describe(ctx, w.state.cluster, w.state.task)
	if err != nil {
		return w.lookAgain(ctx, err)
	}
	if task == nil {
		return w.notFound()
	}
	w.state.missing = 0
	status := task.LastStatus
	if isBefore(status) {
		w.state.failed = 0
		fmt.Fprintf(w.request.Output, "Wait running a command task: status %s\n", strings.ToLower(status))
		return w.goOn(0), nil
	}
	if err := w.copyOutput(ctx); err != nil {
		return w.lookAgain(ctx, err)
	}
	w.state.failed = 0 // the output is part of a look
	if status != statusStopped {
		return w.goOn(0), nil
	}
	w.state.ended, w.state.exit = w.executor.now().Unix(), 1
	if len(task.Containers) > 0 && task.Containers[0].ExitCode != nil {
		w.state.exit = *task.Containers[0].ExitCode
	}
	return w.goOn(soon), nil
}

// isBefore reports whether a task is not running yet.
func isBefore(status string) bool {
	return status == "PROVISIONING" || status == "PENDING" || status == "ACTIVATING"
}

// goOn returns the status of a command that is to be looked at again.
func (w *watch) goOn(in time.Duration) command.Status {
	return command.Status{IODir: w.state.ioDir, State: w.state.stored(), PollIn: in}
}

// lookAgain repeats a look that failed, unless the error is there to stay.
func (w *watch) lookAgain(ctx context.Context, err error) (command.Status, error) {
	if ctx.Err() == nil && !mayPass(err) {
		w.giveUp(ctx)
		return command.Status{}, told(err)
	}
	return w.tryAgain(ctx, err)
}

// tryAgain repeats a look whose error may pass.
func (w *watch) tryAgain(ctx context.Context, err error) (command.Status, error) {
	if ctx.Err() != nil {
		return w.goOn(soon), nil //nolint:nilerr // the process ends, and the command goes on
	}
	if w.state.failed++; w.state.failed > mostFailed {
		w.giveUp(ctx)
		return command.Status{}, told(err)
	}
	w.log.WarnContext(ctx, "cannot look at the task of ECS; trying again", slog.Any("error", err))
	return w.goOn(w.executor.times.failed), nil
}

// giveUp stops a task that cannot be looked at any more, so that it does not outlive the one it runs for.
func (w *watch) giveUp(ctx context.Context) {
	if w.state.ended != 0 {
		return
	}
	if err := w.stop(ctx); err != nil {
		w.log.ErrorContext(ctx, "the task of ECS may still run", slog.String("task", w.state.task), slog.Any("error", err))
	}
}

// notFound is about a task that ECS does not know: not yet, or not any more.
func (w *watch) notFound() (command.Status, error) {
	now := w.executor.now()
	if w.state.missing == 0 {
		w.state.missing = now.Unix()
	}
	if now.Sub(time.Unix(w.state.missing, 0)) < w.executor.times.missing {
		return w.goOn(0), nil
	}
	return command.Status{}, &command.Error{Kind: "runtime", Message: "ECS does not know the task of the command any more: " + w.state.task}
}

// finish takes over the rest of the output and the files of a task that has ended (operators 4.4).
func (w *watch) finish(ctx context.Context) (command.Status, error) {
	if err := w.copyOutput(ctx); err != nil {
		return w.lookAgain(ctx, err)
	}
	over := w.executor.now().Sub(time.Unix(w.state.ended, 0)) >= w.executor.times.drain
	if w.state.logs != nil && w.state.marked == 0 && !over {
		return w.goOn(w.executor.times.look), nil
	}
	if w.state.logs != nil && w.state.marked == 0 {
		w.log.WarnContext(ctx, "the end of the output did not come in time, so some of it may be missing")
	}
	storage, err := w.executor.openStorage(ctx)
	if err != nil {
		return command.Status{}, err
	}
	retry, err := transfer.Fetch(ctx, storage, &transfer.Left{
		Key: w.outputKey(), ExitCode: w.state.exit, MostBytes: w.request.Limits.Disk, Failed: w.state.failed,
	}, w.request.Project)
	if retry && w.state.failed < mostFailed {
		return w.tryAgain(ctx, err)
	}
	if err != nil {
		return command.Status{}, err
	}
	message := w.reasons(ctx)
	if w.state.exit != 0 && message != "" {
		w.log.ErrorContext(ctx, "ECS says why the container has ended", slog.String("reason", message))
	}
	return command.Status{
		Finished: true, ExitCode: w.state.exit, Message: message, IODir: w.state.ioDir, State: w.state.stored(), Exceeded: w.state.exceeded(message),
	}, nil
}

// outputKey returns the key of the files. A state of Digdag does not have it.
func (w *watch) outputKey() string {
	if w.state.output != "" {
		return w.state.output
	}
	return transfer.OutputKey(fmt.Sprint(w.request.Try.Task))
}

// reasons returns why the containers of the task have ended, as far as ECS tells.
func (w *watch) reasons(ctx context.Context) string {
	task, err := w.client.describe(ctx, w.state.cluster, w.state.task)
	if err != nil || task == nil || len(task.Containers) == 0 {
		return "No container information" // operators 4.4
	}
	var all []string
	for i := range task.Containers {
		if reason := task.Containers[i].Reason; reason != "" {
			all = append(all, reason)
		}
	}
	if len(all) == 0 && w.state.exit != 0 && task.StopCode != "EssentialContainerExited" {
		return task.StoppedReason
	}
	return strings.Join(all, ", ")
}

// stop stops the task.
func (w *watch) stop(ctx context.Context) error {
	if w.state.task == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	err := w.client.call(ctx, serviceECS(), "StopTask", map[string]any{"cluster": w.state.cluster, "task": w.state.task}, nil)
	if err != nil && codeOf(err) == "InvalidParameterException" && strings.Contains(err.Error(), "not found") {
		return nil
	}
	return told(err)
}
