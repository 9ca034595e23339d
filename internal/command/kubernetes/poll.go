package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/transfer"
	"github.com/trowel-project/trowel/internal/param"
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
	// mostFailed is how many looks in a row may fail.
	mostFailed = 60
	// soon is when a command is looked at whose next step can be done at once, after its state was stored.
	soon = time.Millisecond
	// graceSeconds is what a container that is ended has to clean up.
	graceSeconds = 1
)

// Reasons of pods.
const (
	reasonEvicted  = "Evicted"
	reasonDeadline = "DeadlineExceeded"
)

// poll looks at the pod, or fetches what it has left.
func (w *watch) poll(ctx context.Context) (command.Status, error) {
	if w.state.ended {
		return w.finish(ctx)
	}
	pod, err := w.client.call(ctx, http.MethodGet, w.path(), nil)
	if statusOf(err) == http.StatusNotFound {
		return command.Status{}, failed("The pod %s of the command does not exist any more: something else has deleted it", w.state.pod)
	}
	if err != nil {
		return w.lookAgain(ctx, err)
	}
	status, err := w.inspect(pod, func() error { return w.copyLog(ctx) })
	switch {
	case err == nil:
		return status, nil
	case mayPass(err):
		return w.lookAgain(ctx, err)
	case ctx.Err() != nil:
		return w.goOn(soon), nil //nolint:nilerr // as in lookAgain
	}
	w.giveUp(ctx)
	return command.Status{}, err
}

func failed(format string, args ...any) error {
	return &command.Error{Kind: "runtime", Message: fmt.Sprintf(format, args...)}
}

func (w *watch) path() string { return w.client.pods() + "/" + w.state.pod }

// goOn returns the status of a command that is to be looked at again.
func (w *watch) goOn(in time.Duration) command.Status {
	return command.Status{IODir: w.state.ioDir, State: w.state.stored(), PollIn: in}
}

// lookAgain repeats a look that failed, unless the error is there to stay.
func (w *watch) lookAgain(ctx context.Context, err error) (command.Status, error) {
	if ctx.Err() != nil {
		return w.goOn(soon), nil //nolint:nilerr // the process ends, and the command goes on
	}
	if w.state.failed++; w.state.failed > mostFailed || !mayPass(err) && !w.state.ended {
		w.giveUp(ctx)
		return command.Status{}, told("cannot look at the pod "+w.state.pod, err)
	}
	w.log.WarnContext(ctx, "cannot look at the pod; trying again", slog.Any("error", err))
	return w.goOn(w.executor.times.failed), nil
}

// giveUp deletes a pod whose task fails.
func (w *watch) giveUp(ctx context.Context) {
	if err := w.deletePod(ctx); err != nil {
		w.log.ErrorContext(ctx, "the pod of the command may still run", slog.String("pod", w.state.pod), slog.Any("error", err))
	}
}

// inspect decides by the status of the pod what comes next. The pod is deleted after an error.
func (w *watch) inspect(pod *param.Map, copyLog func() error) (command.Status, error) {
	phase, container := textAt(pod, "status", "phase"), first(pod, "status", "containerStatuses")
	over := phase == "Succeeded" || phase == "Failed"
	if waiting := mapAt(container, "state", "waiting"); !over && (phase == "Pending" || phase == "" || waiting != nil) {
		w.state.failed = 0
		return w.waits(pod, waiting)
	}
	if err := copyLog(); err != nil {
		return command.Status{}, err
	}
	w.state.failed = 0 // the log is part of a look
	if !over {
		return w.goOn(0), w.checkAge()
	}
	ended := mapAt(container, "state", "terminated")
	w.state.limit = exceeded(pod, ended)
	if err := w.readEnd(pod, ended); err != nil {
		return command.Status{}, err
	}
	w.state.ended = true
	return w.goOn(soon), nil
}

// readEnd notes how the container of a pod that is over has ended. The error says why there is no exit code of the command.
func (w *watch) readEnd(pod, ended *param.Map) error {
	reason, message := textAt(pod, "status", "reason"), textAt(pod, "status", "message")
	code, hasCode := param.AsInt(at(ended, "exitCode"))
	switch {
	case w.state.limit != nil:
	case reason == reasonDeadline:
		return w.timeout()
	case reason == reasonEvicted:
		return failed("The pod %s of the command was evicted: %s", w.state.pod, message)
	case ended == nil || !hasCode:
		return failed("The pod %s of the command has failed: %s", w.state.pod, cmpText(message, cmpText(reason, "the cluster gives no reason")))
	case textAt(ended, "reason") == "StartError" || textAt(ended, "reason") == "ContainerCannotRun":
		return failed("The container cannot start: %s; its image needs bash, curl and tar", textAt(ended, "message"))
	}
	if w.state.exit = code; !hasCode {
		w.state.exit = 137
	}
	if code != 0 && textAt(ended, "reason") != "Error" {
		w.state.message = cmpText(textAt(ended, "message"), textAt(ended, "reason"))
	}
	return nil
}

// waits is about a pod that has not started yet. What will never start is an error.
func (w *watch) waits(pod, waiting *param.Map) (command.Status, error) {
	reason, message := textAt(waiting, "reason"), textAt(waiting, "message")
	now := w.executor.now()
	switch {
	case slices.Contains([]string{"InvalidImageName", "ErrImageNeverPull", "CreateContainerConfigError", "CreateContainerError", "RunContainerError"}, reason):
		return command.Status{}, failed("The pod %s of the command cannot start: %s: %s", w.state.pod, reason, message)
	case reason == "ErrImagePull" || reason == "ImagePullBackOff":
		if w.state.waiting == 0 {
			w.state.waiting = now.Unix()
		}
		if now.Sub(time.Unix(w.state.waiting, 0)) >= w.executor.times.pull {
			return command.Status{}, failed("The image %s of the command cannot be pulled: %s: %s",
				textAt(first(pod, "spec", "containers"), "image"), reason, message)
		}
	default:
		w.state.waiting = 0
	}
	line := fmt.Sprintf("Wait starting a pod. The current pod phase is %s ...", textAt(pod, "status", "phase")) // operators 4.5
	if detail := waitingFor(pod, reason); detail != "" {
		line += " (" + detail + ")"
	}
	if _, err := fmt.Fprintln(w.request.Output, line); err != nil {
		return command.Status{}, err
	}
	return w.goOn(0), w.checkAge()
}

// waitingFor says what keeps a pod from starting, as far as the cluster does.
func waitingFor(pod *param.Map, reason string) string {
	conditions, _ := at(pod, "status", "conditions").(param.List)
	for _, one := range conditions {
		condition, _ := one.(*param.Map)
		if textAt(condition, "type") == "PodScheduled" && textAt(condition, "status") == "False" {
			return textAt(condition, "reason") + ": " + textAt(condition, "message")
		}
	}
	return reason
}

// checkAge fails if the pod has had its time.
func (w *watch) checkAge() error {
	if w.cluster.podTTL == 0 || w.executor.now().Sub(time.Unix(w.state.created, 0)) < w.cluster.podTTL {
		return nil
	}
	return w.timeout()
}

func (w *watch) timeout() error {
	return failed("Pod execution timeout: attempt=%d, task=%d", w.request.Try.Attempt, w.request.Try.Task) // operators 4.5
}

// finish takes over the files of a pod that is over, and deletes it.
func (w *watch) finish(ctx context.Context) (command.Status, error) {
	_, out, err := w.executor.stores(ctx)
	if err != nil {
		return command.Status{}, err
	}
	retry, fetchErr := transfer.Fetch(ctx, out, &transfer.Left{
		Key: w.state.output, ExitCode: w.state.exit, MostBytes: w.request.Limits.Disk, Failed: w.state.failed,
	}, w.request.Project)
	if retry && w.state.failed < mostFailed {
		return w.lookAgain(ctx, fetchErr)
	}
	if err := w.deletePod(ctx); err != nil {
		if mayPass(err) && w.state.failed < mostFailed {
			return w.lookAgain(ctx, err)
		}
		w.log.ErrorContext(ctx, "the pod of the command cannot be deleted", slog.String("pod", w.state.pod), slog.Any("error", err))
	}
	if fetchErr != nil {
		return command.Status{}, fetchErr
	}
	if w.state.exit != 0 && w.state.message != "" {
		w.log.ErrorContext(ctx, "the cluster says why the container has ended", slog.String("reason", w.state.message))
	}
	return command.Status{
		Finished: true, ExitCode: w.state.exit, Message: w.state.message, IODir: w.state.ioDir, State: w.state.stored(), Exceeded: w.state.limit,
	}, nil
}

// deletePod deletes the pod. It is no error if there is none.
func (w *watch) deletePod(ctx context.Context) error {
	if w.state.pod == "" {
		return nil
	}
	_, err := w.client.call(context.WithoutCancel(ctx), http.MethodDelete, w.path(),
		param.Of("apiVersion", "v1", "kind", "DeleteOptions", "gracePeriodSeconds", int64(graceSeconds)))
	if statusOf(err) == http.StatusNotFound {
		return nil
	}
	if refused, ok := errors.AsType[*apiError](err); ok {
		return refused
	}
	return err
}
