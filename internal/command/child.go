package command

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"
)

// chunkBytes is how much output is copied at once (operators 3.1).
const chunkBytes = 16 << 10

// drainTime is how long output is still read from processes that are not waited for. Then what the pipe still has is
// read, because the writer of the output may be slow: at most pipeBytes, as the processes may print for ever, and each
// chunk within pieceTime.
const (
	drainTime = time.Second
	pipeBytes = 1 << 20
	pieceTime = 10 * time.Millisecond
)

// The process of a command is looked for this long after its start, and again after double the time, up to the longest
// interval. Most commands have ended before the first look.
const (
	firstLook = time.Second
	lastPause = 8 * time.Second
)

// child is a running command: the leader of a session and a process group, with the pipe for the output of all their
// processes.
type child struct {
	proc   *process
	output *os.File
	chunks *sync.Pool // of *[chunkBytes]byte
	name   string     // of the program, for the log
	log    *slog.Logger
	line   journalLine

	mu      sync.Mutex // guards the fields below; while it is held, no signal is sent to a group that is gone
	reaped  bool       // the process has ended; exit and waitErr are set
	exit    int
	waitErr error
	waiting bool // finish waits for the process, so nobody else may
	gone    bool // the process and all of its session have ended
	stopped bool // it was asked to end because its context ended
	warned  bool
	timer   *time.Timer // calls look
	pause   time.Duration
}

// finish copies the output until it is closed, waits for the process and returns its exit code. When ctx ends, it ends
// the command. The error is the first one of writing the output.
func (c *child) finish(ctx context.Context, out io.Writer, grace time.Duration, killNow <-chan struct{}) (writeErr error) {
	over, stopped := make(chan struct{}), make(chan struct{})
	unhook := context.AfterFunc(ctx, func() {
		defer close(stopped)
		c.stop(errors.Is(context.Cause(ctx), ErrKill), grace, killNow, over)
	})
	c.mu.Lock()
	c.pause = firstLook
	c.timer = time.AfterFunc(c.pause, c.look)
	c.mu.Unlock()
	writeErr = c.copy(out)
	c.wait()
	close(over)
	if !unhook() {
		<-stopped
	}
	c.output.Close() //nolint:errcheck,gosec // was only read from
	return writeErr
}

// copy copies the output until it is closed or given up. If writing fails it still reads the output, because the command
// would fail otherwise.
func (c *child) copy(out io.Writer) (writeErr error) {
	chunk, _ := c.chunks.Get().(*[chunkBytes]byte)
	defer c.chunks.Put(chunk)
	left, givenUp := pipeBytes, false
	for {
		n, err := c.output.Read(chunk[:])
		if n > 0 && writeErr == nil {
			_, writeErr = out.Write(chunk[:n])
		}
		late := errors.Is(err, os.ErrDeadlineExceeded)
		if late && !givenUp {
			c.tellHeld()
		}
		if givenUp {
			left -= n
		}
		if err != nil && (!late || givenUp) || left <= 0 {
			return writeErr
		}
		if givenUp = givenUp || late; givenUp {
			c.output.SetReadDeadline(time.Now().Add(pieceTime)) //nolint:errcheck,gosec // a pipe has deadlines
		}
	}
}

// tellHeld logs that the command has ended by itself, but its output is still open.
func (c *child) tellHeld() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stopped {
		c.log.Warn("the command has ended; its output, which another process still holds, is closed",
			slog.String("program", c.name))
	}
}

// wait waits for the process, unless it is known to have ended.
func (c *child) wait() {
	c.mu.Lock()
	c.waiting = true
	c.timer.Stop()
	reaped := c.reaped
	c.mu.Unlock()
	if reaped {
		return
	}
	exit, err := c.proc.wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reaped, c.exit, c.waitErr = true, exit, err
}

// look checks whether the process has ended while something still holds its output open. If that is a process of its
// session, look logs it. Otherwise the output is given up unless it is closed soon: on a busy machine a command of
// another task that is just starting may hold it for a moment.
func (c *child) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting {
		return
	}
	if !c.reaped {
		c.exit, c.reaped, c.waitErr = c.proc.tryWait()
	}
	switch {
	case !c.reaped:
	case !c.alive():
		c.giveUpOutput()
		return
	case !c.warned:
		c.warned = true
		c.log.Warn("the command has ended, but processes that it left behind hold its output; waiting for them",
			slog.String("program", c.name))
	}
	c.pause = min(2*c.pause, lastPause)
	c.timer.Reset(c.pause)
}

// alive reports whether the process or any process of its session is left. The caller holds mu.
func (c *child) alive() bool {
	if !c.gone {
		c.gone = c.reaped && !c.proc.sessionAlive()
	}
	return !c.gone
}

// giveUpOutput ends copy after drainTime.
func (c *child) giveUpOutput() {
	c.output.SetReadDeadline(time.Now().Add(drainTime)) //nolint:errcheck,gosec // a pipe has deadlines
}

// stop asks the command to end. After grace it kills the process and its whole session. It returns when nothing is left
// to end.
func (c *child) stop(atOnce bool, grace time.Duration, killNow, over <-chan struct{}) {
	if !c.send(c.proc.terminate) {
		return
	}
	if !atOnce && c.awaitEnd(grace, killNow, over) {
		return
	}
	c.send(c.proc.kill)
	c.giveUpOutput()
	c.awaitEnd(drainTime, nil, over)
}

// killNow kills the process and its whole session, because of a limit. What holds the output afterwards is not waited for.
func (c *child) killNow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.alive() {
		c.proc.kill()
	}
	c.giveUpOutput()
}

// send sends a signal unless the command is gone, and reports whether it did.
func (c *child) send(signal func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.alive() {
		return false
	}
	c.stopped = true
	signal()
	return true
}

// awaitEnd waits until the command has ended and its session is empty. It reports false if grace has passed or killNow
// was closed before that.
func (c *child) awaitEnd(grace time.Duration, killNow, over <-chan struct{}) bool {
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	select {
	case <-over:
	case <-deadline.C:
		return false
	case <-killNow:
		return false
	}
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		c.mu.Lock()
		alive := c.alive()
		c.mu.Unlock()
		if !alive {
			return true
		}
		next := time.NewTimer(pause)
		select {
		case <-next.C:
		case <-deadline.C:
			return false
		case <-killNow:
			return false
		}
	}
}
