package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/outline"
	"github.com/trowel-project/trowel/internal/server/rest"
)

const (
	mostRootCauses = 10
	// mostFailures is how many failures of an attempt are looked at, the first ones.
	mostFailures = 200
	mostRetries  = 20
)

// getAttemptSummary answers with what the page of an attempt begins with.
func (h *handlers) getAttemptSummary(c *rest.Call) (any, error) {
	var shape api.AttemptSummary
	err := c.View(func(tx trowel.Tx) error {
		s, err := find.Attempt(c, tx)
		if err != nil {
			return err
		}
		r := &summaryReader{Call: c, tx: tx, summary: s, shape: &shape}
		if err := h.outlines.Read(c.Ctx(), tx, &s.Attempt, r.take); err != nil {
			return err
		}
		if shape.Estimate, err = h.usual.estimate(c, tx, s); err != nil {
			return err
		}
		return r.complete()
	})
	return shape, err
}

// summaryReader makes the summary of one attempt.
type summaryReader struct {
	*rest.Call

	tx      trowel.Tx
	summary *trowel.AttemptSummary
	shape   *api.AttemptSummary
	failed  map[trowel.TaskID]*trowel.TaskOutline // tasks that failed by themselves
	first   []trowel.TaskID                       // the first of them
}

// take fills in what the tree has.
func (r *summaryReader) take(tree *outline.Tree) error {
	a := &r.summary.Attempt
	*r.shape = api.AttemptSummary{
		AttemptItem: itemOf(r.summary), Version: tree.Version, WorkflowTimezone: a.Zone, StartedBy: api.StartedBy{Kind: a.Cause, Name: a.Actor},
		Tasks: tree.Len(), Can: api.List[string]{}, Counts: map[string]int{}, RootCauses: api.List[api.RootCause]{},
	}
	end := a.FinishedAt
	if end.IsZero() {
		end = r.Now
	}
	started := end
	if tree.Root != nil {
		r.shape.Counts = tree.Root.Counts.ByName()
		if at := tree.Root.StartedAt(); !at.IsZero() {
			started = at
		}
	}
	r.shape.QueuedMs, r.shape.RunMs = max(0, started.Sub(a.CreatedAt).Milliseconds()), max(0, end.Sub(started).Milliseconds())
	if a.Flags&trowel.AttemptSuccess == 0 {
		r.takeFailed(tree)
	}
	return nil
}

// takeFailed notes the tasks that failed by themselves.
func (r *summaryReader) takeFailed(tree *outline.Tree) {
	r.failed = map[trowel.TaskID]*trowel.TaskOutline{}
	tree.All(func(n *outline.Node) {
		if !n.Old && !n.Group && (n.State == trowel.TaskError || n.State == trowel.TaskPlanned && n.Flags&trowel.TaskDelayedError != 0) {
			o := n.Outline()
			r.failed[n.ID] = &o
		}
	})
	for id := range r.failed {
		r.first = append(r.first, id)
	}
	slices.SortFunc(r.first, func(a, b trowel.TaskID) int {
		return cmp.Or(r.failed[a].UpdatedAt.Compare(r.failed[b].UpdatedAt), cmp.Compare(a, b))
	})
}

// complete adds what is not in the tree.
func (r *summaryReader) complete() error {
	for _, f := range []func() error{r.addRevision, r.addRootCauses, r.addPrevious, r.addRetries} {
		if err := f(); err != nil {
			return err
		}
	}
	for _, verb := range []access.Verb{access.RunWorkflow, access.KillAttempt} {
		if r.Caller.May(verb, r.summary.Project.ID) {
			r.shape.Can = append(r.shape.Can, string(verb))
		}
	}
	return nil
}

func (r *summaryReader) addRevision() error {
	of, err := r.tx.FindAttemptContext(r.Ctx(), r.summary.Attempt.ID)
	if err != nil {
		return err
	}
	r.shape.Revision = of.Revision.Name
	if !r.summary.Project.DeletedAt.IsZero() {
		return nil
	}
	latest, err := r.tx.FindRevision(r.Ctx(), r.summary.Project.ID, "")
	if err == nil {
		r.shape.LatestRevision = &latest.Name
	}
	return err
}

func (r *summaryReader) addPrevious() error {
	a := &r.summary.Attempt
	before, _, err := r.tx.SearchAttempts(r.Ctx(), trowel.AttemptSearch{
		Status: "success", Project: r.summary.Project.ID, Workflow: r.summary.Session.Workflow,
		After: &trowel.AttemptKey{CreatedAt: a.CreatedAt, ID: a.ID}, Limit: 1,
	})
	if err == nil && len(before) > 0 {
		s := before[0]
		r.shape.PreviousSuccess = &api.PreviousAttempt{
			ID: api.ID(s.Attempt.ID), SessionTime: document.OffsetTime(s.Session.Time, s.Attempt.Zone), CreatedAt: document.Instant(s.Attempt.CreatedAt),
			FinishedAt: document.OptInstant(s.Attempt.FinishedAt),
		}
	}
	return err
}

func (r *summaryReader) addRetries() error {
	list, err := r.tx.ListAttempts(r.Ctx(), trowel.AttemptFilter{Session: r.summary.Session.ID, Limit: mostRetries + 1, MaxBytes: rest.MaxPageBytes})
	for _, s := range list {
		a := &s.Attempt
		if a.ID == r.summary.Attempt.ID || len(r.shape.Retries) == mostRetries {
			continue
		}
		r.shape.Retries = append(r.shape.Retries, api.SessionAttempt{
			ID: api.ID(a.ID), Index: a.Index, Name: document.OptText(a.Name), Status: a.Flags.Status(), Kind: a.Cause, CreatedAt: document.Instant(a.CreatedAt),
		})
	}
	return err
}

// addRootCauses adds the tasks that failed by themselves, in the order in which they did: those that were to handle a failure
// come last.
func (r *summaryReader) addRootCauses() error {
	if len(r.failed) == 0 {
		return nil
	}
	stored, err := r.tx.ListFailures(r.Ctx(), r.summary.Attempt.ID, mostFailures)
	if err != nil {
		return err
	}
	at := map[trowel.Cause]int{}
	covered := false
	for i := range stored {
		f := &stored[i]
		if r.failed[f.TaskID] == nil {
			continue // of an earlier round of a group
		}
		covered = true
		if known, ok := at[f.Cause]; ok {
			r.shape.RootCauses[known].Tasks += f.Tasks
			continue
		}
		at[f.Cause] = len(r.shape.RootCauses)
		cause := f.Cause.String()
		r.shape.RootCauses = append(r.shape.RootCauses, api.RootCause{
			TaskID: api.ID(f.TaskID), TaskName: f.TaskName, Operator: document.OptText(f.Operator), Try: f.Try, At: document.Instant(f.At), Tasks: f.Tasks,
			Handler: isHandler(f.TaskName), Error: api.TaskFailure{Message: f.Message, Kind: document.OptText(f.Kind)}, LogTail: f.LastLines, Cause: &cause,
		})
	}
	if !covered {
		if err := r.readFailed(); err != nil {
			return err
		}
	}
	slices.SortStableFunc(r.shape.RootCauses, func(a, b api.RootCause) int { return compareBool(a.Handler, b.Handler) })
	r.shape.RootCauses = r.shape.RootCauses[:min(len(r.shape.RootCauses), mostRootCauses)]
	return r.countSame()
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// isHandler reports whether a task was made because of a failure.
func isHandler(name string) bool {
	return strings.Contains(name, "^error") || strings.Contains(name, "^failure-alert")
}

// readFailed reads the tasks themselves: of an attempt whose failures are not stored yet, as tasks still handle them, or that
// ended before failures were stored.
func (r *summaryReader) readFailed() error {
	ids := r.first[:min(len(r.first), mostRootCauses)]
	read := r.tx.FindTasks
	if r.summary.Attempt.Flags&trowel.AttemptDone != 0 {
		read = r.tx.FindArchivedTasks
	}
	tasks, err := read(r.Ctx(), r.summary.Attempt.ID, ids)
	if err != nil {
		return err
	}
	tries, err := r.tx.ListTriesAmong(r.Ctx(), r.summary.Attempt.ID, ids)
	if err != nil {
		return err
	}
	lines := map[trowel.TaskID][]string{} // of the last try
	for i := range tries {
		lines[tries[i].TaskID] = tries[i].LastLines
	}
	slices.SortFunc(tasks, func(a, b *trowel.Task) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	for _, t := range tasks {
		value, _ := t.Error.Get("message")
		message, _ := value.(string)
		operator := dig.OperatorOf(t.Local)
		_, kind := trowel.CauseOf(operator, message)
		r.shape.RootCauses = append(r.shape.RootCauses, api.RootCause{
			TaskID: api.ID(t.ID), TaskName: t.FullName, Operator: document.OptText(operator), Try: t.Try, At: document.Instant(t.UpdatedAt), Tasks: 1,
			Handler: isHandler(t.FullName), Error: api.TaskFailure{Message: message, Kind: document.OptText(kind)}, LogTail: lines[t.ID],
		})
	}
	return nil
}

// countSame counts other attempts that failed for the same causes lately.
func (r *summaryReader) countSame() error {
	var causes []trowel.Cause
	for i := range r.shape.RootCauses {
		if text := r.shape.RootCauses[i].Cause; text != nil {
			cause, _ := trowel.ParseCause(*text) // it was written here
			causes = append(causes, cause)
		}
	}
	since := r.Now.Add(-newFor)
	if len(causes) == 0 {
		return nil
	}
	counts, err := r.tx.CountCauses(r.Ctx(), causes, r.Caller.Project, r.summary.Attempt.ID, since.Truncate(time.Microsecond))
	for i := range r.shape.RootCauses {
		if text := r.shape.RootCauses[i].Cause; text != nil {
			cause, _ := trowel.ParseCause(*text)
			r.shape.RootCauses[i].SameCause = counts[cause]
		}
	}
	return err
}
