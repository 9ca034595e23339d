package operator

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

// commandStatus is the key of the state under which an unfinished command is kept (operators 3.1).
const commandStatus = "commandStatus"

// commandPoll is the time between two checks of a command that is not finished (operators 3.1).
const commandPoll = 10 * time.Second

// script is a command of sh>, py> or rb> (operators 3.1): files in a folder of its own,
// and its command line.
type script struct {
	files []scriptFile
	// args returns the command line. file returns the path of a file in the folder, relative to the
	// working directory.
	args func(file func(name string) string) []string
	env  []string // NAME=value, each name once
}

type scriptFile struct {
	name string
	data []byte
}

// scripts runs the commands of sh>, py> and rb>.
type scripts struct{ folders *runFolders }

// commandKind is what distinguishes the commands of operators.
type commandKind struct {
	name string // of the operator, and in the names of folders
	// keep is set if the folder of a failed command is kept, so that somebody can look for the reason. That of
	// sh> is not kept: it only contains the script, which may have secrets in it.
	keep bool
}

// run runs a command, or checks on the one that an earlier run has started. It returns the outcome:
// to check again later, or the result of finish if the command is finished. begin is only called to start a
// command. The folder of the command is removed in the end, unless the command has left processes behind, which
// may need it. In local runs Digdag leaves all folders.
func (s *scripts) run(
	ctx context.Context, r *Request, kind commandKind,
	begin func() (*script, error), finish func(command.Status) (trowel.Result, error),
) (Outcome, error) {
	s.folders.begin()
	defer s.folders.end()
	status, err := s.startOrPoll(ctx, r, kind, begin)
	if err != nil {
		return Outcome{Links: status.Links, Usage: status.Usage}, err
	}
	if !status.Finished {
		state := r.State.Clone()
		state.Set(commandStatus, status.State)
		again := &Again{After: cmp.Or(status.PollIn, commandPoll), State: state, Job: true}
		return Outcome{Again: again, Links: status.Links, Usage: status.Usage}, nil
	}
	result, err := finish(status)
	if status.Exceeded != nil {
		result, err = trowel.Result{}, status.Exceeded
	}
	if !status.Left && (err == nil || !kind.keep) {
		s.giveBack(r, filepath.Join(r.workspace.project, filepath.FromSlash(status.IODir)))
	}
	return Outcome{Result: result, Links: status.Links, Usage: status.Usage}, err
}

// cancel ends the command that an earlier run has started, because the task was killed (operators 1.14). Digdag does so
// for py> alone.
func (*scripts) cancel(ctx context.Context, r *Request) error {
	state, err := param.NewReader(r.State).OptMap(commandStatus)
	if err != nil || state.Len() == 0 {
		return err
	}
	return r.Commands.Stop(ctx, commandRequest(r), state)
}

// commandRequest returns what all requests for a command of the task have in common.
func commandRequest(r *Request) *command.Request {
	return &command.Request{
		Project: r.workspace.project,
		WorkDir: r.workspace.fromProject(r.workspace.dir),
		Output:  r.Output,
		Try:     command.TryOf(r.Lease),
		Params:  r.Params.Map(),
		Limits:  r.Limits,
		Log:     r.Log,
	}
}

// giveBack does nothing if the files are a copy for this try, which is removed as a whole.
func (s *scripts) giveBack(r *Request, dir string) {
	if r.Files != nil {
		return
	}
	if err := s.folders.giveBack(dir); err != nil {
		r.Log.Warn("cannot remove the folder of a command", slog.Any("error", err))
	}
}

func (s *scripts) startOrPoll(
	ctx context.Context, r *Request, kind commandKind, begin func() (*script, error),
) (command.Status, error) {
	request := commandRequest(r)
	if r.State.Has(commandStatus) {
		state, err := param.NewReader(r.State).MapOf(commandStatus)
		if err != nil {
			return command.Status{}, err
		}
		return r.Commands.Poll(ctx, request, state)
	}
	script, err := begin()
	if err != nil {
		return command.Status{}, err
	}
	leave, err := s.folders.enter(ctx)
	if err != nil {
		return command.Status{}, err
	}
	defer leave()
	request.Started = func() {
		leave()
		r.Waiting()
	}
	dir, err := s.folders.take(r.workspace.project, fmt.Sprintf("digdag-%s-%d-", kind.name, r.Lease.TaskID))
	if err != nil {
		return command.Status{}, fmt.Errorf("make the folder of the command: %w", err)
	}
	status, err := script.start(ctx, r, dir, request)
	if err != nil && !kind.keep {
		s.giveBack(r, dir)
	}
	return status, err
}

// start writes the files of a command into its folder and runs it.
func (s *script) start(ctx context.Context, r *Request, dir string, request *command.Request) (command.Status, error) {
	for _, file := range s.files {
		if err := overwrite(filepath.Join(dir, file.name), file.data); err != nil {
			return command.Status{}, fmt.Errorf("write the files of the command: %w", err)
		}
	}
	request.IODir = r.workspace.fromProject(dir)
	request.Env = s.env
	inDir := r.workspace.fromDir(dir)
	request.Args = s.args(func(name string) string { return inDir + "/" + name })
	return r.Commands.Run(ctx, request)
}
