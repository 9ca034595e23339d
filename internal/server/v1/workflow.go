package v1

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

func getProjectWorkflows(c *rest.Call) (any, error) {
	return find.InProject(c, func(tx trowel.Tx, p *trowel.Project) (api.WorkflowCollection, error) {
		r, err := findRevision(c, tx, p.ID)
		if err != nil {
			return api.WorkflowCollection{}, err
		}
		filter := trowel.WorkflowFilter{Revision: r.ID, Name: c.Query.Get("name"), Limit: -1}
		if c.Query.Has("name") && filter.Name == "" {
			return api.WorkflowCollection{}, nil
		}
		list, err := tx.ListWorkflows(c.Ctx(), filter)
		return api.WorkflowCollection{Workflows: document.List(list, workflowOf)}, err
	})
}

func getProjectWorkflow(c *rest.Call) (any, error) {
	return find.InProject(c, func(tx trowel.Tx, p *trowel.Project) (api.Workflow, error) {
		return workflowNamed(c, tx, p.ID, c.PathText())
	})
}

// getProjectWorkflowByQuery is an older form of getProjectWorkflow.
func getProjectWorkflowByQuery(c *rest.Call) (any, error) {
	if !c.Query.Has("name") {
		return nil, rest.Invalid("name= is required")
	}
	return find.InProject(c, func(tx trowel.Tx, p *trowel.Project) (api.Workflow, error) {
		return workflowNamed(c, tx, p.ID, c.Query.Get("name"))
	})
}

// workflowNamed finds a workflow in the revision that the query names, or in the newest one.
func workflowNamed(c *rest.Call, tx trowel.Tx, project trowel.ProjectID, name string) (api.Workflow, error) {
	r, err := findRevision(c, tx, project)
	if err != nil {
		return api.Workflow{}, err
	}
	var list []*trowel.Definition
	if name != "" {
		list, err = tx.ListWorkflows(c.Ctx(), trowel.WorkflowFilter{Revision: r.ID, Name: name, Limit: 1})
	}
	if err == nil && len(list) == 0 {
		err = rest.NoResource("workflow name=%s in revision id=%d", name, r.ID)
	}
	if err != nil {
		return api.Workflow{}, err
	}
	return workflowOf(list[0]), nil
}

// getWorkflowByName is an older form, with the names of project and workflow in the query.
func getWorkflowByName(c *rest.Call) (any, error) {
	for _, name := range []string{"project", "name"} {
		if !c.Query.Has(name) {
			return nil, rest.Invalid("%s= is required", name)
		}
	}
	var shape api.Workflow
	err := c.View(func(tx trowel.Tx) error {
		project := c.Query.Get("project")
		p, err := find.ProjectNamed(c, tx, project)
		if err != nil {
			return rest.OrNoResource(err, "project name=%s", project)
		}
		if err := c.Authorize(p.ID); err != nil {
			return err
		}
		shape, err = workflowNamed(c, tx, p.ID, c.Query.Get("name"))
		return err
	})
	return shape, err
}

func getWorkflows(c *rest.Call) (any, error) {
	after, err := c.IntParam("last_id", 64, 0)
	if err != nil {
		return nil, err
	}
	limit, err := limitParam(c, "count")
	if err != nil {
		return nil, err
	}
	order := c.Query.Get("order")
	if order != "" && order != "asc" && order != "desc" || order == "" && c.Query.Has("order") {
		return nil, rest.Invalid("parameter 'order' must be either 'asc' or 'desc'")
	}
	filter := trowel.WorkflowFilter{
		Project: c.Caller.Project, Pattern: c.Query.Get("name_pattern"), OrProject: c.FlagParam("search_project_name"),
		After: trowel.WorkflowID(after), Descending: order == "desc", Limit: limit,
	}
	if filter.Descending {
		filter.Limit = limitBefore(c, after, limit)
	}
	shapes := api.List[api.Workflow]{}
	err = c.View(func(tx trowel.Tx) error {
		list, err := tx.ListWorkflows(c.Ctx(), filter)
		for _, d := range list {
			if c.Authorize(d.Project.ID) == nil {
				shapes = append(shapes, workflowOf(d))
			}
		}
		return err
	})
	return api.WorkflowCollection{Workflows: shapes}, err
}

func getWorkflow(c *rest.Call) (any, error) {
	d, err := findDefinition(c)
	if err != nil {
		return nil, err
	}
	return workflowOf(d), nil
}

// findDefinition returns the workflow of the path. It may be of any revision.
func findDefinition(c *rest.Call) (*trowel.Definition, error) {
	id := trowel.WorkflowID(c.PathNumber(0))
	var d *trowel.Definition
	err := c.View(func(tx trowel.Tx) (err error) {
		if d, err = tx.FindDefinition(c.Ctx(), id); err == nil {
			err = c.CheckVisible(d.Project.ID)
		}
		return err
	})
	if err != nil {
		return nil, rest.OrNoResource(err, "workflow id=%d", id)
	}
	return d, c.Authorize(d.Project.ID)
}

// getTruncatedSessionTime answers with the session time of a workflow for a time (server 2.6.4).
func getTruncatedSessionTime(c *rest.Call) (any, error) {
	if !c.Query.Has("session_time") {
		return nil, rest.Invalid("session_time= is required")
	}
	wanted, err := api.ParseLocalOrInstant(c.Query.Get("session_time"))
	if err != nil {
		return nil, rest.ErrNoPath
	}
	truncate, known := truncations()[c.Query.Get("mode")]
	if !known || c.Query.Has("mode") && c.Query.Get("mode") == "" {
		return nil, rest.ErrNoPath
	}
	d, err := findDefinition(c)
	if err != nil {
		return nil, err
	}
	zone, err := schedule.ParseZone(d.Workflow.Zone)
	if err != nil {
		return nil, err
	}
	at := wanted.Time.Truncate(time.Second)
	if wanted.Local {
		at = zone.FirstOccurrence(at)
	}
	at, err = truncate(d, zone, at.In(zone.Location))
	if err != nil {
		return nil, err
	}
	return api.WorkflowSessionTime{
		Project: document.IDName(d.Project), Revision: d.Revision.Name,
		SessionTime: api.OffsetTime{Time: at.In(zone.Location)}, Timezone: d.Workflow.Zone,
	}, nil
}

type truncation func(d *trowel.Definition, zone schedule.Zone, at time.Time) (time.Time, error)

// truncations are the modes of getTruncatedSessionTime.
func truncations() map[string]truncation {
	return map[string]truncation{
		"": func(_ *trowel.Definition, _ schedule.Zone, at time.Time) (time.Time, error) { return at, nil },
		"hour": func(_ *trowel.Definition, zone schedule.Zone, at time.Time) (time.Time, error) {
			return at.Add(-zone.SinceHour(at)), nil
		},
		"day": func(_ *trowel.Definition, zone schedule.Zone, at time.Time) (time.Time, error) {
			return zone.FirstOccurrence(time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)), nil
		},
		"schedule": func(d *trowel.Definition, zone schedule.Zone, at time.Time) (time.Time, error) {
			s, err := scheduleFor(d, zone, "schedule")
			if err != nil {
				return time.Time{}, err
			}
			return s.First(at).Session, nil
		},
		"next_schedule": func(d *trowel.Definition, zone schedule.Zone, at time.Time) (time.Time, error) {
			s, err := scheduleFor(d, zone, "next_schedule")
			if err != nil {
				return time.Time{}, err
			}
			return s.Next(at).Session, nil
		},
	}
}

// scheduleFor returns the schedule of a workflow, for a mode that needs one.
func scheduleFor(d *trowel.Definition, zone schedule.Zone, mode string) (*schedule.Schedule, error) {
	value, _ := d.Workflow.Definition.Get("schedule")
	block, ok := value.(*param.Map)
	if !ok {
		return nil, rest.Invalid("session_time_truncate=%s is set but schedule is not set to this workflow", mode)
	}
	s, err := schedule.Parse(block, zone)
	if err != nil {
		return nil, rest.Invalid("%s", err).Because(err)
	}
	return s, nil
}
