package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/engine/model"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// TestRandomCasesStored plays random cases with a SQLite store: what a crash loses is read back
// from there, and in the end from the archive.
func TestRandomCasesStored(t *testing.T) {
	t.Parallel()
	db := trowtest.Store(t)
	base := trowtest.Push(t, db, "p", map[string]string{"w": "{}"}).Context("w")
	for i := range max(40, *rounds/20) {
		number := *seed + uint64(i)
		kept := &stored{ctx: t.Context(), db: db, attempt: insertAttempt(t, db, base, i)}
		d, err := play(model.NewCase(number), number, kept)
		if err != nil {
			t.Fatalf("case %d: %v", number, err)
		}
		if err := kept.archive(d.img); err != nil {
			t.Fatalf("case %d: %v", number, err)
		}
	}
}

func insertAttempt(t *testing.T, db trowel.Store, s trowel.AttemptContext, i int) trowel.AttemptID {
	t.Helper()
	session := &trowel.Session{ProjectID: s.Project.ID, Workflow: "w", Time: time.Unix(int64(i+1), 0), UUID: "u"}
	a := &trowel.Attempt{WorkflowID: s.Workflow.ID, Zone: "UTC", Params: param.New(), Cause: "test", CreatedAt: time.Unix(1, 0)}
	trowtest.Update(t, db, func(tx trowel.Tx) error { return tx.InsertAttempt(t.Context(), session, a) })
	return a.ID
}

// stored is a keeper that writes as package flush does.
type stored struct {
	ctx     context.Context //nolint:containedctx // of the test
	db      trowel.Store
	attempt trowel.AttemptID
}

func (k *stored) write(img *engine.TaskTree, changes []engine.Change) error {
	var inserts []*trowel.Task
	var updates []trowel.TaskUpdate
	place := map[*trowel.Task]int{}
	for _, c := range changes {
		c.Task.AttemptID = k.attempt
		at, known := place[c.Task]
		switch {
		case c.New:
			place[c.Task] = -1
			inserts = append(inserts, c.Task)
		case !known:
			place[c.Task] = len(updates)
			updates = append(updates, trowel.TaskUpdate{Task: c.Task, From: c.From, Detail: c.Detail, Ended: c.To.Done()})
		case at >= 0:
			updates[at].Detail = updates[at].Detail || c.Detail
			updates[at].Ended = updates[at].Ended && c.To.Done()
		}
	}
	return k.db.Update(k.ctx, func(tx trowel.Tx) error {
		row := img.Attempt
		row.ID = k.attempt
		if err := tx.UpdateAttempts(k.ctx, &row); err != nil {
			return err
		}
		if err := tx.InsertTasks(k.ctx, inserts); err != nil {
			return err
		}
		return tx.UpdateTasks(k.ctx, updates)
	})
}

func (k *stored) read(newerThan int64) (rows []*trowel.Task, err error) {
	err = k.db.View(k.ctx, func(tx trowel.Tx) error {
		rows, err = tx.ListTasks(k.ctx, k.attempt, newerThan)
		return err
	})
	return rows, err
}

// archive archives the tasks and compares what comes back.
func (k *stored) archive(img *engine.TaskTree) error {
	want := img.List()
	var got []*trowel.Task
	err := k.db.Update(k.ctx, func(tx trowel.Tx) error {
		err := tx.ArchiveTasks(k.ctx, time.Unix(2, 0), trowel.EndedTasks{AttemptID: k.attempt, Tasks: want})
		if err != nil {
			return err
		}
		got, err = tx.ListArchivedTasks(k.ctx, k.attempt)
		return err
	})
	if err != nil {
		return err
	}
	same := cmp.Comparer(func(a, b *param.Map) bool { return a.Len()+b.Len() == 0 || param.Equal(a, b) })
	if diff := cmp.Diff(want, got, same); diff != "" {
		return fmt.Errorf("archive (-want +got):\n%s", diff)
	}
	return nil
}
