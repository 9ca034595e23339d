package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// apply does what an event asks for. What is wrong with the event itself is its own error; an
// error of the store is returned.
func (f *Flusher) apply(ctx context.Context, tx trowel.Tx, w *write, ev *event) error {
	ev.err, ev.stale = nil, false
	if answer, ok := ev.what.(engine.Evaluated); ok {
		delete(f.asked, answer.Task) // also if another server was faster
	}
	a := f.images.byID[ev.attempt]
	if f.keptOff(a, ev) {
		return nil
	}
	if report, ok := ev.what.(engine.Report); ok && len(report.Logs) > 0 {
		w.keepLogs(report.AttemptID, report.Logs, f.images.byID)
	}
	switch {
	case ev.start != nil:
		return f.start(ctx, tx, w, ev)
	case ev.admit:
		return f.admitOne(ctx, tx, w, a, ev)
	case ev.resend != nil:
		if a.running() {
			f.resend(w, a, ev.resend)
		}
	case ev.limit:
		if a.running() {
			f.checkLimits(w, a)
		}
	case ev.what == nil: // it was to be looked at, which lock has done
	case !a.running():
		if a != nil && a.Image != nil {
			w.done[ev.attempt] = true // it has ended in this transaction
		}
		ev.err = w.refusal(ev)
	default:
		if sla, ok := ev.what.(engine.SLA); ok {
			return f.fire(ctx, tx, w, a, sla)
		}
		f.applyTo(w, a, ev)
	}
	return nil
}

func (f *Flusher) applyTo(w *write, a *attempt, ev *event) {
	began := a.Attempt.WaitReason == "" && a.Len() > 0
	applied := a.Apply(ev.what, w.at, &f.ids, f.opts.Limits)
	if _, ok := ev.what.(engine.Kill); ok && (len(applied.Changes) > 0 || applied.Ended) {
		w.batch.Killed = append(w.batch.Killed, a.Attempt)
		w.record(ev, a)
	}
	if len(applied.Changes) == 0 && len(applied.Tries) == 0 {
		ev.stale = true
	}
	before := len(w.audits)
	w.add(a.Image, applied, ev.actorOf())
	if report, ok := ev.what.(engine.Report); ok {
		w.reported(w.audits[before:], &report.Report)
	}
	w.evaluations = appendEvaluations(w.evaluations, a, applied.Evaluations)
	if applied.Ended {
		f.count.n--
		if !began {
			w.neverBegan[a.id] = true
		}
	}
	if due, ok := ev.what.(engine.Due); ok {
		w.keepWaiting(a, a.Find(due.Task))
	}
}

func (ev *event) actorOf() string {
	if ev.actor != "" {
		return ev.actor
	}
	return "engine"
}

// refusal is what is told about an event whose attempt cannot change any more, or does not exist.
func (w *write) refusal(ev *event) error {
	if _, kill := ev.what.(engine.Kill); kill && w.done[ev.attempt] {
		return &trowel.Error{Kind: trowel.ErrConflict, Message: "Session attempt already killed or finished"} // language X46
	}
	return trowel.ErrNotFound
}

// checkLimits kills an attempt of which a limit of time has passed (language X62), and else notes when
// to look again.
func (f *Flusher) checkLimits(w *write, a *attempt) {
	message, next := a.Overdue(w.at, f.opts.TTLs)
	if message == "" {
		w.limits = append(w.limits, limit{a, next})
		return
	}
	w.batch.Timeouts = append(w.batch.Timeouts, Timeout{a.Attempt, message})
	f.applyTo(w, a, &event{attempt: a.id, what: engine.Kill{}})
}
