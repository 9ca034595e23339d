package operator

import (
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

// commandPoll is the time between looks at a command that is not finished (operators 3.1).
const commandPoll = 10 * time.Second

// script is a command of sh>, py> or rb> (operators 3.1): files that it needs in a folder of its own,
// and its command line.
type script struct {
	files []scriptFile
	// args makes the command line; file gives the path of a file in the folder, relative to the
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

// run runs a command, or looks after the one that an earlier run has started, and returns the outcome:
// to look again later, or, if it is finished, what finish makes of it. begin is only called to start a
// command. The folder of a failed one stays for whoever looks for the reason, and so does that of a
// command that has left processes behind, which may need it. Digdag leaves all of them in local runs.
func (s *scripts) run(
	ctx context.Context, r *Request, operator string,
	begin func() (*script, error), finish func(command.Status) (trowel.Result, error),
) (Outcome, error) {
	s.folders.begin()
	defer s.folders.end()
	status, err := s.startOrPoll(ctx, r, operator, begin)
	if err != nil {
		return Outcome{}, err
	}
	if !status.Finished {
		state := r.State.Clone()
		state.Set(commandStatus, status.State)
		return poll(commandPoll, state)
	}
	result, err := finish(status)
	if err != nil {
		return Outcome{}, err
	}
	if !status.Left {
		if err := s.folders.giveBack(r.runFile(status, "")); err != nil {
			r.Log.Warn("cannot remove the folder of a command", slog.Any("error", err))
		}
	}
	return Outcome{Result: result}, nil
}

func (s *scripts) startOrPoll(
	ctx context.Context, r *Request, operator string, begin func() (*script, error),
) (command.Status, error) {
	request := &command.Request{
		Project: r.workspace.project,
		WorkDir: r.workspace.fromProject(r.workspace.dir),
		Output:  r.Output,
	}
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
	dir, err := s.folders.take(r.workspace.project, fmt.Sprintf("digdag-%s-%d-", operator, r.Lease.TaskID))
	if err != nil {
		return command.Status{}, fmt.Errorf("make the folder of the command: %w", err)
	}
	for _, file := range script.files {
		if err := overwrite(filepath.Join(dir, file.name), file.data); err != nil {
			return command.Status{}, fmt.Errorf("write the files of the command: %w", err)
		}
	}
	request.IODir = r.workspace.fromProject(dir)
	request.Env = script.env
	request.Started = func() {
		leave()
		r.waiting()
	}
	inDir := r.workspace.fromDir(dir)
	request.Args = script.args(func(name string) string { return inDir + "/" + name })
	return r.Commands.Run(ctx, request)
}

// runFile returns the absolute path of a file in the folder of a command.
func (r *Request) runFile(status command.Status, name string) string {
	return filepath.Join(r.workspace.project, filepath.FromSlash(status.IODir), name)
}
