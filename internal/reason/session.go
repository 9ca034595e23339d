package reason

import (
	"fmt"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/schedule"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Codes of sessions without attempts, besides trowel.WaitWorkflowPaused.
const (
	SessionWorkflowGone    = "definition_gone"   // the newest revision has no such workflow
	SessionNeverScheduled  = "never_scheduled"   // the workflow has no schedule
	SessionNotPlanned      = "not_planned"       // it is no session time of the schedule
	SessionBeforeStart     = "before_start"      // the schedule began later
	SessionAfterEnd        = "after_end"         // the schedule was over
	SessionSkippedOvertime = "skipped_overtime"  // another attempt was active
	SessionSkippedDelayed  = "skipped_delayed"   // it would have been too late
	SessionPostponed       = "start_postponed"   // a limit did not allow it
	SessionFailed          = "start_failed"      // starting it failed
	SessionAttemptGone     = "attempt_gone"      // its attempt was deleted since
	SessionDisabled        = "schedule_disabled" // the schedule is disabled
	SessionPassed          = "passed_over"       // the schedule went past it
	SessionSchedulerOff    = "scheduler_off"     // it is due, and no server starts it
	SessionPlanned         = "planned"           // its time has not come
)

// overdue is after what time nobody seems to start sessions.
const overdue = time.Minute

// Session is what is known about a session of a workflow that has no attempt.
type Session struct {
	Now      time.Time
	At       time.Time // the session time, in the zone of the workflow
	Project  string
	Workflow string
	Revision string             // the newest one
	Exists   bool               // the revision has the workflow
	Plan     *schedule.Schedule // nil without a schedule
	Schedule *trowel.Schedule   // the row of the schedule; nil if there is none
	Pause    *trowel.Pause      // nil unless the workflow is paused
	Decision *trowel.Decision   // the newest one about the session; nil if there is none
}

// SessionReason is why a session has no attempt.
type SessionReason struct {
	Code, Text string
	Since      time.Time // when it was decided; zero if that is not known
	NextAt     time.Time // when it will be tried; zero if that is not known
	Offers     []Offer
}

// Why returns why the session has no attempt.
func (s *Session) Why() SessionReason {
	switch {
	case !s.Exists:
		return SessionReason{Code: SessionWorkflowGone, Text: fmt.Sprintf("revision %s has no workflow %s", s.Revision, s.Workflow)}
	case s.Plan == nil:
		return s.offerStart(SessionReason{Code: SessionNeverScheduled, Text: s.Workflow + " has no schedule"})
	}
	following := s.Plan.Next(s.At.Add(-time.Second))
	planned := following.Session.Equal(s.At)
	if s.Decision != nil {
		return s.decided(s.Decision)
	}
	if !planned {
		return s.unplanned(following)
	}
	if s.Schedule == nil {
		return s.offerStart(SessionReason{Code: SessionNeverScheduled, Text: "the schedule of " + s.Workflow + " is not stored: push the project again"})
	}
	if s.At.Before(s.Schedule.NextSessionAt) {
		return s.passed(following.Run)
	}
	return s.coming(following.Run)
}

// decided returns what the scheduler has decided.
func (s *Session) decided(d *trowel.Decision) SessionReason {
	r := SessionReason{Since: d.At}
	code := ""
	if d.What == trowel.DecisionSkipped {
		code = SkipCode(d.Reason)
	}
	switch {
	case code != "":
		rule, detail, _ := strings.Cut(d.Reason, ": ")
		r.Code, r.Text = code, "not started: "+detail+" ("+rule+")"
	case d.What == trowel.DecisionPostponed:
		r.Code, r.Text, r.NextAt = SessionPostponed, "put off: "+d.Reason, s.tryAgain()
	case d.What == trowel.DecisionError && d.AttemptID == 0:
		r.Code, r.Text, r.NextAt = SessionFailed, "it could not be started: "+d.Reason, s.tryAgain()
	case d.AttemptID != 0:
		r.Code, r.Text = SessionAttemptGone, fmt.Sprintf("its attempt %d was deleted since", d.AttemptID)
	default:
		r.Code, r.Text = SessionPassed, "skipped: "+d.Reason
	}
	if !r.NextAt.IsZero() {
		r.Text += "; tried again at " + s.clock(r.NextAt)
		return r
	}
	return s.offerStart(r)
}

// SkipCode returns the code of a skipped session, whose decision has that reason; empty if it was no rule of the schedule.
func SkipCode(reason string) string {
	rule, _, _ := strings.Cut(reason, ": ")
	switch rule {
	case trowel.RuleSkipOvertime:
		return SessionSkippedOvertime
	case trowel.RuleSkipDelayed:
		return SessionSkippedDelayed
	}
	return ""
}

// tryAgain returns when a session that was put off is tried again; zero if the schedule has gone past it.
func (s *Session) tryAgain() time.Time {
	if s.Schedule == nil || !s.Schedule.NextSessionAt.Equal(s.At) || !s.Schedule.DisabledAt.IsZero() {
		return time.Time{}
	}
	return s.Schedule.NextRunAt
}

// unplanned returns why a time is no session of the schedule, which has one later, unless it is over.
func (s *Session) unplanned(following schedule.Time) SessionReason {
	before := s.Plan.Last(s.At.Add(time.Second))
	r := SessionReason{}
	switch {
	case before.Session.Equal(s.At) && following.Finished():
		r.Code, r.Text = SessionAfterEnd, "the schedule was over before"
	case before.Session.Equal(s.At):
		r.Code, r.Text = SessionBeforeStart, "the schedule begins with the session "+s.clock(following.Session)
	case following.Finished():
		r.Code, r.Text = SessionNotPlanned, s.clock(s.At)+" is no session time of the schedule, which is over"
	default:
		r.Code, r.Text = SessionNotPlanned, fmt.Sprintf("%s is no session time of the schedule: the next one is %s", s.clock(s.At), s.clock(following.Session))
	}
	return s.offerStart(r)
}

// passed returns why the schedule went past a session without a decision.
func (s *Session) passed(run time.Time) SessionReason {
	if made := s.Schedule.CreatedAt; run.Before(made) {
		return s.offerStart(SessionReason{Code: SessionBeforeStart, Text: "the schedule is there since " + s.clock(made), Since: made})
	}
	return s.offerStart(SessionReason{
		Code: SessionPassed,
		Text: "the schedule went past it: the session was skipped by hand, the schedule or the workflow was disabled or paused, or another revision was pushed",
	})
}

// coming returns why a session has not begun that the schedule has still before it.
func (s *Session) coming(run time.Time) SessionReason {
	row := s.Schedule
	switch {
	case !row.DisabledAt.IsZero():
		return SessionReason{
			Code: SessionDisabled, Text: "the schedule is disabled since " + s.clock(row.DisabledAt), Since: row.DisabledAt,
			Offers: []Offer{{ActionEnable, textutil.ShellLine("trowel", "enable", s.Project, s.Workflow)}},
		}
	case s.Pause != nil:
		return SessionReason{
			Code: string(trowel.WaitWorkflowPaused), Text: fmt.Sprintf("%s has paused the workflow at %s", s.Pause.Actor, s.clock(s.Pause.At)), Since: s.Pause.At,
			Offers: []Offer{{ActionUnpause, textutil.ShellLine("trowel", "unpause", s.Project, s.Workflow)}},
		}
	}
	next := row.NextSessionAt.Equal(s.At)
	if next {
		run = row.NextRunAt
	}
	switch late := s.Now.Sub(run); {
	case next && late > overdue:
		return SessionReason{
			Code: SessionSchedulerOff, Since: run,
			Text: "due since " + s.clock(run) + ", but no server starts it: is there one with server.executor.enabled that reaches the database?",
		}
	case late > overdue:
		return SessionReason{Code: SessionPlanned, Text: "the schedule is at the session " + s.clock(row.NextSessionAt) + " and comes to this one later"}
	}
	return SessionReason{Code: SessionPlanned, Text: "starts at " + s.clock(run), NextAt: run}
}

func (s *Session) offerStart(r SessionReason) SessionReason {
	r.Offers = []Offer{{ActionStart, textutil.ShellLine("trowel", "start", s.Project, s.Workflow, "--session", s.At.Format(time.DateTime))}}
	return r
}

// clock writes an instant in the zone of the workflow.
func (s *Session) clock(at time.Time) string {
	return at.In(s.At.Location()).Format("2006-01-02 15:04:05 -0700")
}
