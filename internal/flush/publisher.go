package flush

import (
	"context"
	"log/slog"
	"time"
)

// publisher does what follows from a committed transaction.
type publisher struct {
	log       *slog.Logger
	observers []Observer
	listeners []Listener

	cache     *cache
	loader    *loader
	timers    *timers
	claimer   *claimer
	agents    *agents
	admission *admission
	evaluator *evaluator
	linger    *linger
}

// publish calls the observers first, which may stop the flusher with an error; then the listeners, the agents,
// those who wait for the end of an attempt, and those who wait for the answer to a request.
func (p *publisher) publish(ctx context.Context, t *txn, batch []request) error {
	changed := &t.changes.batch
	for _, w := range t.effects.waiters { // not earlier, as a transaction may be tried again
		w.attempt.waiters = append(w.attempt.waiters, w.ended)
	}
	p.setAlarms(t)
	for _, warning := range changed.Warnings {
		p.log.Warn(warning) //nolint:sloglint // the engine says it in Digdag's words
	}
	for _, o := range p.observers {
		if err := o.Committed(changed); err != nil {
			return err
		}
	}
	if len(p.listeners) > 0 {
		changed.Waits = waitsOf(changed, p.claimer.backlog)
	}
	for _, l := range p.listeners {
		l.Heard(changed)
	}
	p.learn(t)
	now := time.Now()
	p.linger.gave(len(t.effects.leases), now, now.Sub(t.began))
	giveLeases(t.effects.leases)
	p.agents.cancel(changed.canceled())
	for _, id := range t.effects.gone {
		p.agents.detach(id)
	}
	p.admission.requestAfter(changed)
	for _, ended := range changed.Ended {
		p.loader.end(ended)
	}
	p.evaluator.start(ctx, append(p.loader.takeEvaluations(), t.effects.evaluations...))
	p.answer(batch)
	return nil
}

// setAlarms sets the alarms of waiting tasks, time limits and SLAs.
func (p *publisher) setAlarms(t *txn) {
	for i := range t.changes.batch.Changes {
		c := &t.changes.batch.Changes[i]
		p.timers.setTask(p.cache.get(c.Task.AttemptID), c.Task, c.To)
	}
	for _, a := range t.begun {
		p.timers.limitAttempt(a, a.tree.Attempt.CreatedAt)
	}
	for _, early := range t.effects.early {
		p.timers.setDue(early.attempt, early.row.ID, early.row.RetryAt)
	}
	for i := range t.effects.monitors {
		m := &t.effects.monitors[i]
		if a := p.cache.get(m.AttemptID); a != nil {
			p.timers.setSLA(a, m)
		}
	}
	for _, l := range t.effects.limits {
		p.timers.setLimit(l.attempt, l.at)
	}
}

// learn updates the backlog, the cache and the known limits.
func (p *publisher) learn(t *txn) {
	for i := range t.changes.batch.Changes {
		row := t.changes.batch.Changes[i].Task
		if a := p.cache.get(row.AttemptID); a != nil {
			queueTask(p.claimer.backlog, a, row)
		}
	}
	for _, a := range t.participants {
		if a.tree != nil {
			p.cache.touch(a)
			a.streak++
		}
	}
	p.claimer.known.learn(&t.counters)
	p.cache.trim(len(t.participants))
}

// answer resolves the requests. A change that was made after its caller had left is logged.
func (p *publisher) answer(batch []request) {
	for _, r := range batch {
		if a, ok := r.(answered); ok && a.answer().madeUnseen() {
			p.log.Warn("change made after its caller had left",
				slog.Int64("attempt_id", int64(a.answer().attempt)), slog.String("actor", a.answer().actor))
		}
		r.resolve(nil)
	}
}
