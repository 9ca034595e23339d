package flush

import (
	"context"
	"math/rand/v2"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/engine"
)

// txnState is how far a transaction has come.
type txnState uint8

const (
	txnOpen    txnState = iota
	txnWritten          // everything but the commit is done: if that fails, the outcome is unknown
	txnEvicted          // the task trees that it has changed were evicted
)

// txn is one transaction: its participants, what it writes, and what is to be done after it.
type txn struct {
	tx          trowel.Tx
	at          time.Time
	began       time.Time // by the clock of the machine
	before      *txn      // an earlier one with the same requests, whose outcome is unknown; or nil
	pessimistic bool      // does not rely on the cache where another server may have changed something
	state       txnState

	txnParts
	participants []*attempt // the locked attempts that run, and those that it began
	begun        []*attempt
	evicted      []*engine.TaskTree        // the trees of the participants, if they were evicted
	done         map[trowel.AttemptID]bool // attempts that had ended before this transaction
	admissions   admissions

	changes  changes
	counters counters
	effects  effects
}

// participation is the role of an attempt in a transaction.
type participation struct {
	touched bool // the transaction has changed it
	bumped  bool // the store has the version of this transaction already
}

// txnParts has what all transactions of a flusher share.
type txnParts struct {
	cache  *cache
	ids    *ids
	count  *attemptCount
	bounds engine.Limits
	spare  *spare
}

func newTxn(tx trowel.Tx, at time.Time, before *txn, pessimistic bool, parts txnParts) *txn {
	mark := rand.Int64() //nolint:gosec // to be told apart, not to be secret
	t := &txn{
		tx: tx, at: at, began: time.Now(), before: before, pessimistic: pessimistic, txnParts: parts,
		done: map[trowel.AttemptID]bool{}, changes: newChanges(at, mark, parts.spare),
	}
	t.changes.oldLogs = pessimistic
	return t
}

// join adds an attempt that may change.
func (t *txn) join(a *attempt) {
	a.part = participation{}
	t.participants = append(t.participants, a)
}

// begin adds an attempt that the transaction has inserted.
func (t *txn) begin(a *attempt) {
	t.join(a)
	a.part.bumped = true
	a.streak = trustedAfter
	t.begun = append(t.begun, a)
	t.count.began()
}

// bump gives an attempt the version of this transaction. The caller must raise it in the store.
func (t *txn) bump(a *attempt) {
	a.part.bumped = true
	a.tree.Attempt.Version++
}

// touch records that an attempt has changed, and gives it the version of this transaction.
func (t *txn) touch(a *attempt) {
	if a.part.touched {
		return
	}
	a.part.touched = true
	t.changes.touched = append(t.changes.touched, a.id)
	t.changes.batch.settings[a.id] = a.tree.Context()
	if !a.part.bumped {
		a.tree.Attempt.Version++
	}
}

// hasEnded reports whether an attempt has ended, in this transaction or before.
func (t *txn) hasEnded(id trowel.AttemptID) bool {
	a := t.cache.get(id)
	return t.done[id] || (a != nil && a.tree != nil && a.tree.Done())
}

// apply applies an event to a running attempt.
func (t *txn) apply(a *attempt, ev engine.Event, actor string) engine.Applied {
	began := a.tree.Attempt.WaitReason == "" && a.tree.Len() > 0
	applied := a.tree.Apply(ev, t.at, t.ids, t.bounds)
	t.add(a, &applied, actor)
	if applied.Ended {
		t.count.ended()
		if !began {
			t.admissions.endedUnbegun(a.id)
		}
	}
	return applied
}

// add takes what an event changed in an attempt.
func (t *txn) add(a *attempt, applied *engine.Applied, actor string) {
	t.effects.evaluate(a, applied.Evaluations)
	if len(applied.Changes) > 0 || applied.Ended || a.rowChanged() {
		t.touch(a)
	}
	t.changes.add(&a.tree.Attempt, a.tree.Context(), applied, actor)
}

// kill asks all tasks of an attempt to stop. It reports whether that changed something.
func (t *txn) kill(a *attempt, actor string) bool {
	applied := t.apply(a, engine.Kill{}, actor)
	if len(applied.Changes) == 0 && !applied.Ended {
		return false
	}
	t.changes.batch.Killed = append(t.changes.batch.Killed, a.tree.Attempt)
	return true
}

// keepLogs takes the output of a try, even if its report comes too late; but not if the attempt does not exist. Remote
// agents send a report again if its answer was lost.
func (t *txn) keepLogs(r *trowel.Report) {
	if len(r.Logs) > 0 && (t.done[r.AttemptID] || t.cache.get(r.AttemptID) != nil) {
		t.changes.logs = append(t.changes.logs, r.Logs...)
		t.changes.oldLogs = t.changes.oldLogs || r.Answer != nil
	}
}

// wasCommitted reports whether the transaction was committed although its commit returned an error. It locks the
// attempts that the transaction had locked, and so waits for a commit that is still under way. tx is the
// transaction in which it looks.
func (t *txn) wasCommitted(ctx context.Context, tx trowel.Tx) (bool, error) {
	if len(t.changes.audits) == 0 {
		return false, nil // it changed nothing
	}
	if _, err := tx.LockAttempts(ctx, t.changes.touched); err != nil {
		return false, err
	}
	return tx.HasBatch(ctx, t.changes.audits[0].AttemptID, t.changes.mark)
}

// notification returns the message for other servers.
func (t *txn) notification() cluster.Attempts {
	n := cluster.Attempts{Changed: t.changes.touched, Limits: t.counters.givesBack()}
	for _, a := range t.participants {
		if a.running() {
			if _, more := a.tree.NextReady(); more {
				n.Ready = append(n.Ready, a.id)
			}
		}
	}
	t.changes.batch.notify(&n)
	return n
}
