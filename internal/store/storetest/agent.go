package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

func newAgent(id string, leaseEnds int64) *trowel.Agent {
	return &trowel.Agent{ID: id, Name: "1@host", Version: "0.1", Slots: 4, StartedAt: at(1), SeenAt: at(2), LeaseEnds: at(leaseEnds)}
}

// fullAgent has a value in every field.
func fullAgent(id, server string) *trowel.Agent {
	return &trowel.Agent{
		ID: id, Name: "2@other", Version: "0.2", Slots: 8, Host: "other", Queues: []string{"gpu", "default"}, Labels: []string{"a\"b"},
		Remote: true, ServerID: server, Token: 7, StartedAt: at(20), SeenAt: at(21), LeaseEnds: at(22), DrainedAt: at(23),
		SuspendReason: "no room",
		Limits: trowel.KeptLimits{
			Names: []string{"memory", "disk"}, Container: []string{"cpu"}, Max: trowel.CommandLimits{Memory: 1 << 40, CPU: 1.5, PIDs: 7, Disk: 9},
		},
	}
}

func putAgents(t *testing.T, db trowel.Store, agents ...*trowel.Agent) {
	t.Helper()
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		for _, a := range agents {
			if err := tx.PutAgent(ctx, a); err != nil {
				return err
			}
		}
		return nil
	})
}

func listAgents(t *testing.T, db trowel.Store) (list []*trowel.Agent) {
	t.Helper()
	view(t, db, func(ctx context.Context, tx trowel.Tx) (err error) {
		list, err = tx.ListAgents(ctx)
		return err
	})
	return list
}

// An agent is replaced as a whole.
func testAgents(t *testing.T, db trowel.Store) {
	a, b := newAgent("a", 10), newAgent("B", 10)
	putAgents(t, db, newAgent("a", 5), b, a)
	equal(t, "ListAgents", listAgents(t, db), []*trowel.Agent{b, a})
	*a = *fullAgent("a", "server")
	putAgents(t, db, a)
	equal(t, "ListAgents after a change", listAgents(t, db), []*trowel.Agent{b, a})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindAgent(ctx, "a")
		equal(t, "FindAgent", got, a)
		_, errUnknown := tx.FindAgent(ctx, "A")
		wantNotFound(t, map[string]error{"FindAgent": errUnknown})
		return err
	})
	a.DrainedAt, a.SuspendReason = time.Time{}, ""
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		wantNotFound(t, map[string]error{
			"DrainAgent": tx.DrainAgent(ctx, "unknown", at(1)), "RestAgent": tx.SuspendAgent(ctx, "unknown", "full"),
		})
		return errors.Join(tx.DrainAgent(ctx, "a", at(1)), tx.DrainAgent(ctx, "a", time.Time{}), tx.SuspendAgent(ctx, "a", ""), tx.SuspendAgent(ctx, "B", "full\x00\xff"))
	})
	b.SuspendReason = "full\ufffd\ufffd"
	equal(t, "ListAgents after a drain and a rest", listAgents(t, db), []*trowel.Agent{b, a})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.DeleteAgent(ctx, "B"), tx.DeleteAgent(ctx, "unknown"))
	})
	equal(t, "ListAgents after a deletion", listAgents(t, db), []*trowel.Agent{a})
}

// A lease can be renewed as long as the agent has a row, even after the lease has ended.
func testLeases(t *testing.T, db trowel.Store) {
	good, late, other := newAgent("good", 10), newAgent("late", 5), newAgent("other", 10)
	putAgents(t, db, good, late, other)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		renewed, err := tx.RenewLeases(ctx, []string{"late", "good", "unknown"}, at(5), at(35))
		equal(t, "RenewLeases", renewed, []string{"good", "late"})
		none, errNone := tx.RenewLeases(ctx, nil, at(5), at(35))
		equal(t, "number of leases renewed of no agents", len(none), 0)
		return errors.Join(err, errNone)
	})
	for _, a := range []*trowel.Agent{good, late} {
		a.SeenAt, a.LeaseEnds = at(5), at(35)
	}
	equal(t, "agents after a renewal", listAgents(t, db), []*trowel.Agent{good, late, other})
}

// Only agents of that server that are not drained are held. A held agent cannot be changed by others
// meanwhile.
func testHeldAgents(t *testing.T, db trowel.Store) {
	mine, other, drained := fullAgent("mine", "s1"), fullAgent("other", "s2"), fullAgent("drained", "s1")
	mine.DrainedAt, other.DrainedAt = time.Time{}, time.Time{}
	putAgents(t, db, mine, other, drained)
	deleted := make(chan error, 1)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		held, err := tx.LockAgents(ctx, []string{"unknown", "other", "mine", "drained"}, "s1")
		equal(t, "HoldAgents", held, []string{"mine"})
		none, errNone := tx.LockAgents(ctx, nil, "s1")
		equal(t, "number of agents held of none", len(none), 0)
		go func() {
			deleted <- db.Update(ctx, func(tx trowel.Tx) error { return tx.DeleteAgent(ctx, "mine") })
		}()
		_, errFind := tx.FindAgent(ctx, "mine")
		return errors.Join(err, errNone, errFind)
	})
	if err := <-deleted; err != nil {
		t.Errorf("delete an agent that was held: %v", err)
	}
	equal(t, "agents at the end", listAgents(t, db), []*trowel.Agent{drained, other})
}

// Servers renew the same leases in any order.
func testParallelLeases(t *testing.T, db trowel.Store) {
	var ids []string
	for i := range 20 {
		a := newAgent(string(rune('a'+i)), 10)
		ids = append(ids, a.ID)
		putAgents(t, db, a)
	}
	parallel(t, writers, func(i int) error {
		order := slices.Clone(ids)
		if i%2 == 0 {
			slices.Reverse(order)
		}
		for range writes {
			err := db.Update(t.Context(), func(tx trowel.Tx) error {
				renewed, err := tx.RenewLeases(t.Context(), order, at(5), at(35))
				if err == nil {
					equal(t, "number of renewed leases", len(renewed), len(ids))
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Orphans are running tasks whose agent has no valid lease.
func testOrphans(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, other := newAttempt(t, db, s, ""), newAttempt(t, db, s, "other")
	putAgents(t, db, newAgent("alive", 100), newAgent("late", 50))
	task := func(a *trowel.Attempt, id trowel.TaskID, state trowel.TaskState, agent string) *trowel.Task {
		row := newTask(a, id)
		row.State, row.AgentID, row.Try = state, agent, int(id)
		return row
	}
	insertTasks(t, db,
		task(other, 7, trowel.TaskRunning, "late"), task(a, 1, trowel.TaskRunning, "alive"), task(a, 2, trowel.TaskRunning, "gone"),
		task(a, 3, trowel.TaskSuccess, "gone"), task(a, 4, trowel.TaskReady, ""), task(a, 5, trowel.TaskRunning, ""), task(a, 6, trowel.TaskPlanned, "late"))
	gone, nobody := trowel.Orphan{AttemptID: a.ID, TaskID: 2, Try: 2, AgentID: "gone"}, trowel.Orphan{AttemptID: a.ID, TaskID: 5, Try: 5}
	late := trowel.Orphan{AttemptID: other.ID, TaskID: 7, Try: 7, AgentID: "late"}
	for _, row := range []struct {
		now   int64
		limit int
		want  []trowel.Orphan
	}{
		{49, 10, []trowel.Orphan{gone, nobody}}, {51, 10, []trowel.Orphan{gone, nobody, late}}, {51, 2, []trowel.Orphan{gone, nobody}},
	} {
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			got, err := tx.ListOrphans(ctx, at(row.now), row.limit)
			equal(t, "ListOrphans", got, row.want)
			return err
		})
	}
}
