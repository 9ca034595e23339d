package storetest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// Ready and running tasks are counted by project, needs and agent. Others are not counted.
func testOverview(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a := newAttempt(t, db, s, "")
	ready := func(id trowel.TaskID, needs *trowel.Requirements, seconds int64) *trowel.Task {
		row := newTask(a, id)
		row.State, row.Requirements, row.ReadyAt = trowel.TaskReady, needs, at(seconds)
		return row
	}
	running := func(id trowel.TaskID, agent string) *trowel.Task {
		row := ready(id, nil, 50)
		row.State, row.AgentID, row.Acquired = trowel.TaskRunning, agent, trowel.Acquired{"pool:7": 1}
		return row
	}
	old := ready(3, nil, 5)
	old.AgentID = "before" // the agent of an earlier try
	insertTasks(t, db, newTask(a, 1), ready(2, nil, 9), old, ready(4, fullNeeds(), 7), running(5, "x"), running(6, "y"), running(7, "x"), fullTask(a, 8))
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.CountLive(ctx)
		slices.SortFunc(got, func(a, b trowel.LiveCount) int {
			return cmp.Or(cmp.Compare(a.State, b.State), a.Oldest.Compare(b.Oldest), cmp.Compare(a.AgentID, b.AgentID))
		})
		equal(t, "CountLive", got, []trowel.LiveCount{
			{State: trowel.TaskReady, ProjectID: s.Project.ID, Count: 2, Oldest: at(5)},
			{State: trowel.TaskReady, ProjectID: s.Project.ID, Requirements: fullNeeds(), Count: 1, Oldest: at(7)},
			{State: trowel.TaskRunning, ProjectID: s.Project.ID, AgentID: "x", Count: 2, Oldest: at(50)},
			{State: trowel.TaskRunning, ProjectID: s.Project.ID, AgentID: "y", Count: 1, Oldest: at(50)},
		})
		return err
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		var got []trowel.LiveTask
		err := tx.EachLive(ctx, trowel.TaskRunning, func(task *trowel.LiveTask, project trowel.ProjectID) error {
			equal(t, "project", project, s.Project.ID)
			got = append(got, *task)
			return nil
		})
		slices.SortFunc(got, func(a, b trowel.LiveTask) int { return cmp.Compare(a.TaskID, b.TaskID) })
		var want []trowel.LiveTask
		for id, agent := range map[trowel.TaskID]string{5: "x", 6: "y", 7: "x"} {
			want = append(want, trowel.LiveTask{
				AttemptID: a.ID, TaskID: id, State: trowel.TaskRunning, Flags: trowel.TaskInitial, ReadyAt: at(50), AgentID: agent, Acquired: trowel.Acquired{"pool:7": 1},
			})
		}
		slices.SortFunc(want, func(a, b trowel.LiveTask) int { return cmp.Compare(a.TaskID, b.TaskID) })
		equal(t, "EachLive", got, want)
		stop := errors.New("enough")
		if err := tx.EachLive(ctx, trowel.TaskReady, func(*trowel.LiveTask, trowel.ProjectID) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("EachLive that is stopped: %v", err)
		}
		return err
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		named, err := tx.NameTasks(ctx, map[trowel.TaskID]trowel.AttemptID{8: a.ID, 2: a.ID, 99: a.ID, 7: a.ID + 1})
		name := func(id trowel.TaskID, full string) trowel.TaskName {
			return trowel.TaskName{TaskID: id, FullName: full, AttemptID: a.ID, ProjectID: s.Project.ID, Project: "p", Workflow: "w"}
		}
		equal(t, "NameTasks", named, map[trowel.TaskID]trowel.TaskName{2: name(2, "+w+t"), 8: name(8, "+w+a^sub")})
		names, errNames := tx.ListTaskNames(ctx, a.ID)
		equal(t, "number of names", len(names), 8)
		equal(t, "ListTaskNames", names[8], "+w+a^sub")
		none, errNone := tx.NameTasks(ctx, nil)
		equal(t, "NameTasks of none", len(none), 0)
		return errors.Join(err, errNames, errNone)
	})
}

// Rows of the audit are read page by page, from both ends.
func testAuditRows(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, other := newAttempt(t, db, s, ""), newAttempt(t, db, s, "other")
	entry := func(of *trowel.Attempt, batch int64, task trowel.TaskID) trowel.AuditEntry {
		return trowel.AuditEntry{At: at(batch), AttemptID: of.ID, TaskID: task, Try: 1, From: "ready", To: "running", Cause: "claim", Actor: "x", Batch: batch}
	}
	for batch := range int64(5) {
		update(t, db, func(ctx context.Context, tx trowel.Tx) error {
			return tx.InsertAudits(ctx, []trowel.AuditEntry{entry(a, batch, 1), entry(other, batch, 3), entry(a, batch, 2)})
		})
	}
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		var batches []int64
		for from := int64(0); ; {
			rows, err := tx.ListAuditRows(ctx, a.ID, from, false, 2)
			if err != nil || len(rows) == 0 {
				equal(t, "batches", batches, []int64{0, 1, 2, 3, 4})
				return err
			}
			for _, row := range rows {
				batch := row.Entries[0].Batch
				equal(t, "entries", row.Entries, []trowel.AuditEntry{entry(a, batch, 1), entry(a, batch, 2)})
				batches, from = append(batches, batch), row.ID
			}
		}
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		last, err := tx.ListAuditRows(ctx, a.ID, 0, true, 2)
		if err != nil || len(last) != 2 {
			t.Fatalf("last rows: %v, %v", last, err)
		}
		equal(t, "last row", last[0].Entries[0].Batch, int64(4))
		before, err := tx.ListAuditRows(ctx, a.ID, last[1].ID, true, 9)
		equal(t, "rows before", len(before), 3)
		return err
	})
}
