package explain

import (
	"errors"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/schedule"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// whySession answers why a session of a workflow has no attempt. If it has one, the answer names it.
func whySession(c *rest.Call) (any, error) {
	at, err := api.ParseInstant(c.Query.Get("sessionTime"))
	if err != nil {
		return nil, rest.InvalidValue("sessionTime", "sessionTime must be an instant, as 2026-01-02T00:00:00+09:00, not %q", c.Query.Get("sessionTime"))
	}
	at = at.Truncate(time.Second)
	return find.InProject(c, func(tx trowel.Tx, p *trowel.Project) (api.SessionWhy, error) {
		facts := &reason.Session{Now: c.Now, At: at, Project: p.Name, Workflow: c.PathText()}
		latest, err := tx.FindLatestAttempt(c.Ctx(), p.ID, facts.Workflow, at, "")
		switch {
		case err == nil:
			id := api.ID(latest.ID)
			return api.SessionWhy{SessionTime: document.Instant(at), Attempt: &id, Text: "the session has an attempt", Offers: api.List[api.Offer]{}}, nil
		case !errors.Is(err, trowel.ErrNotFound):
			return api.SessionWhy{}, err
		}
		if err := readSession(c, tx, p.ID, facts); err != nil {
			return api.SessionWhy{}, err
		}
		return sessionShape(c, p.ID, facts), nil
	})
}

// readSession reads what is known about a session.
func readSession(c *rest.Call, tx trowel.Tx, project trowel.ProjectID, s *reason.Session) error {
	newest, err := tx.FindRevision(c.Ctx(), project, "")
	if err != nil {
		return find.OrNoRevision(err, project, "")
	}
	s.Revision = newest.Name
	w, _, err := tx.FindWorkflow(c.Ctx(), project, s.Workflow)
	if errors.Is(err, trowel.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	s.Exists = true
	if zone, err := schedule.ParseZone(w.Zone); err == nil {
		s.At = s.At.In(zone.Location)
	}
	if s.Plan, err = launch.ReadSchedule(w); err != nil || s.Plan == nil {
		return err
	}
	rows, err := tx.ListSchedules(c.Ctx(), trowel.ScheduleFilter{Project: project, Workflow: s.Workflow, Limit: 1})
	if err != nil {
		return err
	}
	if len(rows) > 0 {
		s.Schedule = &rows[0].Schedule
	}
	if s.Pause, err = tx.FindPause(c.Ctx(), project, s.Workflow); err != nil && !errors.Is(err, trowel.ErrNotFound) {
		return err
	}
	decisions, err := tx.ListDecisions(c.Ctx(), trowel.DecisionFilter{Project: project, Workflow: s.Workflow, Session: s.At, Limit: 1})
	if len(decisions) > 0 {
		s.Decision = &decisions[0]
	}
	return err
}

func sessionShape(c *rest.Call, project trowel.ProjectID, s *reason.Session) api.SessionWhy {
	why := s.Why()
	shape := api.SessionWhy{
		Code: &why.Code, Text: why.Text, Since: document.OptInstant(why.Since), SessionTime: document.Instant(s.At), Offers: api.List[api.Offer]{},
		Next: api.WhyNext{At: document.OptInstant(why.NextAt)},
	}
	for _, o := range why.Offers {
		verb := access.EnableSchedule
		if o.Action == reason.ActionStart {
			verb = access.RunWorkflow
		}
		shape.Offers = append(shape.Offers, api.Offer{Action: o.Action, Label: o.Label, Allowed: c.Caller.May(verb, project)})
	}
	return shape
}
