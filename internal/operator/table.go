package operator

import (
	"context"
	"maps"
	"slices"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// Definition is one operator.
type Definition struct {
	// Run does the work. It may be run again for the same task, after a poll, a failure or a crash.
	Run func(ctx context.Context, r *Request) (Outcome, error)
	// CancelJob ends what r.State names, when the task is killed after a run that returned Again with Job. It is
	// prepared like Run, and may be called more than once, also for what has ended by itself. An error makes the
	// agent call it again, for about a minute. Nil for operators that never set Job.
	CancelJob func(ctx context.Context, r *Request) error
	// Wrapped is set for operators that have a working directory and use _retry (language X27). For others
	// _retry only concerns their subtasks (X28). Reading _retry counts as reading all keys (L55).
	Wrapped bool
	// NoFiles is set for a Wrapped operator that never touches the files of the project.
	NoFiles bool
	// FilesFor reports whether a run of a Wrapped operator touches files of the project. Nil if all runs may.
	FilesFor func(r *Request) bool
	// Keys are the options that the operator knows besides directives, which begin with "_", with their
	// values. Command is the value of its name. NeedsCommand is set if that is required, and Generates
	// if the operator makes tasks from _do.
	Keys                    map[string]dig.Value
	Command                 dig.Value
	NeedsCommand, Generates bool
	// Needs are the options that a task must have or inherit, see dig.Operator.
	Needs [][]string
	// Open is set if all other keys are valid, too, as parameters of what is run.
	Open bool
	// Blocks are the names of blocks of parameters that may have its options (language P11, operators 1.3), see dig.Operator.
	Blocks  []string
	Since   string // the version of Trowel from which on there is the operator; empty for the first
	Differs string // how it differs from Digdag 0.10, as "not in Digdag"; empty if only single options do
	Doc     string // what it does, in one line
}

// Table is a set of operators by name.
type Table map[string]Definition

// Options are the system's settings for operators. The zero value has the defaults.
type Options struct {
	HTTP   HTTPOptions
	Mail   MailOptions
	Params ParamServer // for param_set> and param_get>; nil for none
	// LogOnly is set if what tasks print only goes into their logs, not to a screen.
	LogOnly bool
}

// Core returns the operators that need no client library; package builtin has all. The operators of one Table share caches
// and connections between runs.
func Core(options Options) Table {
	scripts := &scripts{folders: newRunFolders()}
	web := newWeb(options.HTTP)
	params := &params{server: options.Params}
	mailer := &mailer{options: options.Mail}
	return Table{
		"call": {Run: runCall, Wrapped: true, Command: Text().About("the path to the file"), NeedsCommand: true, Doc: "runs the tasks of another workflow file"},
		"echo": {Run: echo{options.LogOnly}.run, Command: Text().About("the text"), NeedsCommand: true, Doc: "prints a text"},
		"embulk": {
			Run: scripts.runEmbulk, CancelJob: scripts.cancel, Wrapped: true, Blocks: []string{"embulk"}, Open: true, Doc: "runs Embulk",
			Command: Text().About("the file with the configuration, in YAML"), Needs: [][]string{{dig.NeedsValue, "config"}}, Keys: withExecutors(map[string]dig.Value{
				"config": Object().About("the configuration, where there is no command"),
			}),
		},
		"fail":      {Run: runFail, Command: Text().About("the message"), Doc: "fails with a message"},
		"for_each":  {Run: runForEach, Command: axesOf().About("lists by the names of their parameters"), NeedsCommand: true, Generates: true, Doc: "runs _do for all combinations of values"},
		"for_range": {Run: runForRange, Command: rangeOf().About("`from`, `to`, and `step` or `slices`"), NeedsCommand: true, Generates: true, Doc: "runs _do for the slices of a range of numbers"},
		"http": {
			Run: web.runHTTP, Wrapped: true, NoFiles: true, Blocks: []string{"http"}, Doc: "sends an HTTP request",
			Command: dig.Value{Kind: dig.Text, Check: addressOf}.About("the address; the secret `http.uri` comes first"), Keys: httpKeys(map[string]dig.Value{"store_content": Boolean().About("whether `${http.last_content}` gets the answer").Or("false")}),
		},
		"http_call": {
			Run: web.runHTTPCall, Wrapped: true, Doc: "runs the tasks of a workflow that it fetches",
			Command: dig.Value{Kind: dig.Text, Check: addressOf}.About("the address"), NeedsCommand: true, Keys: httpKeys(map[string]dig.Value{"content_type_override": Text().About("the type to take the answer for")}),
		},
		"if": {Run: runIf, Command: Boolean().About("the condition"), NeedsCommand: true, Generates: true, Doc: "runs _do or _else_do"},
		"loop": {
			Run: runLoop, Command: Integer().About("how many times"), NeedsCommand: true, Generates: true, Doc: "runs _do a number of times",
			Keys: map[string]dig.Value{"count": Integer().About("is used in place of the command")},
		},
		"mail": {
			Run: mailer.runMail, Wrapped: true, Blocks: []string{"mail"}, Doc: "sends a mail",
			Command: dig.Value{Check: mailTextOf}.About("the file with the text, or `{data: TEXT}`"), Keys: mailKeys(),
		},
		"notify":    {Run: runNotify, Command: Text().About("the text"), NeedsCommand: true, Doc: "sends a notification"},
		"param_get": {Run: params.runGet, Wrapped: true, NoFiles: true, Open: true, Doc: "takes parameters from the param server"},
		"param_set": {Run: params.runSet, Wrapped: true, NoFiles: true, Open: true, Doc: "keeps parameters on the param server"},
		"py": {
			Run: scripts.runPy, CancelJob: scripts.cancel, Wrapped: true, Blocks: []string{"py"}, Open: true, Doc: "calls a Python function or method",
			Command: dig.Value{Kind: dig.Text, Check: pythonOf}.About("the path to a function or method"), Keys: withExecutors(map[string]dig.Value{
				"python": dig.Value{Kind: dig.TextOrList}.About("the interpreter, with options if it is a list").Or("`python`"),
				"script": Text().About("Python source to run, where there is no command"),
			}),
		},
		"rb": {
			Run: scripts.runRb, CancelJob: scripts.cancel, Wrapped: true, Blocks: []string{"rb"}, Open: true, Doc: "calls a Ruby method",
			Command: Text().About("the path to a method"), Keys: withExecutors(map[string]dig.Value{
				"require": Text().About("the file to load first"),
				"ruby":    dig.Value{Kind: dig.TextOrList}.About("the interpreter, with options if it is a list").Or("`ruby`"),
				"script":  Text().About("Ruby source to run, where there is no command"),
			}),
		},
		"require": {
			Run: runRequire, Wrapped: true, NoFiles: true, Doc: "waits for a session of another workflow",
			Command: Text().About("the name of the workflow"), NeedsCommand: true,
			Keys: map[string]dig.Value{
				"ignore_failure":     Boolean().About("whether a failed attempt will do").Or("false"),
				"params":             Object().About("parameters for the attempt, if one is started"),
				"project_id":         Integer().About("the other workflow's project, by id"),
				"project_name":       Text().About("the other workflow's project, by name"),
				"rerun_on":           OneOf("none", "failed", "all").About("which ended attempts are run again"),
				"retry_attempt_name": Text().About("the attempt of this name").Or("the unnamed one"),
				"session_time":       dig.Value{Kind: dig.Instant}.About("the session").Or("that of this one"),
			},
		},
		"sh": {
			Run: scripts.runSh, CancelJob: scripts.cancel, Wrapped: true, Blocks: []string{"sh"}, Open: true, Doc: "runs a shell script",
			Command: Text().About("the script"), NeedsCommand: true, Keys: withExecutors(map[string]dig.Value{"shell": ListOf(Text()).About("the program that runs the script, and its arguments").Or("`[/bin/sh]`")}),
		},
		"wait": {
			Run: runWait, Doc: "waits for a length of time",
			Command: dig.Value{Kind: dig.Duration}.About("how long"), NeedsCommand: true,
			Keys: map[string]dig.Value{
				"blocking":      Boolean().About("whether it keeps a slot busy").Or("false"),
				"poll_interval": dig.Value{Kind: dig.Duration}.About("how often it looks whether the time is over"),
			},
		},
	}
}

// Names returns the names of all operators, sorted.
func (t Table) Names() []string { return slices.Sorted(maps.Keys(t)) }

// Run runs an operator for a Request. An unknown operator is a *param.Error
// (language L54).
func (t Table) Run(ctx context.Context, name string, r *Request) (Outcome, error) {
	definition, err := t.find(name)
	if err != nil {
		return Outcome{}, err
	}
	if err := r.begin(ctx, definition); err != nil {
		return Outcome{}, err
	}
	if !definition.Wrapped {
		return definition.Run(ctx, r)
	}
	return runWithRetry(ctx, definition.Run, r)
}

// Cancel ends what r.State names, as Definition.CancelJob says. It does nothing if the operator has no jobs.
func (t Table) Cancel(ctx context.Context, name string, r *Request) error {
	definition, err := t.find(name)
	if err != nil || definition.CancelJob == nil {
		return err
	}
	if err := r.begin(ctx, definition); err != nil {
		return err
	}
	return definition.CancelJob(ctx, r)
}

func (t Table) find(name string) (Definition, error) {
	definition, ok := t[name]
	if !ok {
		return Definition{}, param.Errorf("Unknown task type: %s", name)
	}
	return definition, nil
}

// begin prepares a Request for an operator.
func (r *Request) begin(ctx context.Context, definition Definition) error {
	if err := r.prepare(); err != nil {
		return err
	}
	if err := r.enter(ctx, definition); err != nil || !definition.Wrapped {
		return err
	}
	var err error
	r.workspace, err = newWorkspace(r.Project, r.Params)
	return err
}

// noProject is the project in messages about an operator that has no files.
const noProject = "/project"

// enter makes the files of the project available if the operator needs them.
func (r *Request) enter(ctx context.Context, definition Definition) (err error) {
	switch {
	case r.Project != "":
	case definition.NoFiles, !definition.Wrapped, definition.FilesFor != nil && !definition.FilesFor(r):
		r.Project = noProject
	default:
		r.Project, err = r.Files(ctx)
	}
	return err
}

// prepare takes what all operators have in common from the parameters: the names of secrets (operators
// 1.6) and the task's own variables (1.7).
func (r *Request) prepare() error {
	mounts, err := r.Params.OptMap("_secrets")
	if err != nil {
		return err
	}
	r.Params.Map().Delete("_secrets")
	r.mounted = secret.Mount(r.Secrets, mounts, r.Log)
	r.env, err = readEnv(r.Local)
	r.Params.Value("_env") // counts as read (language L55)
	return err
}
