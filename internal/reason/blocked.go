package reason

import (
	"fmt"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// ruleDefault is the trigger rule that all tasks have (control K303).
const ruleDefault = "all_success"

// blockedCodes are the codes of a blocked task, in the order of control K819; never none.
func (t *Tree) blockedCodes(n *node, f *Facts) []trowel.WaitCode {
	var codes []trowel.WaitCode
	if n.Flags&trowel.TaskCancelRequested != 0 && !f.attemptDone() {
		codes = append(codes, trowel.WaitCanceling)
	}
	codes = append(codes, f.admissionCodes()...)
	ends := t.judge(n)
	for _, e := range ends {
		codes = append(codes, e.code)
	}
	if len(ends) == 0 {
		codes = append(codes, t.openCodes(n)...)
	}
	if len(codes) == 0 {
		codes = []trowel.WaitCode{trowel.WaitParent} // between two states that are never stored
	}
	return codes
}

// openCodes are the codes of a task that may still run.
func (t *Tree) openCodes(n *node) []trowel.WaitCode {
	var codes []trowel.WaitCode
	if parent := t.nodes[n.ParentID]; parent != nil && parent.State != trowel.TaskPlanned && parent.State != trowel.TaskSuccess {
		codes = append(codes, trowel.WaitParent)
	}
	if len(t.Open(n.ID)) > 0 {
		codes = append(codes, trowel.WaitUpstream)
	}
	if n.WaitReason == trowel.WaitEvaluating {
		codes = append(codes, trowel.WaitEvaluating)
	}
	return codes
}

// firstBlocked is the first of blockedCodes. Where possible it finds it without the others.
func (t *Tree) firstBlocked(n *node, f *Facts) trowel.WaitCode {
	if f.Admission == nil && n.Flags&trowel.TaskCancelRequested == 0 {
		if ends := t.judge(n); len(ends) > 0 {
			return ends[0].code
		}
		if parent := t.nodes[n.ParentID]; parent != nil && parent.State == trowel.TaskBlocked {
			return trowel.WaitParent
		}
	}
	return t.blockedCodes(n, f)[0]
}

func blocked(task *trowel.Task, f *Facts) []Reason {
	f.Tree.Add(task.Outline())
	n := f.Tree.nodes[task.ID]
	var list []Reason
	for _, code := range f.Tree.blockedCodes(n, f) {
		list = append(list, f.blockedReason(code, n))
	}
	return list
}

func (f *Facts) blockedReason(code trowel.WaitCode, n *node) Reason {
	switch code {
	case trowel.WaitCanceling:
		return f.canceling(n.TaskOutline)
	case trowel.WaitWorkflowPaused, trowel.WaitAttemptsLimit, trowel.WaitBackfill:
		return f.admission(code)
	case trowel.WaitParentSkipped, trowel.WaitParentFailed, trowel.WaitParentCanceled, trowel.WaitNotReached:
		for _, e := range f.Tree.judge(n) {
			if e.code == code {
				return f.ended(n, e)
			}
		}
	case trowel.WaitUpstream:
		return f.upstream(n)
	case trowel.WaitEvaluating:
		return Reason{
			Code: trowel.WaitEvaluating, Text: "its options with ${...} are being evaluated", Since: n.UpdatedAt, Fields: param.Of("option", nil),
		}
	case trowel.WaitParent:
		return f.parent(n)
	case trowel.WaitPoolMissing, trowel.WaitPoolTooSmall, trowel.WaitPool, trowel.WaitConcurrency, trowel.WaitMaxActiveTasks, trowel.WaitNoAgent,
		trowel.WaitAgentSlots, trowel.WaitSiteLimit, trowel.WaitDispatch, trowel.WaitRetry, trowel.WaitPoll, trowel.WaitGroupRetry,
		trowel.WaitDeferred, trowel.WaitAwaitingInput, trowel.WaitChildren, trowel.WaitHandlers: // not of blocked tasks
	}
	return Reason{Code: code, Text: fmt.Sprintf("waits, with code `%s`", code), Since: n.UpdatedAt, Fields: param.New()}
}

func (f *Facts) canceling(o trowel.TaskOutline) Reason {
	return Reason{
		Code: trowel.WaitCanceling, Text: fmt.Sprintf("attempt %d is being killed by %s", f.Attempt.ID, somebody(f.KilledBy)), Since: o.UpdatedAt,
		Fields: param.Of("by", orNull(f.KilledBy)),
	}
}

func orNull(text string) param.Value {
	if text == "" {
		return nil
	}
	return text
}

func (f *Facts) parent(n *node) Reason {
	r := Reason{Code: trowel.WaitParent, Text: "its attempt has not begun", Since: n.UpdatedAt, Fields: param.Of("task", nil, "state", nil)}
	parent := f.Tree.nodes[n.ParentID]
	if parent == nil {
		return r
	}
	r.Text = fmt.Sprintf("waits for its group %s to begin, which is %s", parent.FullName, word(parent.State))
	if parent.State == trowel.TaskGroupRetryWaiting {
		r.Text = fmt.Sprintf("waits for its group %s, which will be repeated", parent.FullName)
	}
	r.Fields = param.Of("task", named(&parent.TaskOutline), "state", parent.State.String())
	r.Next, r.Blockers = parent.ID, []Blocker{f.blocker(&parent.TaskOutline)}
	return r
}

// ended is the reason of a task that will never run.
func (f *Facts) ended(n *node, e end) Reason {
	r := Reason{Code: e.code, Fields: param.New(), Next: e.task}
	if f.attemptDone() {
		r.Offers = []Offer{OfferRetry(f.Attempt.ID)}
	}
	if e.code == trowel.WaitNotReached {
		f.notReached(&r, n, e)
		return r
	}
	group := f.Tree.nodes[e.task]
	r.Since = group.UpdatedAt
	r.Fields = param.Of("task", named(&group.TaskOutline))
	r.Blockers = []Blocker{f.blocker(&group.TaskOutline)}
	switch {
	case e.code == trowel.WaitParentCanceled:
		r.Text = fmt.Sprintf("will not run: its group %s was canceled", group.FullName)
	case e.code == trowel.WaitParentSkipped:
		r.Text = fmt.Sprintf("will not run: its group %s was skipped", group.FullName)
	case group.State == trowel.TaskPlanned:
		r.Text = fmt.Sprintf("will not run: its group %s has failed, and its error tasks run", group.FullName)
	default:
		r.Text = fmt.Sprintf("will not run: its group %s failed", group.FullName)
	}
	return r
}

func (f *Facts) notReached(r *Reason, n *node, e end) {
	at := f.Tree.nodes[e.task]
	r.Since = at.UpdatedAt
	text := "will not run: "
	if at != n {
		text += fmt.Sprintf("its group %s will not, as ", at.FullName)
	}
	upstreams := param.List{}
	if len(e.fatal) == 0 {
		parent := f.Tree.nodes[at.ParentID]
		r.Text = text + fmt.Sprintf("it belongs to an earlier run of %s, which was begun again", parent.FullName)
		r.Next, r.Since = 0, parent.UpdatedAt
		r.Fields = param.Of("rule", ruleDefault, "upstreams", upstreams, "task", named(&at.TaskOutline))
		return
	}
	var names []string
	for _, id := range e.fatal {
		up := f.Tree.nodes[id]
		r.Since = later(r.Since, up.UpdatedAt)
		names = append(names, fmt.Sprintf("%s %s", up.FullName, fate(up.State)))
		upstreams = append(upstreams, param.Of("task", named(&up.TaskOutline), "class", f.Tree.class(up)))
		r.Blockers = append(r.Blockers, f.blocker(&up.TaskOutline))
	}
	r.Text = text + enumerate(names, len(names))
	r.Next = e.fatal[0]
	r.Fields = param.Of("rule", ruleDefault, "upstreams", upstreams, "task", named(&at.TaskOutline))
}

// fate says how an upstream ended that did not succeed.
func fate(s trowel.TaskState) string {
	switch s { //nolint:exhaustive // states of a class that is not S
	case trowel.TaskError, trowel.TaskGroupError:
		return "failed"
	case trowel.TaskCanceled:
		return "was canceled"
	case trowel.TaskSkipped:
		return "was skipped"
	default:
		return "will not run either"
	}
}

func (f *Facts) upstream(n *node) Reason {
	open := f.Tree.Open(n.ID)
	r := Reason{Code: trowel.WaitUpstream, Since: n.UpdatedAt}
	list := param.List{}
	var names []string
	for _, id := range open[:min(len(open), maxNamed)] {
		up := f.Tree.nodes[id]
		names = append(names, fmt.Sprintf("%s (%s)", up.FullName, word(up.State)))
		list = append(list, param.Of("task", named(&up.TaskOutline), "state", up.State.String()))
		r.Blockers = append(r.Blockers, f.blocker(&up.TaskOutline))
		if r.Next == 0 && up.State != trowel.TaskBlocked {
			r.Next = id
		}
	}
	if r.Next == 0 {
		r.Next = open[0]
	}
	r.Text = "waits for " + enumerate(names[:min(len(names), 3)], len(open))
	r.Fields = param.Of("rule", ruleDefault, "open", list, "count", int64(len(open)))
	return r
}

// enumerate joins names; count is the total number, of which names may be only the first.
func enumerate(names []string, count int) string {
	switch more := count - len(names); {
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	case len(names) > 1:
		return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	}
	return strings.Join(names, "")
}

// named is a task as fields contain it.
func named(o *trowel.TaskOutline) *param.Map {
	return param.Of("id", strconv.FormatInt(int64(o.ID), 10), "name", o.FullName)
}

func (f *Facts) blocker(o *trowel.TaskOutline) Blocker {
	return Blocker{Kind: "task", Attempt: f.Attempt.ID, Task: o.ID, Name: o.FullName, Detail: word(o.State)}
}

// word is a state in the words of texts.
func word(s trowel.TaskState) string {
	switch s { //nolint:exhaustive // the others are words already
	case trowel.TaskPlanned:
		return "in progress"
	case trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting:
		return "waiting for a retry"
	case trowel.TaskGroupError, trowel.TaskError:
		return "failed"
	case trowel.TaskSuccess:
		return "done"
	case trowel.TaskAwaitingInput:
		return "waiting for input"
	}
	return s.String()
}
