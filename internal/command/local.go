package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// LocalOptions are the settings of a Local; all zero values are sensible.
type LocalOptions struct {
	// Env is the environment of all commands, as NAME=value; the Request's entries take precedence.
	Env []string
	// User is the user that commands run as; nil for the user of this process. The directory Project of each request is
	// given to that user, with all files, so this process must have created it only for the command.
	User *User
	// Starts is how many commands may be starting at the same time; 4 x cores if zero. It does not limit how many run,
	// see startTime.
	Starts int
	// Grace is the time between asking a command to end and killing it; 10 s if zero.
	Grace time.Duration
	// KillNow, once closed, ends the Grace of all commands that were asked to end.
	KillNow <-chan struct{}
	// Groups keep the limits of commands, and measure what they use. Without them the processes of commands are looked at.
	Groups *Groups
	// Journal notes the processes, so that they can be ended if this process is killed; may be nil.
	Journal *Journal
	Log     *slog.Logger
}

// startTime is how long a command counts as starting, unless it ends before. So short commands run a few at a time,
// which is fastest, and others do not wait for each other.
const startTime = 10 * time.Millisecond

// defaultGrace is kill_grace of the design, section 9.
const defaultGrace = 10 * time.Second

// Local runs commands as child processes in their own sessions.
//
// A command has ended when its process has ended and its output is closed. Processes that it left behind ("sleep 100 &")
// and that hold its output are part of it and are waited for, as in Digdag, so users need not write "wait"; after some
// time a warning says so. But a daemon cannot block its task: a process that has left the command's session (setsid,
// daemon(3)) is not waited for, and the output is closed soon after everything else has ended. Processes that have
// closed or redirected their output are left alone.
//
// When the context ends, all processes of the session get SIGTERM and, after Grace, SIGKILL. If the context's cause is
// ErrKill or KillNow is closed, they get SIGKILL at once. Windows has no such signals: the group gets Ctrl-Break, and
// then the process tree is ended.
type Local struct {
	options  LocalOptions
	env      environment
	gate     chan struct{}
	chunks   sync.Pool
	sessions sessions
	watch    supervisor
}

// NewLocal returns a Local.
func NewLocal(options LocalOptions) *Local {
	if options.Starts <= 0 {
		options.Starts = 4 * runtime.GOMAXPROCS(0)
	}
	if options.Grace <= 0 {
		options.Grace = defaultGrace
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.User != nil {
		dropInherited()
	}
	env := newEnvironment(options.Env)
	env.others = options.User != nil
	mark := newMark()
	if options.Journal != nil {
		mark = options.Journal.mark
	}
	env.add(markVariable(env.value(markName), mark))
	return &Local{
		options: options,
		env:     env,
		gate:    make(chan struct{}, options.Starts),
		watch:   supervisor{groups: options.Groups, mark: mark},
		chunks:  sync.Pool{New: func() any { return new([chunkBytes]byte) }},
	}
}

// Run implements Executor. It returns when the command has ended. A command that could not be started is a *StartError.
// If ctx ended the command, the error is the cause of ctx. Failing to write output is an error, too, but does not affect
// the command.
func (l *Local) Run(ctx context.Context, r *Request) (Status, error) {
	leave, err := l.enter(ctx)
	if err != nil {
		return Status{}, err
	}
	c, watch, err := l.start(ctx, r)
	if err != nil {
		leave()
		return Status{}, err
	}
	started := sync.OnceFunc(func() {
		leave()
		if r.Started != nil {
			r.Started()
		}
	})
	defer time.AfterFunc(startTime, started).Stop()
	writeErr := c.finish(ctx, r.Output, l.options.Grace, l.options.KillNow)
	started()
	left := c.proc.groupAlive()
	l.options.Journal.end(c.line, left)
	usage, exceeded := watch.end(ctx, c.exit != 0, c.stopped, c.proc.used)
	switch {
	case exceeded != nil:
	case c.stopped:
		return Status{Usage: usage}, fmt.Errorf("the command was stopped: %w", context.Cause(ctx))
	case c.waitErr != nil:
		return Status{Usage: usage}, fmt.Errorf("wait for the command: %w", c.waitErr)
	case writeErr != nil:
		return Status{Usage: usage}, fmt.Errorf("write the output of the command: %w", writeErr)
	}
	return Status{
		Finished: true, ExitCode: c.exit, IODir: r.IODir, Left: left, Owner: l.options.User, Usage: usage, Exceeded: exceeded,
	}, nil
}

// Kept returns the limits that a Local keeps, with control groups or, if they are nil, without.
func Kept(groups *Groups) []string {
	switch {
	case groups != nil:
		return []string{trowel.LimitMemory, trowel.LimitCPU, trowel.LimitPIDs, trowel.LimitDisk}
	case canLook:
		return []string{trowel.LimitMemory, trowel.LimitPIDs, trowel.LimitDisk}
	}
	return []string{trowel.LimitDisk}
}

// Poll implements Executor. A local command is always waited for, so the state must come from another executor that was
// configured when the command was started.
func (l *Local) Poll(context.Context, *Request, *param.Map) (Status, error) {
	return Status{}, errNotLocal()
}

// Stop implements Executor. A local command is ended by the context of Run.
func (l *Local) Stop(context.Context, *Request, *param.Map) error { return errNotLocal() }

func errNotLocal() error {
	return errors.New("the command was started by another command executor than \"simple\"")
}

// enter waits until another command may start. leave makes room for the next one.
func (l *Local) enter(ctx context.Context) (leave func(), err error) {
	select {
	case l.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if ctx.Err() != nil {
		<-l.gate
		return nil, context.Cause(ctx)
	}
	return func() { <-l.gate }, nil
}

// launch is everything a process starts with, except its command line.
type launch struct {
	dir  string
	env  []string
	out  *os.File
	user *User // nil for the user of this process

	group *group // nil for that of this process
}

func (l *Local) start(ctx context.Context, r *Request) (*child, *supervision, error) {
	dir, program := r.Dir(), r.Args[0]
	paths, err := l.env.lookPath(dir, program)
	if err != nil {
		return nil, nil, &StartError{Program: program, Dir: dir, Err: err}
	}
	if user := l.options.User; user != nil && !r.outside {
		if err := user.handOver(r.Project); err != nil {
			return nil, nil, fmt.Errorf("give the files of the command to its user: %w", err)
		}
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("make a pipe for the output: %w", err)
	}
	defer writer.Close() //nolint:errcheck // the child has its own
	watch, err := l.watch.prepare(r.Limits)
	if err != nil {
		reader.Close() //nolint:errcheck,gosec // nothing was read
		return nil, nil, err
	}
	how := &launch{dir: dir, env: l.env.with(r.Env), out: writer, user: l.options.User, group: watch.group}
	l.env.replace(how.env, markName, watch.marked)
	var proc *process
	for _, path := range paths {
		if proc, err = l.sessions.startProcess(path, r.Args, how); !errors.Is(err, fs.ErrPermission) {
			break
		}
	}
	if err != nil {
		reader.Close() //nolint:errcheck,gosec // nothing was read
		watch.cancel()
		return nil, nil, &StartError{Program: program, Dir: dir, Err: err}
	}
	c := &child{
		proc: proc, output: reader, chunks: &l.chunks, name: program, log: cmp.Or(r.Log, l.options.Log), line: l.options.Journal.begin(proc.id()),
	}
	watch.begin(ctx, c, r.Project)
	return c, watch, nil
}
