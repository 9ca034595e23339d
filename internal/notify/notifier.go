package notify

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Sender sends a notification once. It is safe for concurrent use.
type Sender interface {
	Send(ctx context.Context, n Notification) error
}

// Options say how often and when a Notifier tries again.
type Options struct {
	Retries int           // number of tries after the first one
	MinWait time.Duration // before the first retry; it grows threefold each time (operators 2.11)
	MaxWait time.Duration
	Log     *slog.Logger
}

// Limits of a Notifier's queue, and of what it sends at the same time.
const (
	queueLength = 1000
	senders     = 4
)

// Notifier sends notifications and tries again what fails. It is safe for concurrent use.
type Notifier struct {
	sender Sender
	opts   Options
	queue  chan Notification
}

// New returns a Notifier. Post only has an effect while Run runs.
func New(sender Sender, opts Options) *Notifier {
	return &Notifier{sender: sender, opts: opts, queue: make(chan Notification, queueLength)}
}

// Notify sends a notification and waits until it is sent. If all retries have failed it returns the
// error of the last one. It also returns when ctx ends. A notification that is sent twice arrives twice.
func (n *Notifier) Notify(ctx context.Context, notification Notification) error {
	wait := n.opts.MinWait
	for try := 0; ; try++ {
		err := n.sender.Send(ctx, notification)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("send notification: %w", context.Cause(ctx))
		}
		if try >= n.opts.Retries {
			return fmt.Errorf("send notification, try %d: %w", try+1, err)
		}
		n.opts.Log.Warn("notification failed, it is tried again", slog.Int("try", try+1), slog.Duration("wait", wait), slog.Any("error", err))
		if err := pause(ctx, wait); err != nil {
			return fmt.Errorf("send notification: %w", err)
		}
		wait = n.next(wait)
	}
}

// next returns the wait after another one.
func (n *Notifier) next(wait time.Duration) time.Duration {
	if wait > n.opts.MaxWait/3 {
		return n.opts.MaxWait
	}
	return wait * 3
}

func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Post makes Run send a notification and does not wait. If too many are waiting it is dropped, with
// a line in the log.
func (n *Notifier) Post(notification Notification) {
	select {
	case n.queue <- notification:
	default:
		n.opts.Log.Error("notification dropped: too many are waiting", attributes(&notification)...)
	}
}

// Run sends what is posted, a few at a time, until ctx ends. It returns when nothing is being sent
// any more. Notifications that still wait are dropped, with a line in the log for each.
func (n *Notifier) Run(ctx context.Context) error {
	var running sync.WaitGroup
	for range senders {
		running.Go(func() { n.sendPosted(ctx) })
	}
	running.Wait()
	for {
		select {
		case notification := <-n.queue:
			n.opts.Log.Error("notification dropped: the server stops", attributes(&notification)...)
		default:
			return nil
		}
	}
}

// sendPosted sends one posted notification after the other.
func (n *Notifier) sendPosted(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case notification := <-n.queue:
			if err := n.Notify(ctx, notification); err != nil {
				n.opts.Log.Error("notification lost", append(attributes(&notification), slog.Any("error", err))...)
			}
		}
	}
}

// attributes returns log attributes that describe a notification.
func attributes(n *Notification) []any {
	return []any{
		slog.String("message", n.Message), slog.String("project", n.ProjectName), slog.String("workflow", n.WorkflowName),
		slog.Int64("attempt_id", int64(n.AttemptID)), slog.String("task", n.TaskName),
	}
}
