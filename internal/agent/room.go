package agent

import (
	"context"
	"log/slog"
	"time"

	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/operator"
)

// How long an agent without room takes nothing before it tries whether it can write again. The pauses grow,
// also over several times without room that follow soon on each other.
const (
	firstPause = 5 * time.Second
	lastPause  = time.Minute
)

// room is what an agent knows of the disk for the files of its tries. But for ctx and end it is guarded by
// the agent's mutex.
type room struct {
	ctx     context.Context //nolint:containedctx // ends the wait for room; canceled by Rest and Stop
	end     context.CancelFunc
	missing string        // why nothing is taken until there is room again; empty if there is
	pause   time.Duration // the last one
	again   time.Time     // when there was room again, the last time
}

// hasNoRoom reports whether a try could not be begun since the agent has no room for its files: the disk is full,
// or its folder cannot be written to. Such a try is given back and the agent takes nothing new for a while.
// What a task has begun is its own affair, also if it has filled the disk.
func (t *try) hasNoRoom(outcome *operator.Outcome, err error, log *slog.Logger) bool {
	files := t.agent.opts.Workspaces
	if err == nil && outcome.Again != nil {
		err = outcome.Again.Cause // _retry
	}
	if files == nil || err == nil || t.started.Load() {
		return false
	}
	missing := files.Room(err)
	if missing == nil {
		return false
	}
	log.Warn("This agent has no room for the files of the task, which is given back to run elsewhere or later", slog.Any("error", missing))
	t.agent.pause(missing)
	return true
}

// pause takes nothing new until files can be written again.
func (a *Agent) pause(missing *archive.RoomError) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.room.missing != "" || a.resting {
		return
	}
	a.room.missing = missing.Error()
	if a.room.pause = min(2*a.room.pause, lastPause); a.room.pause == 0 || a.opts.Now().Sub(a.room.again) > lastPause {
		a.room.pause = firstPause
	}
	a.opts.Log.Error("this agent has no room for the files of tasks: it gives them back, and takes none until it can write again",
		slog.Any("error", missing), slog.String("fix", "free space in "+missing.Dir+", or let this user write there"))
	if a.opts.Pause != nil {
		a.opts.Pause(a.room.missing)
	}
	length := a.room.pause
	a.running.Go(func() { a.awaitRoom(missing.Dir, length) }) // its caller runs, so that Wait knows of it
}

// awaitRoom tries to write, at first after a pause, and ends when that works or the agent takes nothing more.
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
		length = min(2*length, lastPause)
		timer.Reset(length)
	}
	a.mu.Lock()
	a.room.missing, a.room.pause, a.room.again = "", length, a.opts.Now()
	a.opts.Log.Info("this agent has room for the files of tasks again, and takes them", slog.String("dir", dir))
	if a.opts.Pause != nil {
		a.opts.Pause("")
	}
	a.mu.Unlock()
	a.opts.Wake()
}
