package storetest

import (
	"context"
	"fmt"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/wait"
)

// Fault is what goes wrong with one writing transaction.
type Fault uint8

// The faults. Their errors are ErrUnavailable, so the caller may try again.
const (
	None        Fault = iota
	Begin             // the transaction does not begin
	Statement         // one of its statements fails, and with it the whole transaction
	Commit            // it is rolled back instead of committed
	AfterCommit       // it is committed, but reported as failed
)

// Plan says what happens to one transaction.
type Plan struct {
	Fault Fault
	// Statement is how many statements succeed before one fails.
	Statement int
	// Delay is how long it waits before it begins.
	Delay time.Duration
}

// Faulty is a Store whose writing transactions fail on demand.
type Faulty struct {
	trowel.Store

	mu   sync.Mutex
	plan func() Plan
}

// NewFaulty wraps a store. plan is asked for each transaction, one at a time.
func NewFaulty(inner trowel.Store, plan func() Plan) *Faulty {
	return &Faulty{Store: inner, plan: plan}
}

// Update implements trowel.Store.
func (f *Faulty) Update(ctx context.Context, do func(trowel.Tx) error) error {
	f.mu.Lock()
	plan := f.plan()
	f.mu.Unlock()
	if plan.Delay > 0 {
		if err := wait.Sleep(ctx, plan.Delay); err != nil {
			return err
		}
	}
	if plan.Fault == Begin {
		return failure("begin")
	}
	err := f.Store.Update(ctx, func(tx trowel.Tx) error {
		broken := &faultyTx{Tx: tx, left: -1}
		if plan.Fault == Statement {
			broken.left = plan.Statement
		}
		err := do(broken)
		switch {
		case err != nil:
			return err
		case broken.failed: // a caller that ignored the error cannot commit
			return failure("commit after a failed statement")
		case plan.Fault == Commit:
			return failure("commit")
		}
		return nil
	})
	if err == nil && plan.Fault == AfterCommit {
		return failure("hear of the commit")
	}
	return err
}

func failure(what string) error {
	return fmt.Errorf("cannot %s: %w on demand", what, trowel.ErrUnavailable)
}

// faultyTx is a transaction one of whose statements fails.
type faultyTx struct {
	trowel.Tx

	left   int // statements that still succeed; negative is any number
	failed bool
}

// next counts a statement and fails if it is its turn. After a failure all fail.
func (t *faultyTx) next() error {
	if t.left == 0 || t.failed {
		t.failed = true
		return failure("run a statement")
	}
	t.left--
	return nil
}

// result runs a statement that returns something.
func result[T any](t *faultyTx, run func() (T, error)) (T, error) {
	if err := t.next(); err != nil {
		var none T
		return none, err
	}
	return run()
}

// InsertAttempt implements trowel.Tx, like the methods below.
func (t *faultyTx) InsertAttempt(ctx context.Context, s *trowel.Session, a *trowel.Attempt) error {
	if err := t.next(); err != nil {
		return err
	}
	return t.Tx.InsertAttempt(ctx, s, a)
}

func (t *faultyTx) LockAttempts(ctx context.Context, ids []trowel.AttemptID) ([]*trowel.Attempt, error) {
	return result(t, func() ([]*trowel.Attempt, error) { return t.Tx.LockAttempts(ctx, ids) })
}

func (t *faultyTx) LockAttemptVersions(ctx context.Context, versions map[trowel.AttemptID]int64) error {
	if err := t.next(); err != nil {
		return err
	}
	return t.Tx.LockAttemptVersions(ctx, versions)
}

func (t *faultyTx) UpdateAttempts(ctx context.Context, attempts ...*trowel.Attempt) error {
	if err := t.next(); err != nil {
		return err
	}
	return t.Tx.UpdateAttempts(ctx, attempts...)
}

func (t *faultyTx) FindAttemptContext(ctx context.Context, id trowel.AttemptID) (*trowel.AttemptContext, error) {
	return result(t, func() (*trowel.AttemptContext, error) { return t.Tx.FindAttemptContext(ctx, id) })
}

func (t *faultyTx) CountRunningAttempts(ctx context.Context) (int, error) {
	return result(t, func() (int, error) { return t.Tx.CountRunningAttempts(ctx) })
}

func (t *faultyTx) ReserveTaskIDs(ctx context.Context, n int) (trowel.TaskID, error) {
	return result(t, func() (trowel.TaskID, error) { return t.Tx.ReserveTaskIDs(ctx, n) })
}

func (t *faultyTx) ListTasks(ctx context.Context, attempt trowel.AttemptID, newerThan int64) ([]*trowel.Task, error) {
	return result(t, func() ([]*trowel.Task, error) { return t.Tx.ListTasks(ctx, attempt, newerThan) })
}

func (t *faultyTx) InsertTasks(ctx context.Context, tasks []*trowel.Task) error {
	if err := t.next(); err != nil {
		return err
	}
	return t.Tx.InsertTasks(ctx, tasks)
}

func (t *faultyTx) UpdateTasks(ctx context.Context, updates []trowel.TaskUpdate) error {
	if err := t.next(); err != nil {
		return err
	}
	return t.Tx.UpdateTasks(ctx, updates)
}

func (t *faultyTx) InsertTries(ctx context.Context, tries []trowel.Try) error {
	if err := t.next(); err != nil {
		return err
	}
	return t.Tx.InsertTries(ctx, tries)
}

func (t *faultyTx) InsertAudits(ctx context.Context, entries []trowel.AuditEntry) error {
	if err := t.next(); err != nil {
		return err
	}
	return t.Tx.InsertAudits(ctx, entries)
}

func (t *faultyTx) ArchiveTasks(ctx context.Context, at time.Time, ended ...trowel.EndedTasks) error {
	if err := t.next(); err != nil {
		return err
	}
	return t.Tx.ArchiveTasks(ctx, at, ended...)
}
