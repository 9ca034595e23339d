package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/advice"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/cli/projectdir"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/localrun"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/runview/live"
	"github.com/trowel-project/trowel/internal/schedule"
	"github.com/trowel-project/trowel/internal/statusdir"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Texts of server 1.9.2.
const (
	textNoWorkflowHere    = "Workflow '%s' does not exist in current directory. You may need to change directory first, or set --project option."
	textNoWorkflowBelow   = "Workflow '%s' does not exist in current directory. You may need to type \"cd %s\" first, or set \"--project %[2]s\" option."
	textNoWorkflowProject = "Workflow '%s' does not exist in project directory '%s'."
	textOutside           = "Given path '%s' is outside of project directory '%s'"
)

// preparation makes the options of a run of its command line.
type preparation struct {
	c *cmd.Call
	localrun.Options
}

// Run returns the row of the command run.
func Run() cmd.Command {
	return cmd.Command{
		Name: "run", Aliases: []string{"r"}, Section: cmd.SectionLocal,
		Lines: []cmd.Line{{Form: "run <workflow.dig> [+task]", Text: "run a workflow, or one task of it"}},
		Usage: []string{"run <workflow.dig> [+task] [options...]"},
		Min:   1, Max: 2, Operand: cmd.WorkflowFile,
		Options: cmd.Options([]cmd.Option{
			cmd.ProjectOption,
			cmd.FlagOption("run every task, whatever succeeded before", "-a", "--rerun", "--all"),
			cmd.TextOption("+NAME", "run this task and all after it, even if they succeeded before", "-s", "--start"),
			cmd.TextOption("+NAME", "run only what it takes to get this task done, and the task", "-g", "--goal"),
			cmd.TextOption("+NAME", "run only what comes before this task", "-e", "--end"),
			cmd.TextOption("DIR", "keep what succeeded in this folder of the project", "-o", "--save").
				Or(".digdag/status").Offering(cmd.AnyFolder),
			cmd.FlagOption("neither keep nor use what succeeded", "--no-save"),
		}, cmd.ParamOptions, []cmd.Option{
			cmd.TextOption("SESSION", "daily, hourly, schedule, last, \"yyyy-MM-dd\" or \"yyyy-MM-dd HH:mm:ss\"",
				"-t", "--session-time", "--session").Or("last").Offering(cmd.OneOf("daily", "hourly", "schedule", "last")),
			cmd.FlagOption("go through the tasks without running them", "-d", "--dry-run"),
			cmd.FlagOption("log the parameters of each task before it runs", "-E", "--show-params"),
			cmd.FlagOption("both --dry-run and --show-params", "-dE"),
			cmd.TextOption("ZONE", cmd.NoEffect, "--timezone"),
			cmd.IntOption("N", "run at most N tasks at a time; default: no limit", "--max-task-threads").Or("0"),
			cmd.TextOption("DIR", "write a log of each task below this folder", "-O", "--task-log").Offering(cmd.AnyFolder),
			cmd.FlagOption("write events to standard output, each a line of JSON, and no log", "--json"),
		}),
		Refuse: runConflict,
		Run:    runRun,
	}
}

// runRun runs a workflow of a local project (server 1.9.2).
func runRun(ctx context.Context, c *cmd.Call) error {
	p, err := prepareRun(ctx, c)
	if err != nil {
		return err
	}
	end, err := p.run(ctx)
	if err != nil {
		p.View.Abandon(err)
		return errors.Join(err, p.Logs.Close())
	}
	if end.Broken != nil {
		end.BrokenText = cmd.ErrorText(end.Broken)
	}
	if end.Status != "success" && !p.Dry {
		end.Resume = p.resumeCommand()
	}
	p.View.End(end)
	if err := p.Logs.Close(); err != nil {
		return err
	}
	switch {
	case end.Interrupted:
		return &cmd.ExitError{Code: cmd.ExitInterrupted}
	case end.Status != "success":
		return &cmd.ExitError{Code: cmd.ExitFailure}
	}
	return nil
}

// prepareRun does everything that can fail before something runs, in Digdag's order.
func prepareRun(ctx context.Context, c *cmd.Call) (*preparation, error) {
	p := &preparation{c: c, Options: localrun.Options{
		Environ: c.Env.Environ, Now: c.Env.Now, Slots: c.Args.Number("--max-task-threads"),
		Dry:        c.Args.Given("--dry-run") || c.Args.Given("-dE"),
		ShowParams: c.Args.Given("--show-params") || c.Args.Given("-dE"),
	}}
	var err error
	if p.Settings, err = c.Config(); err != nil {
		return nil, err
	}
	if err := p.openDisplay(); err != nil {
		return nil, err
	}
	if err := p.load(ctx); err != nil {
		return nil, err
	}
	if err := p.selectTasks(); err != nil {
		return nil, err
	}
	if err := p.chooseSession(ctx); err != nil {
		return nil, err
	}
	if p.TaskLogs, err = taskLogDir(c, p.Settings); err != nil {
		return nil, err
	}
	if secrets, err := c.Env.LocalSecrets(); err == nil { // without a home folder, as under cron, there are none
		p.Secrets = secrets.Dir
	}
	p.TDConfig = c.Env.TDConfig()
	p.warn()
	return p, nil
}

// run runs the workflow. Signals interrupt it.
func (p *preparation) run(ctx context.Context) (runview.End, error) {
	signals, restore := cmd.CatchSignals()
	defer restore()
	end, err := localrun.Run(ctx, p.Options, signals)
	if limit, ok := errors.AsType[*localrun.TaskLimitError](err); ok {
		return end, cmd.Complainf("%s", limit.Error()).Hinting("%s\nfix: %s", limit.Where, advice.InRun(limit.Error()))
	}
	return end, err
}

// warn shows, on a terminal, what is suspicious in the workflow before its first task.
func (p *preparation) warn() {
	c := p.c
	view := p.people()
	if view == nil {
		return
	}
	findings := slices.DeleteFunc(projectdir.Findings(p.Project.Dir), func(f dig.Finding) bool {
		other := slices.ContainsFunc(p.Project.Workflows, func(w *dig.Workflow) bool { return w.File == f.File })
		return other && f.File != p.Workflow.File
	})
	projectdir.ShowWarnings(c, findings, p.Project.Dir)
	view.Warned(findings)
}

// people returns the display if people look at the run, who are shown findings; otherwise nil.
func (p *preparation) people() *live.View {
	view, ok := p.View.(*live.View)
	if !ok || !p.c.Env.Terminals.Stderr {
		return nil
	}
	return view
}

// load reads parameters and project, and finds the workflow.
func (p *preparation) load(ctx context.Context) error {
	c := p.c
	dir, argument, err := runFolder(c)
	if err != nil {
		return err
	}
	if p.Params, err = projectParameters(c, p.Settings, dir); err != nil {
		return err
	}
	name, err := workflowOfArgument(c, dir, argument)
	if err != nil {
		return err
	}
	if dir != c.Env.Dir {
		logging.Print(ctx, p.Log, slog.LevelInfo, "Setting project path to "+dir)
	}
	if p.Project, err = dig.Load(dir); err != nil {
		return projectdir.Refuse(c, dir, err)
	}
	if p.Workflow = p.Project.Find(name); p.Workflow == nil {
		return noWorkflow(c, p.Project, name)
	}
	compiled, err := p.Project.Compile() // all of them, as Digdag (language C42)
	if err != nil {
		return projectdir.Refuse(c, dir, err)
	}
	p.Tasks = compiled[slices.Index(p.Project.Workflows, p.Workflow)]
	return nil
}

// selectTasks reduces the workflow to the task that the second argument names.
func (p *preparation) selectTasks() error {
	if err := dig.CheckExports(p.Tasks); err != nil {
		return projectdir.Refuse(p.c, p.Project.Dir, err)
	}
	if len(p.c.Args.Positional) < 2 {
		return nil
	}
	at, err := matchTask(p.c.Args.Positional[1], p.Tasks)
	if err == nil {
		p.Tasks = subtree(p.Tasks, at)
	}
	return err
}

// chooseSession chooses the session time and the folder of its status files.
func (p *preparation) chooseSession(ctx context.Context) error {
	c := p.c
	cmd.WarnOfDay(c, "--session")
	plan, err := schedule.ParseOptional(p.Workflow.Schedule, p.Workflow.Zone)
	if err != nil {
		return projectdir.Refuse(c, p.Project.Dir, err)
	}
	if plan != nil && p.people() == nil { // they read it among the findings
		for _, line := range plan.Unused() {
			logging.Print(ctx, p.Log, slog.LevelError, strings.TrimRight(line, "\n"))
		}
	}
	dirs := statusdir.Root{Dir: config.PathFrom(p.Project.Dir, c.Args.Text("--save"))}
	choice := sessionChoice{
		zone: p.Workflow.Zone, schedule: plan, states: dirs, workflow: p.Workflow.Name, now: c.Env.Now(), log: p.Log,
	}
	at, err := choice.choose(ctx, c.Args.Text("--session"))
	if err != nil {
		return err
	}
	p.Session = at.Truncate(time.Second)
	p.Params = launch.SessionParams(p.Params, plan, p.Session)
	if !c.Args.Given("--no-save") {
		p.State = statusdir.Session{Dir: dirs.Session(p.Session)}
		logging.Print(ctx, p.Log, slog.LevelInfo, "Using session "+p.State.Dir+".")
	}
	if p.Sets, err = newRunSets(p.Tasks, c.Args); err != nil {
		return err
	}
	if err := checkSLA(p.Workflow); err != nil {
		return projectdir.Refuse(c, p.Project.Dir, err)
	}
	return nil
}

// checkSLA refuses an invalid sla (language S43). It has no effect on a local
// run, whose user sees that it is late.
func checkSLA(w *dig.Workflow) error {
	block, err := w.SLABlock()
	if err != nil || block == nil {
		return err
	}
	_, err = schedule.ParseSLA(block)
	return err
}

// resumeCommand returns the command that goes on with the tasks that have not succeeded; empty if nothing was kept.
func (p *preparation) resumeCommand() string {
	if p.State.Dir == "" {
		return ""
	}
	c := p.c
	words := append(cmd.StartedAs(c), "run")
	words = append(words, c.Args.Positional...)
	// Without --rerun and --start: what this run did is not repeated.
	for _, name := range []string{
		"--project", "--goal", "--end", "--save", "--params-file", "--max-task-threads", "--task-log",
	} {
		if c.Args.Given(name) {
			words = append(words, name, c.Args.Text(name))
		}
	}
	if c.ConfigPath != "" {
		words = append(words, "--config", c.ConfigPath)
	}
	for _, name := range []string{"-X", "-p"} {
		for _, p := range c.Args.Pairs(name) {
			words = append(words, name, p.Key+"="+p.Value)
		}
	}
	words = append(words, "--session", p.Session.Format("2006-01-02 15:04:05"))
	return textutil.ShellLine(words...)
}

// runFolder returns the project's folder and the argument that names the workflow in it. If the
// working folder has no workflows, the folder of a given file below it is the project (this differs from
// server 1.9.2, see docs/compatibility.md).
func runFolder(c *cmd.Call) (dir, argument string, err error) {
	argument = c.Args.Positional[0]
	dir, err = projectdir.Dir(c)
	if err != nil || c.Args.Given("--project") || !strings.HasSuffix(argument, ".dig") {
		return dir, argument, err
	}
	path := config.PathFrom(dir, argument)
	if filepath.Dir(path) == dir || hasWorkflows(dir) || !isFile(path) {
		return dir, argument, nil
	}
	return filepath.Dir(path), filepath.Base(path), nil
}

func hasWorkflows(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.HasSuffix(e.Name(), ".dig") && e.Name() != ".dig"
	})
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// workflowName turns an argument into the name of a workflow. A file is named relative to the
// project.
func workflowName(dir, argument string) (string, error) {
	if !strings.HasSuffix(argument, ".dig") {
		return argument, nil
	}
	path := config.PathFrom(dir, argument)
	relative, err := filepath.Rel(dir, path)
	if err != nil || relative == ".." || strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return "", &dig.Error{Kind: "illegal argument", Message: fmt.Sprintf(textOutside, path, dir)}
	}
	return strings.TrimSuffix(filepath.ToSlash(relative), ".dig"), nil
}

// workflowOfArgument returns the name of the workflow that an argument means. If a path is only right from the
// current folder and --project is given, the error says from where such paths are read.
func workflowOfArgument(c *cmd.Call, dir, argument string) (string, error) {
	name, err := workflowName(dir, argument)
	if err == nil || !c.Args.Given("--project") {
		return name, err
	}
	if inside, errInside := workflowName(dir, c.Env.Path(argument)); errInside == nil {
		return "", &fix.Error{Err: err, Fix: "beside --project the path of a workflow counts from that folder: " + inside + ".dig"}
	}
	return "", err
}

func noWorkflow(c *cmd.Call, project *dig.Project, name string) error {
	text := fmt.Sprintf(textNoWorkflowHere, name)
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		text = fmt.Sprintf(textNoWorkflowBelow, name, name[:at])
	}
	if given := c.Args.Text("--project"); given != "" {
		text = fmt.Sprintf(textNoWorkflowProject, name, given)
	}
	return cmd.Complainf("%s (resource not found)", text).Hinting("%s", workflowsOf(project))
}

// workflowsOf returns a hint that lists the workflows of a project.
func workflowsOf(project *dig.Project) string {
	var names []string
	for _, w := range project.Workflows {
		names = append(names, w.Name)
	}
	if len(names) == 0 {
		return "there is no .dig file in " + project.Dir
	}
	return "the workflows are: " + textutil.CommaList(names)
}

// openDisplay chooses how the run is shown and where log lines go.
func (p *preparation) openDisplay() (err error) {
	c := p.c
	p.View = selectDisplay(c)
	if p.Logs, err = c.OpenLog(p.View.Log(), "trowel.run"); err != nil {
		return err
	}
	p.Log = slog.New(p.Logs)
	return nil
}

// defaultTaskLogs is the folder of logs of tasks if the settings ask for them but name no folder (server 3.1).
const defaultTaskLogs = "digdag.log"

// taskLogDir returns the folder that --task-log or the settings name, as an absolute path; empty if there is none.
func taskLogDir(c *cmd.Call, settings config.Settings) (string, error) {
	if dir := c.Args.Text("--task-log"); dir != "" {
		return c.Env.Path(dir), nil
	}
	switch kind, _ := settings.Get("log-server.type"); kind {
	case "", "null":
		return "", nil
	case "local":
		if dir, _ := settings.Get("log-server.local.path"); dir != "" {
			return c.Env.Path(dir), nil
		}
		return c.Env.Path(defaultTaskLogs), nil
	default:
		return "", cmd.NotPartOf("setting log-server.type = " + kind)
	}
}

// runConflict refuses options of run that exclude each other (server 1.9.2). The texts are Digdag's;
// the second one names the wrong option. --start with --end is allowed.
func runConflict(a *cmd.Arguments) string {
	switch {
	case a.Given("--start") && a.Given("--goal"):
		return "-s, --start and -g, --goal don't work together"
	case a.Given("--goal") && a.Given("--end"):
		return "-s, --start and -e, --end don't work together"
	case a.Given("--rerun") && a.Given("--start"):
		return "-a, --rerun and -s, --start don't work together"
	case a.Given("--rerun") && a.Given("--goal"):
		return "-a, --rerun and -g, --goal don't work together"
	}
	return ""
}
