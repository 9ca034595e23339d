package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
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

// runRun runs a workflow of a local project (server 1.9.2).
func runRun(ctx context.Context, c *call) error {
	l, err := prepareRun(ctx, c)
	if err != nil {
		return err
	}
	end, err := l.run(ctx)
	if err != nil {
		l.display.Abandon(err)
		return errors.Join(err, l.logs.Close())
	}
	l.display.End(end)
	if err := l.logs.Close(); err != nil {
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
func prepareRun(ctx context.Context, c *call) (*localRun, error) {
	l := &localRun{c: c, dry: c.args.given("--dry-run") || c.args.given("-dE")}
	var err error
	if l.config, err = c.config(); err != nil {
		return nil, err
	}
	if err := l.openDisplay(); err != nil {
		return nil, err
	}
	if err := l.load(ctx); err != nil {
		return nil, err
	}
	if err := l.selectTasks(); err != nil {
		return nil, err
	}
	if err := l.chooseSession(ctx); err != nil {
		return nil, err
	}
	l.warn()
	return l, nil
}

// warn shows, on a terminal, what is suspicious in the workflow before its first task.
func (l *localRun) warn() {
	c := l.c
	view := l.people()
	if view == nil {
		return
	}
	findings := slices.DeleteFunc(findingsOfFolder(l.project.Dir), func(f dig.Finding) bool {
		other := slices.ContainsFunc(l.project.Workflows, func(w *dig.Workflow) bool { return w.File == f.File })
		return other && f.File != l.workflow.File
	})
	showWarnings(c, findings, l.project.Dir)
	view.Warned(findings)
}

// people is the display of a run that people look at, who are shown findings; nil without them.
func (l *localRun) people() *live.View {
	view, ok := l.display.(*live.View)
	if !ok || !l.c.env.Terminals.Stderr {
		return nil
	}
	return view
}

// load reads parameters and project, and finds the workflow.
func (l *localRun) load(ctx context.Context) error {
	c := l.c
	dir, argument, err := runFolder(c)
	if err != nil {
		return err
	}
	if l.params, err = projectParameters(c, l.config, dir); err != nil {
		return err
	}
	name, err := workflowOfArgument(c, dir, argument)
	if err != nil {
		return err
	}
	if dir != c.env.Dir {
		logging.Print(ctx, l.log, slog.LevelInfo, "Setting project path to "+dir)
	}
	if l.project, err = dig.Load(dir); err != nil {
		return refuseProject(c, dir, err)
	}
	if l.workflow = l.project.Find(name); l.workflow == nil {
		return noWorkflow(c, l.project, name)
	}
	compiled, err := l.project.Compile() // all of them, as Digdag (language C42)
	if err != nil {
		return refuseProject(c, dir, err)
	}
	l.tasks = compiled[slices.Index(l.project.Workflows, l.workflow)]
	return nil
}

// selectTasks cuts the workflow down to the task of the second argument.
func (l *localRun) selectTasks() error {
	if err := dig.CheckExports(l.tasks); err != nil {
		return refuseProject(l.c, l.project.Dir, err)
	}
	if len(l.c.args.positional) < 2 {
		return nil
	}
	at, err := matchTask(l.c.args.positional[1], l.tasks)
	if err == nil {
		l.tasks = subtree(l.tasks, at)
	}
	return err
}

// chooseSession finds the session time and where its tasks are kept.
func (l *localRun) chooseSession(ctx context.Context) error {
	c := l.c
	warnOfDay(c, "--session")
	plan, err := scheduleOf(l.workflow.Schedule, l.workflow.Zone)
	if err != nil {
		return refuseProject(c, l.project.Dir, err)
	}
	if plan != nil && l.people() == nil { // who are told by findings
		for _, line := range plan.Unused() {
			logging.Print(ctx, l.log, slog.LevelError, strings.TrimRight(line, "\n"))
		}
	}
	dirs := statusdir.Root{Dir: config.PathFrom(l.project.Dir, c.args.text("--save"))}
	choice := sessionChoice{
		zone: l.workflow.Zone, schedule: plan, states: dirs, workflow: l.workflow.Name, now: c.env.Now(), log: l.log,
	}
	at, err := choice.choose(ctx, c.args.text("--session"))
	if err != nil {
		return err
	}
	l.session = at.Truncate(time.Second)
	l.params = launch.SessionParams(l.params, plan, l.session)
	if !c.args.given("--no-save") {
		l.state = statusdir.Session{Dir: dirs.Session(l.session)}
		logging.Print(ctx, l.log, slog.LevelInfo, "Using session "+l.state.Dir+".")
	}
	if l.sets, err = newRunSets(l.tasks, c.args); err != nil {
		return err
	}
	if err := checkSLA(l.workflow); err != nil {
		return refuseProject(c, l.project.Dir, err)
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

// ended describes the end of the run.
func (l *localRun) ended(attempt *trowel.Attempt, interrupted bool, broken error, elapsed time.Duration) runview.End {
	end := runview.End{
		Status: "running", Failed: l.failed.list(), Interrupted: interrupted, Broken: broken,
		StateDir: l.state.Dir, Elapsed: elapsed, DryRun: l.dry,
	}
	if broken != nil {
		end.BrokenText = errorText(broken)
	}
	if attempt != nil {
		end.Status = attempt.Flags.Status()
	}
	end.Nothing = end.Status == "success" && l.passed.Load() && !l.asked.Load()
	if interrupted || broken != nil {
		end.Succeeded = l.keeper.Succeeded()
	}
	switch {
	case l.dry:
		end.StateDir = "" // nothing was kept
	case end.Status != "success":
		end.Resume = l.resumeCommand()
	}
	for i := range end.Failed {
		end.Failed[i].Where = mistakePlace(l.project.Dir, end.Failed[i].Where, end.Failed[i].Message, end.Failed[i].Culprit)
	}
	return end
}

// resumeCommand is what goes on with the tasks that have not succeeded; empty if nothing was kept.
func (l *localRun) resumeCommand() string {
	if l.state.Dir == "" {
		return ""
	}
	c := l.c
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
	words = append(words, "--session", l.session.Format("2006-01-02 15:04:05"))
	return textutil.ShellLine(words...)
}

// startedAs is what starts this program once more from the same folder: its name or, where that is a
// path, the path. The program of go run is gone after the run.
func startedAs(c *call) []string {
	if len(c.env.Args) == 0 || !strings.ContainsRune(c.env.Args[0], filepath.Separator) {
		return []string{c.program}
	}
	build, known := debug.ReadBuildInfo()
	if known && strings.Contains(c.env.Args[0], string(filepath.Separator)+"go-build") {
		return []string{"go", "run", build.Path}
	}
	return c.env.Args[:1:1]
}

// projectDir is the absolute folder of --project, by default the working folder.
func projectDir(c *call) (string, error) {
	name := c.args.text("--project")
	if name == "" {
		return c.env.Dir, nil
	}
	dir := c.env.path(name)
	if _, err := os.Stat(dir); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = &fix.MissingFileError{Path: dir}
		}
		return "", fix.UseProject.Failed(err)
	}
	return dir, nil
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
func (l *localRun) openDisplay() (err error) {
	c := l.c
	l.display = selectDisplay(c)
	if l.logs, err = c.openLog(l.display.Log(), "trowel.run"); err != nil {
		return err
	}
	l.log = slog.New(l.logs)
	return nil
}
