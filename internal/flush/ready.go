package flush

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
)

// liveReady is a ready task of an attempt without an image.
func liveReady(a *attempt, row *trowel.LiveTask) queue.Ready {
	return queue.Ready{
		Attempt: a.id, Task: row.TaskID, At: row.ReadyAt, Workflow: a.workflow, Needs: row.Needs, Control: a.control, Held: row.Holds,
	}
}

// queueRow puts a task into the backlog if it is ready, and takes it out if it is not.
func (f *Flusher) queueRow(a *attempt, row *trowel.Task) {
	if row.State == trowel.TaskReady {
		f.backlog.Add(a.ready(row))
	} else {
		f.backlog.Remove(a.id, row.ID)
	}
	if row.State == trowel.TaskRunning {
		f.backlog.Started(a.id, row.ID, a.workflow)
	} else {
		f.backlog.Stopped(a.id, row.ID)
	}
}

// queueChanges does that for all tasks that a transaction changed.
func (f *Flusher) queueChanges(w *write) {
	for i := range w.batch.Changes {
		row := w.batch.Changes[i].Task
		if a := f.images.byID[row.AttemptID]; a != nil {
			f.queueRow(a, row)
		}
	}
	for _, a := range w.members {
		if a.Image != nil {
			f.images.touch(a)
			a.own++
		}
	}
	for name, used := range w.locks {
		if f.known.uses == nil {
			f.known.uses = map[string]int{}
		}
		if used != 0 {
			f.known.uses[name] = used
		} else { // there may be any number of them
			delete(f.known.uses, name)
		}
	}
	if w.poolVersion != 0 {
		f.known.pools, f.known.version = w.pools, w.poolVersion
	}
	f.images.trim(len(w.members))
}
