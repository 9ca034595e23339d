package docker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

// Labels of containers.
const (
	labelTry     = "trowel.try"     // TASK-NUMBER
	labelTask    = "trowel.task"    // full name of the task
	labelProcess = "trowel.process" // mark of the process that has started the container, see Journal
	labelRun     = "trowel.run"     // of a container whose name the task gives: random, as others may have that name
)

// Options are what an Executor needs.
type Options struct {
	Local *command.Local // runs the client
	// Journal notes what must be known to remove containers if this process is killed; may be nil.
	Journal *Journal
	Log     *slog.Logger
}

// Executor runs commands in containers. It runs those of tasks with a block "docker"; for others Run returns
// command.ErrNotAsked.
//
// A container has ended when its task has: the client waits for the first process of the container, and the engine removes the
// container with all its processes. When the context of Run ends, the client gets SIGTERM, which it passes on to that first
// process, and after the Grace of the Local the container is removed.
type Executor struct {
	options Options
	builds  builds
}

// New returns an Executor.
func New(options Options) *Executor {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	return &Executor{options: options}
}

// Run implements command.Executor. It returns when the command has ended.
func (e *Executor) Run(ctx context.Context, r *command.Request) (command.Status, error) {
	options, err := readOptions(r.Params)
	if err != nil {
		return command.Status{}, err
	}
	c := &container{executor: e, request: r, options: options, client: client{local: e.options.Local, program: options.client}}
	if c.log = r.Log; c.log == nil {
		c.log = e.options.Log
	}
	if r.Started != nil {
		c.started = sync.OnceFunc(r.Started)
	}
	return c.run(ctx)
}

// Poll implements command.Executor. The command of a container is always waited for.
func (*Executor) Poll(context.Context, *command.Request, *param.Map) (command.Status, error) {
	return command.Status{}, errNoState
}

// Stop implements command.Executor. A container is ended by the context of Run.
func (*Executor) Stop(context.Context, *command.Request, *param.Map) error { return errNoState }

var errNoState = errors.New("the command was started by another command executor than \"docker\"")

// container is the container of one command.
type container struct {
	executor *Executor
	request  *command.Request
	options  *options
	client   client
	log      *slog.Logger
	started  func() // may be nil

	name  string
	label string // NAME=VALUE, which only this container has; empty if its name is its own
}

// run prepares the image and runs the command.
func (c *container) run(ctx context.Context) (command.Status, error) {
	vars, err := c.variables() // before prepare, which may give the project to the user of commands
	if err != nil {
		return command.Status{}, err
	}
	defer vars.remove()
	image, err := c.prepare(ctx)
	if err != nil {
		return command.Status{}, err
	}
	if c.name = c.options.ownName(); c.name == "" {
		c.name = "trowel-" + c.request.Try.ID() + "-" + strings.ToLower(rand.Text()[:8])
	} else {
		c.label = labelRun + "=" + strings.ToLower(rand.Text())
	}
	mark, err := c.executor.options.Journal.begin(c.options.client)
	if err != nil {
		return command.Status{}, fmt.Errorf("note the client of the container: %w", err)
	}
	args := c.arguments(image, mark, vars)
	return c.watch(ctx, args, vars.env)
}

// arguments returns the command line of the client (operators 4.3).
func (c *container) arguments(image, mark string, vars *variables) []string {
	o, r := c.options, c.request
	args := append([]string{o.client, "run"}, o.run...)
	if !c.inspects() {
		args = append(args, "--rm")
	}
	args = append(args, "--name", c.name, "--cidfile", c.idPath(), "--label", labelTry+"="+r.Try.ID(), "--label", labelTask+"="+r.Try.Name)
	if mark != "" {
		args = append(args, "--label", labelProcess+"="+mark)
	}
	if c.label != "" {
		args = append(args, "--label", c.label)
	}
	args = append(args, c.limitOptions()...)
	mount := r.Project + ":" + r.Project + ":rw"
	if o.selinux {
		mount += ",Z"
	}
	args = append(args, "-v", mount, "-w", r.Dir())
	args = append(args, vars.options...)
	args = append(args, image)
	return append(args, r.Args...)
}

// watch runs the client and sees to it that the container has ended afterwards.
func (c *container) watch(ctx context.Context, args, env []string) (command.Status, error) {
	told := &tail{to: c.request.Output}
	request := *c.request
	request.Args, request.Env, request.Started, request.Output = args, env, c.started, told
	request.Limits = command.Limits{Disk: request.Limits.Disk} // the engine keeps the others
	used := c.watchUsage(ctx)
	status, err := c.executor.options.Local.Run(ctx, &request)
	used.end()
	status.Usage = used.usage
	if err == nil && status.Exceeded == nil {
		status.Exceeded = c.exceeded(ctx, status.ExitCode, used, told.text())
	}
	if c.mayRun(ctx, &status, err) || c.inspects() && !isNotStarted(err) {
		c.remove(ctx)
	}
	if err != nil {
		return command.Status{Usage: used.usage}, err
	}
	if status.ExitCode != 0 {
		c.explain(ctx, status.ExitCode, told.text())
	}
	status.Owner, status.Foreign = nil, true
	return status, nil
}

// mayRun reports whether the container may still run: its client was ended, or has lost the engine.
func (*container) mayRun(ctx context.Context, status *command.Status, err error) bool {
	if err != nil {
		return !isNotStarted(err)
	}
	return ctx.Err() != nil || status.ExitCode == exitEngine || status.ExitCode > exitNotFound
}

// projectTemp is the directory for temporary files of a project.
func (c *container) projectTemp() string { return filepath.Join(c.request.Project, ".digdag", "tmp") }
