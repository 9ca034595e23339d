package engine

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// finish ends a planned task if none of its children can run any more (language X12, X13). It is called whenever
// something below the task changed. It does nothing while a child is progressing, or if the task is no longer planned.
func (a *applying) finish(t *task) {
	if t.State != trowel.TaskPlanned || t.running > 0 {
		return
	}
	switch {
	case t.Flags&trowel.TaskCancelRequested != 0:
		a.move(t, trowel.TransitionCancel, trowel.TaskCanceled, false)
	case t.Flags&trowel.TaskDelayedError != 0:
		a.move(t, trowel.TransitionError, trowel.TaskError, false)
	case t.Flags&trowel.TaskDelayedGroupError != 0:
		a.move(t, trowel.TransitionGroupError, trowel.TaskGroupError, false)
	case t.failed == 0:
		a.move(t, trowel.TransitionSuccess, trowel.TaskSuccess, false)
	case a.retryGroup(t):
	case a.insertFailureTasks(t):
		t.Flags |= trowel.TaskDelayedGroupError
		a.move(t, trowel.TransitionFailureTasks, trowel.TaskPlanned, false)
		a.then(t, opened)
	default:
		a.move(t, trowel.TransitionGroupError, trowel.TaskGroupError, false)
	}
}

// retryGroup makes a task with a failed subtree wait for its retry, if it has retries left, and reports whether it did
// (language X34). The body is read unevaluated, and an invalid _retry counts as none (X35, C31).
func (a *applying) retryGroup(t *task) bool {
	value := t.raw("_retry")
	if value == nil {
		return false
	}
	retry, err := dig.ParseRetry(value)
	if err != nil {
		a.warn("cannot retry " + t.FullName + ": " + err.Error())
		return false
	}
	done, err := param.NewReader(t.StateParams).IntOr("retry_count", 0)
	if err != nil || done >= retry.Limit {
		return false
	}
	params := t.StateParams.Clone()
	params.Set("retry_count", int64(done+1))
	t.StateParams = params
	t.RetryAt = a.at.Add(retry.Delay(done))
	t.WaitReason = trowel.WaitGroupRetry
	a.move(t, trowel.TransitionGroupRetry, trowel.TaskGroupRetryWaiting, true)
	return true
}

// insertFailureTasks adds the tasks that run when a subtree has failed for good: ^failure-alert for the root, and ^error
// for a task with an _error body (language X15). The alert itself may exceed the limit, but it counts; if the ^error
// tasks of the root are then too many, the alert is left out too (language C38, C39).
func (a *applying) insertFailureTasks(t *task) bool {
	exports, object := t.gatherFailure()
	return a.insertFailureTrees(t, object, exports)
}

func (a *applying) insertFailureTrees(t *task, object, exports *param.Map) bool {
	tree := a.compileErrorTasks(t, object, exports)
	var alert []dig.Task
	if t.parent == nil {
		alert = []dig.Task{command(t, "^failure-alert", "notify", "Workflow session attempt failed")} // language X21
	}
	if len(tree) > 0 && !a.roomFor(t, tree, len(alert)) {
		return false
	}
	for _, added := range [][]dig.Task{alert, tree} {
		if len(added) > 0 {
			a.insert(added, t, nil, 0).Masked = t.maskedBelow(exports)
		}
	}
	return len(alert)+len(tree) > 0
}

// maskedBelow are the hidden places of what descendants stored, as masks of exports.
func (t *task) maskedBelow(stores *param.Map) trowel.Masked {
	var all trowel.Masked
	t.descendants(func(d *task) bool {
		if len(d.Masked) > 0 {
			all = all.With(d.Masked.Still(trowel.AreaStore, d.Result.Store, stores).Moved(trowel.AreaStore, trowel.AreaExport)...)
		}
		return true
	})
	return all
}

// gatherFailure merges what all descendants stored, and their error objects, in tree order (language X19).
func (t *task) gatherFailure() (stores, object *param.Map) {
	stores, object = param.New(), param.New()
	t.descendants(func(d *task) bool {
		stores.Merge(d.Result.Store)
		object.Merge(d.Error)
		return true
	})
	return stores, object
}
