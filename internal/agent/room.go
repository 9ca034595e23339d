package agent

import (
	"context"
	"log/slog"
	"time"

	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/operator"
)

// How long an agent without disk space waits before it tries to write again. The delays grow, also from one suspension
// to the next if they follow closely.
const (
	firstDelay   = 5 * time.Second
	longestDelay = time.Minute
)

// room is what an agent knows about the disk for the files of its tries. All but ctx and end are guarded by the agent's
// mutex.
type room struct {
	ctx     context.Context //nolint:containedctx // ends the wait for room; canceled by Drain and Stop
	end     context.CancelFunc
	missing string        // why no tasks are taken until there is room; empty if there is
	delay   time.Duration // the last delay
	again   time.Time     // when room came back the last time
}

// hasNoRoom reports whether a try could not begin because the agent cannot write its files: the disk is full, or its
// directory is not writable. Such a try is given back, and the agent suspends taking tasks. A task that has begun must
// handle a full disk itself.
func (t *try) hasNoRoom(outcome *operator.Outcome, err error, log *slog.Logger) bool {
	files := t.agent.opts.Workspaces
	if err == nil && outcome.Again != nil {
		err = outcome.Again.Cause // a _retry hides the cause
	}
	if files == nil || err == nil || t.started.Load() {
		return false
	}
	missing := files.Room(err)
	if missing == nil {
		return false
	}
	log.Warn("This agent has no room for the files of the task, which is given back to run elsewhere or later", slog.Any("error", missing))
	t.agent.suspend(missing)
	return true
}

// suspend suspends taking tasks until files can be written again.
func (a *Agent) suspend(missing *archive.RoomError) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.room.missing != "" || a.draining {
		return
	}
	a.room.missing = missing.Error()
	if a.room.delay = min(2*a.room.delay, longestDelay); a.room.delay == 0 || a.opts.Now().Sub(a.room.again) > longestDelay {
		a.room.delay = firstDelay
	}
	a.opts.Log.Error("this agent has no room for the files of tasks: it gives them back, and takes none until it can write again",
		slog.Any("error", missing), slog.String("fix", "free space in "+missing.Dir+", or let this user write there"))
	if a.opts.Suspended != nil {
		a.opts.Suspended(a.room.missing)
	}
	length := a.room.delay
	a.running.Go(func() { a.awaitRoom(missing.Dir, length) }) // the caller's try still runs, so Wait waits for this too
}

// awaitRoom tries to write after growing delays. It ends when that works or the agent stops taking tasks.
func (a *Agent) awaitRoom(dir string, length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	for {
		select {
		case <-a.room.ctx.Done():
			return
		case <-timer.C:
		}
		if a.opts.Workspaces.Probe() == nil {
			break
		}
		length = min(2*length, longestDelay)
		timer.Reset(length)
	}
	a.mu.Lock()
	a.room.missing, a.room.delay, a.room.again = "", length, a.opts.Now()
	a.opts.Log.Info("this agent has room for the files of tasks again, and takes them", slog.String("dir", dir))
	if a.opts.Suspended != nil {
		a.opts.Suspended("")
	}
	a.mu.Unlock()
	a.opts.Wake()
}
