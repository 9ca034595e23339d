package localrun

import (
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// openTaskLogs returns what opens the log of a try: the display, and below the folder of --task-log a
// file with what is logged about the task and what it prints (server 5).
func (o *Options) openTaskLogs() (func(*trowel.Lease) agent.Log, error) {
	shown := func(lease *trowel.Lease) agent.Log {
		return agent.Log{Output: o.View.Open(lease), Logger: o.Logs.ForTask(lease)}
	}
	if o.TaskLogs == "" {
		return shown, nil
	}
	logs, err := tasklog.New(o.TaskLogs)
	if err != nil {
		return nil, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: "cannot keep the logs of tasks in " + o.TaskLogs, Err: fix.Reason(err),
			Hint: "give a folder that can be written to with --task-log, or leave it out",
		}
	}
	kept := &keptLogs{logs: logs, agent: agent.ProcessName(), now: o.Now, level: o.Logs.Level, created: map[trowel.AttemptID]time.Time{}}
	return func(lease *trowel.Lease) agent.Log { return kept.add(shown(lease), lease) }, nil
}

// keptLogs adds files to what is shown of tasks.
type keptLogs struct {
	logs  *tasklog.Logs
	agent string
	now   func() time.Time
	level slog.Level

	mu      sync.Mutex
	created map[trowel.AttemptID]time.Time // when the first try of an attempt began
}

// add opens the file of a try. If that fails, the task runs without one, and the log says why.
func (k *keptLogs) add(shown agent.Log, lease *trowel.Lease) agent.Log {
	now := k.now()
	file, err := k.logs.Open(lease, k.agent, k.createdAt(lease, now), now)
	if err != nil {
		shown.Logger.Error("the log of the task is not kept:", slog.Any("error", fix.Reason(err)))
		return shown
	}
	return agent.Log{
		Output: &keptOutput{shown: shown.Output, file: file},
		Logger: slog.New(slog.NewMultiHandler(shown.Logger.Handler(), tasklog.NewHandler(file, lease, k.level))),
	}
}

// createdAt is when the attempt was made, as near as one knows here: at its first try.
func (k *keptLogs) createdAt(lease *trowel.Lease, now time.Time) time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	at, known := k.created[lease.AttemptID]
	if !known {
		at = now
		k.created[lease.AttemptID] = at
	}
	return at
}

// keptOutput shows and keeps the output of a try. If it could not be kept, Close returns the error: the
// task is not to blame.
type keptOutput struct {
	shown, file io.WriteCloser
	err         error
}

func (o *keptOutput) Write(data []byte) (int, error) {
	if o.err == nil {
		_, o.err = o.file.Write(data)
	}
	return o.shown.Write(data)
}

// Close closes both. It returns the first error of the file.
func (o *keptOutput) Close() error {
	err := o.file.Close()
	if o.err != nil {
		err = o.err
	}
	return errors.Join(err, o.shown.Close())
}
