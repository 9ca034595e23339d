package explain

import (
	"net/url"
	"slices"
	"strconv"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/server/document"
)

func reasonOf(r reason.Reason) api.Reason {
	code := string(r.Code)
	return api.Reason{Code: &code, Text: r.Text, Since: document.OptInstant(r.Since), Fields: r.Fields}
}

// shape returns the document about a task, or about the attempt if t is nil. It has no chain.
func (a *asker) shape(t *trowel.Task, reasons []reason.Reason) api.Why {
	attempt := &a.summary.Attempt
	shape := api.Why{Attempt: api.ID(attempt.ID), State: attempt.Flags.Status()}
	if t != nil {
		shape.Task, shape.State = &api.TaskRef{ID: api.ID(t.ID), Name: t.FullName}, reason.Detail(t, a.facts)
		shape.Place = document.OptText(t.Origin.Place)
		shape.Text, shape.Since = reason.Standing(t, a.facts), document.OptInstant(t.UpdatedAt)
	}
	for i := range reasons {
		shape.Reasons = append(shape.Reasons, reasonOf(reasons[i]))
	}
	if len(reasons) == 0 {
		return shape
	}
	first := &reasons[0]
	shape.Code, shape.Text, shape.Since = shape.Reasons[0].Code, first.Text, document.OptInstant(first.Since)
	shape.Next.At = document.OptInstant(first.At)
	for _, b := range first.Blockers {
		shape.Blockers = append(shape.Blockers, a.blocker(b))
	}
	a.offer(first.Offers)
	shape.Offers = a.offers
	return shape
}

// offer adds offers, each label once.
func (a *asker) offer(offers []reason.Offer) {
	for _, o := range offers {
		if !slices.ContainsFunc(a.offers, func(known api.Offer) bool { return known.Label == o.Label }) {
			a.offers = append(a.offers, api.Offer{Action: o.Action, Label: o.Label, Allowed: a.allows(o.Action)})
		}
	}
}

func (a *asker) blocker(b reason.Blocker) api.Blocker {
	shape := api.Blocker{Kind: b.Kind, ID: b.ID, Name: b.Name, Detail: b.Detail}
	path := ""
	switch b.Kind {
	case "task":
		if b.Task == 0 {
			break // the caller may not see it
		}
		shape.ID, shape.Path = strconv.FormatInt(int64(b.Task), 10), a.path(b.Attempt, b.Task)
	case "attempt":
		shape.ID, shape.Path = strconv.FormatInt(int64(b.Attempt), 10), a.path(b.Attempt, 0)
	case "pool":
		path = "/api/pools/" + url.PathEscape(b.Name)
	case "agent":
		path = "/api/agents/" + url.PathEscape(b.ID)
	case "queue":
		path = "/api/queues"
	case "workflow":
		path = "/api/projects/" + strconv.FormatInt(int64(a.summary.Project.ID), 10) + "/workflows/" + url.PathEscape(b.Name)
	}
	if path != "" {
		shape.Path = &path
	}
	return shape
}

// allows reports whether the caller may take the action of an offer.
func (a *asker) allows(action string) bool {
	verb, project := access.KillAttempt, a.summary.Project.ID
	switch action {
	case reason.ActionUnpause:
		verb = access.EnableSchedule
	case reason.ActionRetry:
		verb = access.RunWorkflow
	case reason.ActionSetPool:
		verb, project = access.EditPools, 0
	case reason.ActionSecret:
		verb = access.PutProjectSecret
	case reason.ActionUndrain:
		verb, project = access.DrainAgents, 0
	}
	return a.Caller.May(verb, project)
}

// detail returns the document of a task.
func (a *asker) detail(t *trowel.Task) (api.TaskDetail, error) {
	if err := a.prepare(t); err != nil {
		return api.TaskDetail{}, err
	}
	tries, err := a.tx.ListTriesOf(a.Ctx(), t.AttemptID, t.ID)
	if err != nil {
		return api.TaskDetail{}, err
	}
	shape := api.TaskDetail{
		Task: document.Task(t), StateDetail: reason.Detail(t, a.facts), Place: document.OptText(t.Origin.Place), Try: t.Try, ReadyAt: document.OptInstant(t.ReadyAt), ClaimedAt: document.OptInstant(t.ClaimedAt),
		Agent: document.OptText(t.AgentID), Effective: effectiveOf(t), Tries: document.List(tries, document.Try),
		Links: document.Links(tries), Usage: document.Usage(tries),
	}
	if reasons := reason.Explain(t, a.facts); len(reasons) > 0 {
		first := reasonOf(reasons[0])
		shape.Reason = &first
	}
	return shape, nil
}

// effectiveOf returns the options with which a task became ready. It is nil for groups, and before that.
func effectiveOf(t *trowel.Task) *api.Effective {
	if t.Group || t.ReadyAt.IsZero() {
		return nil
	}
	shape := &api.Effective{Queue: t.Requirements.QueueName(), PriorityWeight: t.Requirements.PriorityWeight()}
	for _, p := range t.Requirements.PoolRequirements() {
		shape.Pools = append(shape.Pools, api.TaskPool{Name: p.Name, Slots: p.Slots})
	}
	if t.Requirements == nil {
		return shape
	}
	shape.Labels = t.Requirements.Labels
	if l := t.Requirements.Limits; l != nil {
		limits := api.CommandLimits(*l)
		shape.Limits = &limits
	}
	if c := t.Requirements.Concurrency; c != nil {
		shape.Concurrency = &api.TaskConcurrency{Key: c.Key, Limit: c.Limit, Per: c.Per, OnLimit: "wait", IncludeWaiting: !c.RunningOnly}
		if c.Fail {
			shape.Concurrency.OnLimit = "fail"
		}
	}
	return shape
}
