package storetest

import (
	"context"
	"math/big"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// at returns an instant with microseconds, which a store keeps.
func at(seconds int64) time.Time { return time.UnixMicro(1705276800_000001 + seconds*1e6).UTC() }

// rich returns a map with a value of each kind, whose keys are not sorted.
func rich() *param.Map {
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	return param.Of(
		"z", "text with \"quotes\", \\ and \u00e4\u4e16\U0001F600", "a", int64(1)<<60, "float", 1.0, "tiny", 1e-7, "no", nil, "yes", true,
		"huge", huge, "list", param.List{int64(1), "two", param.Of("three", 3), param.List{}}, "empty", param.New(), "lines", "a\nb\tc\r\n",
	)
}

// newSetting stores a project with one workflow.
func newSetting(t *testing.T, db trowel.Store) *trowel.AttemptContext {
	t.Helper()
	s := &trowel.AttemptContext{
		Project:  trowel.Project{Name: "p", CreatedAt: at(0)},
		Revision: trowel.Revision{Name: "r1", Params: rich(), CreatedAt: at(1)},
		Workflow: trowel.Workflow{Name: "w", Zone: "Asia/Tokyo", Definition: rich()},
		Session:  trowel.Session{Workflow: "w", Time: time.Unix(1705276800, 0).UTC(), UUID: "11111111-2222-3333-4444-555555555555"},
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertRevision(ctx, &s.Project, &s.Revision, []*trowel.Workflow{&s.Workflow})
	})
	s.Session.ProjectID = s.Project.ID
	return s
}

// newAttempt stores an attempt in a session of its own.
func newAttempt(t *testing.T, db trowel.Store, s *trowel.AttemptContext, name string) *trowel.Attempt {
	t.Helper()
	a := &trowel.Attempt{
		Name: name, WorkflowID: s.Workflow.ID, Zone: "Asia/Tokyo", Params: rich(), Cause: "run", Actor: "somebody", CreatedAt: at(2),
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertAttempt(ctx, &s.Session, a) })
	return a
}

// fullAttempt returns an attempt with a value in every field but those that InsertAttempt sets.
func fullAttempt(s *trowel.AttemptContext, name string) *trowel.Attempt {
	return &trowel.Attempt{
		Name: name, WorkflowID: s.Workflow.ID, Zone: "Asia/Tokyo", Params: rich(), Flags: trowel.AttemptCancelRequested | trowel.AttemptDone,
		Cause: "backfill", Actor: "somebody", Version: 5, CreatedAt: at(20), FinishedAt: at(21), WaitReason: trowel.WaitAttemptsLimit,
	}
}

// newTask returns a task like those that attempts begin with.
func newTask(a *trowel.Attempt, id trowel.TaskID) *trowel.Task {
	return &trowel.Task{
		ID: id, AttemptID: a.ID, FullName: "+w+t", State: trowel.TaskBlocked, Flags: trowel.TaskInitial,
		Local: param.Of("op>", 1), Origin: trowel.Origin{Place: "w.dig:2:1"}, UpdatedAt: at(3), Version: 1,
	}
}

// fullTask returns a task with a value in every field.
func fullTask(a *trowel.Attempt, id trowel.TaskID) *trowel.Task {
	return &trowel.Task{
		ID: id, AttemptID: a.ID, ParentID: 1, FullName: "+w+a^sub", Group: true, Local: rich(), Export: param.Of("e", 1),
		Origin:    trowel.Origin{Place: "a: \"ü\".dig:12:3", Bodies: param.Of("_do", param.Of("@", "13:5", "+x", "b.dig:1:1"), "_error", "20:1")},
		Upstreams: []trowel.TaskID{2, 3, 3}, State: trowel.TaskGroupRetryWaiting,
		Flags: trowel.TaskInitial | trowel.TaskCancelRequested | trowel.TaskDelayedError | trowel.TaskDelayedGroupError,
		Round: 4, ParentRound: 5, Try: 6, RetryCount: 7, RetryAt: at(10), WaitReason: "group_retry", StateParams: param.Of("s", 1),
		Result: trowel.Result{Subtasks: param.Of("+x", param.New()), Export: rich(), ResetKeys: []string{"a.b", "c"}, Store: rich()},
		Error:  param.Of("message", "no", "stacktrace", "a, b"), ReadyAt: at(11), ClaimedAt: at(12), StartedAt: at(13), UpdatedAt: at(14),
		AgentID: "agent-1", Requirements: fullNeeds(), Acquired: trowel.Acquired{"pool:1": 2, "concurrency:site:a\"b": 1}, Losses: 3, ResumingID: 99, Version: 8,
		Masked: trowel.Masked{"store/a~1b/0", "state/\u00fc\"~2~k"},
	}
}

// fullNeeds returns needs with a value in every field.
func fullNeeds() *trowel.Requirements {
	weight := -3
	return &trowel.Requirements{
		Queue: "gpu", Labels: []string{"a", "b<c"}, Pools: []trowel.PoolRequirement{{Name: "etl", Slots: 2}}, Weight: &weight,
		Concurrency: &trowel.Concurrency{Limit: 1, Per: trowel.PerSite, Key: "k\u00e4", Fail: true, RunningOnly: true},
		Limits:      &trowel.CommandLimits{Memory: 1 << 40, CPU: 0.5, PIDs: 3, Disk: 4}, Container: true,
	}
}

// insertTasks stores tasks.
func insertTasks(t *testing.T, db trowel.Store, tasks ...*trowel.Task) {
	t.Helper()
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertTasks(ctx, tasks) })
}

// listTasks reads the live tasks of an attempt.
func listTasks(t *testing.T, db trowel.Store, a *trowel.Attempt) (list []*trowel.Task) {
	t.Helper()
	view(t, db, func(ctx context.Context, tx trowel.Tx) (err error) {
		list, err = tx.ListTasks(ctx, a.ID, -1)
		return err
	})
	return list
}
