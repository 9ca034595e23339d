package cli

import (
	"context"
	"errors"
	"fmt"
	"github.com/trowel-project/trowel/internal/advice"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/launch"
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
	c *call
	runOptions
}

// runRow is the row of the command run.
func runRow() command {
	return command{
		name: "run", aliases: []string{"r"}, section: sectionLocal,
		lines: []line{{"run <workflow.dig> [+task]", "run a workflow, or one task of it"}},
		usage: []string{"run <workflow.dig> [+task] [options...]"},
		min:   1, max: 2, operand: workflowFile,
		options: options([]option{
			projectOption,
			flagOption("run every task, whatever succeeded before", "-a", "--rerun", "--all"),
			textOption("+NAME", "run this task and all after it, even if they succeeded before", "-s", "--start"),
			textOption("+NAME", "run only what it takes to get this task done, and the task", "-g", "--goal"),
			textOption("+NAME", "run only what comes before this task", "-e", "--end"),
			textOption("DIR", "keep what succeeded in this folder of the project", "-o", "--save").
				or(".digdag/status").offering(anyFolder),
			flagOption("neither keep nor use what succeeded", "--no-save"),
		}, paramOptions, []option{
			textOption("SESSION", "daily, hourly, schedule, last, \"yyyy-MM-dd\" or \"yyyy-MM-dd HH:mm:ss\"",
				"-t", "--session-time", "--session").or("last").offering(oneOf("daily", "hourly", "schedule", "last")),
			flagOption("go through the tasks without running them", "-d", "--dry-run"),
			flagOption("log the parameters of each task before it runs", "-E", "--show-params"),
			flagOption("both --dry-run and --show-params", "-dE"),
			textOption("ZONE", "accepted for Digdag's sake; has no effect", "--timezone"),
			intOption("N", "run at most N tasks at a time; default: no limit", "--max-task-threads").or("0"),
			textOption("DIR", "write a log of each task below this folder", "-O", "--task-log").offering(anyFolder),
			flagOption("write events to standard output, each a line of JSON, and no log", "--json"),
		}),
		refuse: runConflict,
		run:    runRun,
	}
}

// runRun runs a workflow of a local project (server 1.9.2).
func runRun(ctx context.Context, c *call) error {
	p, err := prepareRun(ctx, c)
	if err != nil {
		return err
	}
	end, err := p.run(ctx)
	if err != nil {
		p.view.Abandon(err)
		return errors.Join(err, p.logs.Close())
	}
	if end.Broken != nil {
		end.BrokenText = errorText(end.Broken)
	}
	if end.Status != "success" && !p.dry {
		end.Resume = p.resumeCommand()
	}
	p.view.End(end)
	if err := p.logs.Close(); err != nil {
		return err
	}
	switch {
	case end.Interrupted:
		return &exitError{exitInterrupted}
	case end.Status != "success":
		return &exitError{exitFailure}
	}
	return nil
}

// prepareRun does all that can go wrong before something runs, in Digdag's order.
func prepareRun(ctx context.Context, c *call) (*preparation, error) {
	p := &preparation{c: c, runOptions: runOptions{
		environ: c.env.Environ, now: c.env.Now, slots: c.args.number("--max-task-threads"),
		dry:        c.args.given("--dry-run") || c.args.given("-dE"),
		showParams: c.args.given("--show-params") || c.args.given("-dE"),
	}}
	var err error
	if p.settings, err = c.config(); err != nil {
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
	if p.taskLogs, err = taskLogDir(c, p.settings); err != nil {
		return nil, err
	}
	if secrets, err := c.env.localSecrets(); err == nil { // without a home, as under cron, there are none
		p.secrets = secrets.dir
	}
	p.warn()
	return p, nil
}

// run runs the workflow; signals of the process interrupt it.
func (p *preparation) run(ctx context.Context) (runview.End, error) {
	signals, restore := catchSignals()
	defer restore()
	end, err := runLocally(ctx, p.runOptions, signals)
	if limit, ok := errors.AsType[*taskLimitError](err); ok {
		return end, complainf("%s", limit.Error()).hinting("%s\nfix: %s", limit.where, advice.InRun(limit.Error()))
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
	findings := slices.DeleteFunc(findingsOfFolder(p.project.Dir), func(f dig.Finding) bool {
		other := slices.ContainsFunc(p.project.Workflows, func(w *dig.Workflow) bool { return w.File == f.File })
		return other && f.File != p.workflow.File
	})
	showWarnings(c, findings, p.project.Dir)
	view.Warned(findings)
}

// people is the display of a run that people look at, who are shown findings; nil without them.
func (p *preparation) people() *live.View {
	view, ok := p.view.(*live.View)
	if !ok || !p.c.env.Terminals.Stderr {
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
	if p.params, err = projectParameters(c, p.settings, dir); err != nil {
		return err
	}
	name, err := workflowOfArgument(c, dir, argument)
	if err != nil {
		return err
	}
	if dir != c.env.Dir {
		logging.Print(ctx, p.log, slog.LevelInfo, "Setting project path to "+dir)
	}
	if p.project, err = dig.Load(dir); err != nil {
		return refuseProject(c, dir, err)
	}
	if p.workflow = p.project.Find(name); p.workflow == nil {
		return noWorkflow(c, p.project, name)
	}
	compiled, err := p.project.Compile() // all of them, as Digdag (language C42)
	if err != nil {
		return refuseProject(c, dir, err)
	}
	p.tasks = compiled[slices.Index(p.project.Workflows, p.workflow)]
	return nil
}

// selectTasks cuts the workflow down to the task of the second argument.
func (p *preparation) selectTasks() error {
	if err := dig.CheckExports(p.tasks); err != nil {
		return refuseProject(p.c, p.project.Dir, err)
	}
	if len(p.c.args.positional) < 2 {
		return nil
	}
	at, err := matchTask(p.c.args.positional[1], p.tasks)
	if err == nil {
		p.tasks = subtree(p.tasks, at)
	}
	return err
}

// chooseSession finds the session time and where its tasks are kept.
func (p *preparation) chooseSession(ctx context.Context) error {
	c := p.c
	warnOfDay(c, "--session")
	plan, err := scheduleOf(p.workflow.Schedule, p.workflow.Zone)
	if err != nil {
		return refuseProject(c, p.project.Dir, err)
	}
	if plan != nil && p.people() == nil { // who are told by findings
		for _, line := range plan.Unused() {
			logging.Print(ctx, p.log, slog.LevelError, strings.TrimRight(line, "\n"))
		}
	}
	dirs := statusdir.Root{Dir: config.PathFrom(p.project.Dir, c.args.text("--save"))}
	choice := sessionChoice{
		zone: p.workflow.Zone, schedule: plan, states: dirs, workflow: p.workflow.Name, now: c.env.Now(), log: p.log,
	}
	at, err := choice.choose(ctx, c.args.text("--session"))
	if err != nil {
		return err
	}
	p.session = at.Truncate(time.Second)
	p.params = launch.SessionParams(p.params, plan, p.session)
	if !c.args.given("--no-save") {
		p.state = statusdir.Session{Dir: dirs.Session(p.session)}
		logging.Print(ctx, p.log, slog.LevelInfo, "Using session "+p.state.Dir+".")
	}
	if p.sets, err = newRunSets(p.tasks, c.args); err != nil {
		return err
	}
	if err := checkSLA(p.workflow); err != nil {
		return refuseProject(c, p.project.Dir, err)
	}
	return nil
}

// checkSLA refuses an sla that no attempt can have (language S43). Whether a local run is late is
// for whoever waits for it.
func checkSLA(w *dig.Workflow) error {
	block, err := w.SLABlock()
	if err != nil || block == nil {
		return err
	}
	_, err = schedule.ParseSLA(block)
	return err
}

// resumeCommand is what goes on with the tasks that have not succeeded; empty if nothing was kept.
func (p *preparation) resumeCommand() string {
	if p.state.Dir == "" {
		return ""
	}
	c := p.c
	words := append(startedAs(c), "run")
	words = append(words, c.args.positional...)
	// Not --rerun and --start: what this run did is not done again.
	for _, name := range []string{
		"--project", "--goal", "--end", "--save", "--params-file", "--max-task-threads", "--task-log",
	} {
		if c.args.given(name) {
			words = append(words, name, c.args.text(name))
		}
	}
	if c.configPath != "" {
		words = append(words, "--config", c.configPath)
	}
	for _, name := range []string{"-X", "-p"} {
		for _, p := range c.args.pairs(name) {
			words = append(words, name, p.key+"="+p.value)
		}
	}
	words = append(words, "--session", p.session.Format("2006-01-02 15:04:05"))
	return textutil.ShellLine(words...)
}

// runFolder returns the project's folder and the argument that names the workflow in it. Where the
// working folder has no workflow of its own, a file below it brings its folder along (differs from
// server 1.9.2, see docs/compatibility.md).
func runFolder(c *call) (dir, argument string, err error) {
	argument = c.args.positional[0]
	dir, err = projectDir(c)
	if err != nil || c.args.given("--project") || !strings.HasSuffix(argument, ".dig") {
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

// workflowName turns an argument into the name of a workflow: a file is named relative to the
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

// workflowOfArgument is the name of the workflow that an argument means. Who gave a path from the current folder beside
// --project is told where paths count from.
func workflowOfArgument(c *call, dir, argument string) (string, error) {
	name, err := workflowName(dir, argument)
	if err == nil || !c.args.given("--project") {
		return name, err
	}
	if inside, errInside := workflowName(dir, c.env.path(argument)); errInside == nil {
		return "", &fix.Error{Err: err, Fix: "beside --project the path of a workflow counts from that folder: " + inside + ".dig"}
	}
	return "", err
}

func noWorkflow(c *call, project *dig.Project, name string) error {
	text := fmt.Sprintf(textNoWorkflowHere, name)
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		text = fmt.Sprintf(textNoWorkflowBelow, name, name[:at])
	}
	if given := c.args.text("--project"); given != "" {
		text = fmt.Sprintf(textNoWorkflowProject, name, given)
	}
	return complainf("%s (resource not found)", text).hinting("%s", workflowsOf(project))
}

// workflowsOf is the hint that names the workflows of a project.
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
	p.view = selectDisplay(c)
	if p.logs, err = c.openLog(p.view.Log(), "trowel.run"); err != nil {
		return err
	}
	p.log = slog.New(p.logs)
	return nil
}

// defaultTaskLogs is where logs of tasks go if the settings ask for them without a place (server 3.1).
const defaultTaskLogs = "digdag.log"

// taskLogDir is the folder that --task-log or the settings name; absolute; empty without.
func taskLogDir(c *call, settings config.Settings) (string, error) {
	if dir := c.args.text("--task-log"); dir != "" {
		return c.env.path(dir), nil
	}
	switch kind, _ := settings.Get("log-server.type"); kind {
	case "", "null":
		return "", nil
	case "local":
		if dir, _ := settings.Get("log-server.local.path"); dir != "" {
			return c.env.path(dir), nil
		}
		return c.env.path(defaultTaskLogs), nil
	default:
		return "", notPartOf("setting log-server.type = " + kind)
	}
}

// runConflict refuses options of run that exclude each other (server 1.9.2). The texts are Digdag's;
// the second one names the wrong option, and --start with --end is allowed.
func runConflict(a *arguments) string {
	switch {
	case a.given("--start") && a.given("--goal"):
		return "-s, --start and -g, --goal don't work together"
	case a.given("--goal") && a.given("--end"):
		return "-s, --start and -e, --end don't work together"
	case a.given("--rerun") && a.given("--start"):
		return "-a, --rerun and -s, --start don't work together"
	case a.given("--rerun") && a.given("--goal"):
		return "-a, --rerun and -g, --goal don't work together"
	}
	return ""
}
