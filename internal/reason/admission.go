package reason

import (
	"fmt"
	"strconv"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Admission is why an attempt has not begun.
type Admission struct {
	// Pause is the pause of the workflow; nil if it is not paused.
	Pause *trowel.Pause
	// Active are the first admitted attempts of the workflow, and ActiveCount is how many there are. Position is the
	// attempt's place among the waiting ones, from 1; zero if it is far behind.
	Active      []trowel.AttemptID
	ActiveCount int
	Position    int
	// Before is the session that an attempt of a backfill waits for, with its last attempt; nil if it waits for none.
	// NextRunAt is when the scheduler looks at it next.
	Delayed   bool
	Before    *trowel.AttemptSummary
	NextRunAt time.Time
}

// ExplainAttempt returns the reasons why an attempt as a whole has not begun; none if it has.
func ExplainAttempt(f *Facts) []Reason {
	if f.attemptDone() || f.Admission == nil {
		return nil
	}
	var list []Reason
	for _, code := range f.admissionCodes() {
		list = append(list, f.admission(code))
	}
	return list
}

// admissionCodes are the codes of an attempt that has not begun, in order.
func (f *Facts) admissionCodes() []trowel.WaitCode {
	if f.attemptDone() || f.Admission == nil {
		return nil
	}
	var codes []trowel.WaitCode
	if f.Attempt.WaitReason == trowel.WaitWorkflowPaused || f.Attempt.WaitReason != "" && f.Admission.Pause != nil {
		codes = append(codes, trowel.WaitWorkflowPaused)
	}
	if f.Attempt.WaitReason == trowel.WaitAttemptsLimit {
		codes = append(codes, trowel.WaitAttemptsLimit)
	}
	if f.Admission.Delayed {
		codes = append(codes, trowel.WaitBackfill)
	}
	return codes
}

func (f *Facts) admission(code trowel.WaitCode) Reason {
	switch code { //nolint:exhaustive // those of admissionCodes
	case trowel.WaitWorkflowPaused:
		return f.paused()
	case trowel.WaitAttemptsLimit:
		return f.attemptsLimit()
	case trowel.WaitBackfill:
		return f.backfill()
	}
	return Reason{Code: code, Text: fmt.Sprintf("has not begun, with code `%s`", code), Since: f.Attempt.CreatedAt, Fields: param.New()}
}

func (f *Facts) paused() Reason {
	r := Reason{
		Code: trowel.WaitWorkflowPaused, Text: fmt.Sprintf("workflow %s is paused", f.Workflow.Name), Since: f.Attempt.CreatedAt, Fields: param.New(),
		Offers: []Offer{{ActionUnpause, command("unpause", f.Project, f.Workflow.Name)}},
	}
	p := f.Admission.Pause
	if p == nil {
		r.Text = fmt.Sprintf("workflow %s was paused; the attempt is about to begin", f.Workflow.Name)
		return r
	}
	r.Text = fmt.Sprintf("workflow %s was paused by %s at %s", f.Workflow.Name, somebody(p.Actor), f.clock(p.At))
	if p.Note != "" {
		r.Text += ": " + p.Note
	}
	r.Fields = param.Of("by", p.Actor, "at", instant(p.At), "note", p.Note)
	r.Since = later(p.At, f.Attempt.CreatedAt)
	r.Blockers = []Blocker{{Kind: "workflow", Name: f.Workflow.Name, Detail: "paused"}}
	return r
}

func (f *Facts) attemptsLimit() Reason {
	a := f.Admission
	limit, active := f.WorkflowLimits.ActiveAttempts, a.ActiveCount
	r := Reason{
		Code: trowel.WaitAttemptsLimit, Since: f.Attempt.CreatedAt,
		Text:   fmt.Sprintf("workflow %s has %d of %d active attempts%s", f.Workflow.Name, active, limit, f.line("attempt", a.Position)),
		Fields: param.Of("limit", limit, "active", active, "position", position(a.Position)),
	}
	for _, id := range a.Active {
		name := "attempt " + strconv.FormatInt(int64(id), 10)
		r.Blockers = append(r.Blockers, Blocker{Kind: "attempt", Attempt: id, Name: name, Detail: "active"})
		r.Offers = append(r.Offers, Offer{ActionKill, fmt.Sprintf("trowel kill %d", id)})
	}
	return r
}

func (f *Facts) backfill() Reason {
	a := f.Admission
	r := Reason{Code: trowel.WaitBackfill, Since: f.Attempt.CreatedAt, At: a.NextRunAt, Fields: param.Of("state", "waiting")}
	if !a.NextRunAt.IsZero() {
		r.Fields.Set("at", instant(a.NextRunAt))
	}
	if a.Before == nil {
		r.Text = "waits for its turn in a backfill"
		return r
	}
	before := &a.Before.Attempt
	r.Text = fmt.Sprintf("waits for its turn in a backfill: the session before it, %s, has attempt %d, which is %s",
		f.clock(a.Before.Session.Time), before.ID, before.Flags.Status())
	r.Fields.Set("session", strconv.FormatInt(int64(a.Before.Session.ID), 10))
	r.Fields.Set("attempt", strconv.FormatInt(int64(before.ID), 10))
	r.Blockers = []Blocker{{
		Kind: "attempt", Attempt: before.ID, Name: "attempt " + strconv.FormatInt(int64(before.ID), 10), Detail: before.Flags.Status(),
	}}
	return r
}

// line says how many things come before one in a queue.
func (f *Facts) line(what string, place int) string {
	switch {
	case place <= 0:
		return ""
	case place == 1:
		return "; it is the next " + what
	case place == 2:
		return fmt.Sprintf("; 1 %s is before it", what)
	default:
		return fmt.Sprintf("; %d %ss are before it", place-1, what)
	}
}

// position is a place in a queue as a field: null if it is unknown.
func position(place int) param.Value {
	if place <= 0 {
		return nil
	}
	return int64(place)
}

func somebody(name string) string {
	if name == "" {
		return "somebody"
	}
	return name
}

// instant formats an instant for fields: UTC with milliseconds.
func instant(at time.Time) param.Value {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
