package daemon

import (
	"context"
	"fmt"
	"io"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/advice"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/docker"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/notify"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/builtin"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/tasklog"
	"github.com/trowel-project/trowel/internal/template"
	"github.com/trowel-project/trowel/internal/version"
)

// localAgent is the agent in this process, be it a server's or that of an agent process, and what its tries need. Its
// fields are in the order in which they are made.
type localAgent struct {
	*process

	user       *command.User // that commands run as; nil for the user of this process
	workspaces *archive.Workspaces
	mask       *secret.Mask // for the output of tasks; nil if it is shown as it is
	gatherer   *tasklog.Gatherer
	templates  *template.Evaluator
	notifier   *notify.Notifier
	params     operator.ParamServer
	operators  operator.Table
	groups     *command.Groups // of commands; nil where there are none
	killNow    chan struct{}   // closed to kill commands that do not end when they should
	commands   command.Executor
	agent      *agent.Agent

	leftContainers []docker.Left // of earlier processes, whose engine did not answer
}

func newLocalAgent(p *process) *localAgent {
	return &localAgent{process: p, killNow: make(chan struct{})}
}

// openWorkspaces makes the folder for the files of tries. An error says what to do about one of that use.
func (a *localAgent) openWorkspaces(ctx context.Context, fetch archive.Fetch, use fix.Use) (err error) {
	if a.workspaces, err = archive.NewWorkspaces(archive.WorkspaceOptions{
		Dir: a.workspaceDir(), Fetch: fetch, Log: a.log, Passable: a.user != nil, Abandoned: a.endAbandoned(ctx),
	}); err != nil {
		return use.Failed(fmt.Errorf("make a folder for the files of tasks: %w", err))
	}
	a.onClose(a.workspaces.Close)
	return nil
}

// openGatherer makes what gathers the output of tries. The options have what differs: where output goes, and the clock.
func (a *localAgent) openGatherer(options tasklog.GathererOptions) {
	logs := &a.settings.Logs
	options.Agent, options.Level, options.SplitBytes, options.Logger = a.agentName(), a.opts.LogLevel, logs.SplitBytes, a.log
	if logs.MaskSecrets {
		a.mask = secret.NewMask(secret.OutputChars)
		options.Mask = func(to io.Writer) io.WriteCloser { return a.mask.Writer(to) }
	}
	a.gatherer = tasklog.NewGatherer(options)
}

// openNotifier makes what evaluates templates and notifies people.
func (a *localAgent) openNotifier(ctx context.Context) (err error) {
	a.templates = template.New(template.Options{})
	a.notifier, err = newNotifier(ctx, &a.settings.Notification, a.templates, a.log)
	return err
}

// openOperators makes the operators. params keeps the values of param_set>, unless a setting names another place.
func (a *localAgent) openOperators(params operator.ParamServer) error {
	options, err := builtin.Read(a.operatorSetting, a.opts.lookup, version.UserAgent)
	if err != nil {
		return err
	}
	if options.Params == nil {
		options.Params = params
	}
	options.LogOnly = true
	a.params, a.operators = options.Params, builtin.Table(options)
	return nil
}

// openAgent makes the agent. The options have what differs: id and slots, where secrets, sessions and reports come from and
// go to.
func (a *localAgent) openAgent(ctx context.Context, o agent.Options) {
	o.Queues, o.Labels, o.Limits = a.settings.Agent.Queues, a.settings.Agent.Labels, a.keptLimits()
	o.Operators, o.Templates, o.Commands, o.Notifier = a.operators, a.templates, a.commands, taskNotifier{a.notifier}
	o.Now, o.OpenLog, o.Advice, o.Log = a.opts.Now, a.openLog, advice.OnServer, a.log
	a.agent = agent.New(ctx, o)
}

// hidden returns a Finder whose secrets are hidden from then on, wherever the process shows something.
func (a *localAgent) hidden(secrets secret.Finder) secret.Finder {
	finder := a.own.Finder(secrets)
	if a.mask != nil {
		finder = a.mask.Finder(finder)
	}
	return finder
}

// openLog opens the log of a try.
func (a *localAgent) openLog(lease *trowel.Lease) agent.Log {
	w := a.gatherer.Open(lease)
	return agent.Log{Output: w, Logger: w.Logger(), Remainder: w.Remainder}
}
