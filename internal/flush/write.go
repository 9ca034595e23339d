package flush

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/queue"
)

// write gathers what one transaction stores: several moves of one task become one row.
type write struct {
	at          time.Time
	began       time.Time // by the clock of the machine
	before      *write    // an earlier try of the same, of which nobody knows whether it was committed
	filled      bool      // all is written but for the commit
	careful     bool      // takes nothing for known that another server may have changed
	counted     bool      // the running attempts were counted
	locked      []trowel.AttemptID
	members     []*attempt // those of the locked ones that run, and those that it began
	unheld      []string   // agents that are not served here any more
	begun       []*attempt
	undone      []*engine.Image           // of the members, after an undo
	done        map[trowel.AttemptID]bool // those to be locked that have ended
	mark        int64                     // a random number for the transaction, kept in the audit
	batch       Batch
	claimed     []claimed
	pools       []*trowel.Pool // as they were read; nil if they were not
	poolVersion int64
	outdated    error          // why this build claims nothing any more, see trowel.Writers
	uses        map[string]int // what is added to counters
	freedTo     int            // how many changes were looked at for what was given back
	locks       map[string]int // counters as they are after the transaction
	paused      map[trowel.WorkflowName]bool
	// admitted are how many attempts of a workflow are admitted, as far as it was counted.
	admitted    map[trowel.WorkflowName]int
	neverBegan  map[trowel.AttemptID]bool // of the ended ones
	evaluations []evaluation
	awaited     []awaited // for whose end somebody waits from now on

	touched []*engine.Image // in the order in which they were first changed
	seen    map[*engine.Image]bool
	raised  map[*engine.Image]bool // those whose versions in the store are those of this transaction
	inserts []*trowel.Task
	updates []trowel.TaskUpdate
	rows    map[*trowel.Task]int // place in updates, or -1 for an insert
	audits  []trowel.Audit
	records []*trowel.Record
	logs    []trowel.LogChunk
	// monitors are those of new attempts, and those whose timer rang too early.
	monitors []trowel.Monitor
	waiting  []wait  // whose timer rang too early
	limits   []limit // when to look at limits of time again
}

type claimed struct {
	attempt *attempt
	task    trowel.TaskID
	agent   queue.Agent
}

type awaited struct {
	attempt *attempt
	ended   chan trowel.Attempt
}

type wait struct {
	attempt *attempt
	row     *trowel.Task
}

type limit struct {
	attempt *attempt
	at      time.Time // zero for never
}

func newWrite(at time.Time, before *write, careful bool) *write {
	return &write{
		at: at, began: time.Now(), before: before, careful: careful, mark: rand.Int64(), //nolint:gosec // to be told apart, not to be secret
		batch: Batch{At: at, settings: map[trowel.AttemptID]*trowel.Setting{}},
		done:  map[trowel.AttemptID]bool{}, neverBegan: map[trowel.AttemptID]bool{}, seen: map[*engine.Image]bool{},
		raised: map[*engine.Image]bool{}, rows: map[*trowel.Task]int{},
	}
}

// member notes an attempt that may change.
func (w *write) member(a *attempt) { w.members = append(w.members, a) }

// begin records the start of an attempt.
func (w *write) begin(img *engine.Image, actor string) {
	w.touch(img)
	a := &img.Attempt
	w.batch.Started = append(w.batch.Started, *a)
	w.audit(trowel.Audit{AttemptID: a.ID, To: a.Flags.Status(), Cause: a.Cause, Actor: actor})
}

// touch notes an image that has changed, and gives it the version of this transaction.
func (w *write) touch(img *engine.Image) {
	if w.seen[img] {
		return
	}
	w.seen[img] = true
	w.touched = append(w.touched, img)
	w.batch.settings[img.Attempt.ID] = img.Setting()
	if !w.raised[img] {
		img.Attempt.Version++
	}
}

// raise gives an image the version of this transaction, to which the store raises it too.
func (w *write) raise(img *engine.Image) {
	w.raised[img] = true
	img.Attempt.Version++
}

// add takes what an event led to.
func (w *write) add(img *engine.Image, applied engine.Applied, actor string) {
	w.batch.Warnings = append(w.batch.Warnings, applied.Warnings...)
	if len(applied.Changes) == 0 && !applied.Ended {
		return
	}
	w.touch(img)
	w.batch.Changes = append(w.batch.Changes, applied.Changes...)
	w.batch.Tries = append(w.batch.Tries, applied.Tries...)
	for i := range applied.Changes {
		w.change(&applied.Changes[i], img.Attempt.Version, actor)
	}
	if applied.Ended {
		a := img.Attempt
		w.batch.Ended = append(w.batch.Ended, a)
		w.audit(trowel.Audit{AttemptID: a.ID, From: "running", To: a.Flags.Status(), Cause: "end", Actor: actor})
	}
}

func (w *write) change(c *engine.Change, version int64, actor string) {
	at, known := w.rows[c.Task]
	c.Task.Version = version
	switch {
	case c.New:
		w.rows[c.Task] = -1
		w.inserts = append(w.inserts, c.Task)
		return // the row itself says that it was made
	case !known:
		w.rows[c.Task] = len(w.updates)
		w.updates = append(w.updates, trowel.TaskUpdate{Task: c.Task, From: c.From, Detail: c.Detail})
	case at >= 0 && c.Detail:
		w.updates[at].Detail = true
	}
	w.audit(trowel.Audit{
		AttemptID: c.Task.AttemptID, TaskID: c.Task.ID, Try: c.Task.Try,
		From: c.From.String(), To: c.To.String(), Cause: string(c.Move), Actor: actor,
	})
}

// reported names the agent as who ended its try; what follows from that is the engine's doing.
func (w *write) reported(entries []trowel.Audit, r *trowel.Report) {
	for i := range entries {
		e := &entries[i]
		if e.TaskID != r.TaskID || e.From != trowel.TaskRunning.String() {
			continue
		}
		for j := len(w.batch.Tries) - 1; j >= 0; j-- {
			if try := &w.batch.Tries[j]; try.TaskID == r.TaskID && try.Number == r.Try {
				e.Actor = try.AgentID
				return
			}
		}
		return
	}
}

// keepWaiting notes a task whose timer rang before its instant, as after a step of the clock: it
// needs another. row is nil if there is no such task.
func (w *write) keepWaiting(a *attempt, row *trowel.Task) {
	if row != nil && row.RetryAt.After(w.at) {
		w.waiting = append(w.waiting, wait{a, row})
	}
}

// keepLogs takes the output of a try, also of one whose report comes too late, unless its attempt is
// not in the store.
func (w *write) keepLogs(id trowel.AttemptID, chunks []trowel.LogChunk, known map[trowel.AttemptID]*attempt) {
	if w.done[id] || known[id] != nil {
		w.logs = append(w.logs, chunks...)
	}
}

func (w *write) audit(e trowel.Audit) {
	e.At, e.Batch = w.at, w.mark
	w.audits = append(w.audits, e)
}

// happened reports whether the transaction was committed, although its writer was told otherwise. It
// locks what the transaction had locked, so that one that is still being committed comes to its end.
func (w *write) happened(ctx context.Context, tx trowel.Tx) (bool, error) {
	if len(w.audits) == 0 {
		return false, nil // it changed nothing
	}
	if _, err := tx.LockAttempts(ctx, w.changed()); err != nil {
		return false, err
	}
	return tx.HasBatch(ctx, w.audits[0].AttemptID, w.mark)
}

// changed lists the attempts that changed, in no order.
func (w *write) changed() []trowel.AttemptID {
	ids := make([]trowel.AttemptID, len(w.touched))
	for i, img := range w.touched {
		ids[i] = img.Attempt.ID
	}
	return ids
}

// store writes everything, one statement for each kind of change.
func (w *write) store(ctx context.Context, tx trowel.Tx) error {
	if err := w.storeAttempts(ctx, tx); err != nil {
		return err
	}
	if err := tx.InsertTasks(ctx, w.inserts); err != nil {
		return err
	}
	if err := tx.UpdateTasks(ctx, w.updates); err != nil {
		return err
	}
	if err := tx.InsertTries(ctx, w.batch.Tries); err != nil {
		return err
	}
	if err := tx.InsertAudits(ctx, w.audits); err != nil {
		return err
	}
	if err := tx.InsertRecords(ctx, w.records...); err != nil {
		return err
	}
	if len(w.logs) > 0 {
		if err := tx.InsertLogChunks(ctx, w.logs); err != nil {
			return err
		}
	}
	return w.archive(ctx, tx)
}

// storeAttempts writes the attempts that have changed. Of most only the version has, which may be raised already.
func (w *write) storeAttempts(ctx context.Context, tx trowel.Tx) error {
	var changed []*trowel.Attempt
	versions := map[trowel.AttemptID]int64{}
	for _, a := range w.members {
		if !w.seen[a.Image] {
			continue
		}
		if !w.raised[a.Image] {
			versions[a.id] = a.Attempt.Version - 1
		}
		if now := stateOf(&a.Attempt); now != a.stored {
			changed, a.stored = append(changed, &a.Attempt), now
		}
	}
	if err := tx.ExpectAttempts(ctx, versions); err != nil {
		return err
	}
	return tx.UpdateAttempts(ctx, changed...)
}

// archive puts the tasks of ended attempts away.
func (w *write) archive(ctx context.Context, tx trowel.Tx) error {
	if len(w.batch.Ended) == 0 {
		return nil
	}
	var ended []trowel.EndedTasks
	for _, a := range w.members {
		if !a.Done() {
			continue
		}
		if err := a.deleteExtras(ctx, tx); err != nil {
			return fmt.Errorf("end attempt %d: %w", a.id, err)
		}
		ended = append(ended, trowel.EndedTasks{AttemptID: a.id, Tasks: a.List()})
	}
	return tx.ArchiveTasks(ctx, w.at, ended...)
}

// canceled lists the running tasks that were asked to stop, by their agents.
func (w *write) canceled() map[string][]trowel.TryID {
	tries := map[string][]trowel.TryID{}
	for _, c := range w.batch.Changes {
		if c.Move == trowel.MoveCancel && c.To == trowel.TaskRunning {
			tries[c.Task.AgentID] = append(tries[c.Task.AgentID], trowel.TryID{Task: c.Task.ID, Number: c.Task.Try})
		}
	}
	return tries
}

// news is what other servers are told.
func (w *write) news() cluster.Attempts {
	n := cluster.Attempts{Changed: w.changed()}
	for _, a := range w.members {
		if a.running() {
			if _, more := a.NextReady(); more {
				n.Ready = append(n.Ready, a.id)
			}
		}
	}
	for i := range w.batch.Changes {
		if row := w.batch.Changes[i].Task; row.State == trowel.TaskReady {
			n.Weight = max(n.Weight, row.Needs.PriorityWeight())
		}
	}
	for _, noted := range [][]trowel.Attempt{w.batch.Started, w.batch.Killed, w.batch.Ended} {
		for i := range noted {
			n.Noted = append(n.Noted, noted[i].ID)
		}
	}
	for _, change := range w.uses {
		n.Limits = n.Limits || change < 0
	}
	return n
}
