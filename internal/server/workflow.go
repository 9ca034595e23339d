package server

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

func getProjectWorkflows(c *call) (any, error) {
	return inProject(c, func(tx trowel.Tx, p *trowel.Project) (api.WorkflowCollection, error) {
		r, err := findRevision(c, tx, p.ID)
		if err != nil {
			return api.WorkflowCollection{}, err
		}
		filter := trowel.WorkflowFilter{Revision: r.ID, Name: c.query.Get("name"), Limit: -1}
		if c.query.Has("name") && filter.Name == "" {
			return api.WorkflowCollection{}, nil
		}
		list, err := tx.ListWorkflows(c.ctx(), filter)
		return api.WorkflowCollection{Workflows: listOf(list, workflowOf)}, err
	})
}

func getProjectWorkflow(c *call) (any, error) {
	return inProject(c, func(tx trowel.Tx, p *trowel.Project) (api.Workflow, error) {
		return workflowNamed(c, tx, p.ID, c.text())
	})
}

// getProjectWorkflowByQuery is an older form of getProjectWorkflow.
func getProjectWorkflowByQuery(c *call) (any, error) {
	if !c.query.Has("name") {
		return nil, Invalid("name= is required")
	}
	return inProject(c, func(tx trowel.Tx, p *trowel.Project) (api.Workflow, error) {
		return workflowNamed(c, tx, p.ID, c.query.Get("name"))
	})
}

// workflowNamed finds a workflow in the revision that the query names, or in the newest.
func workflowNamed(c *call, tx trowel.Tx, project trowel.ProjectID, name string) (api.Workflow, error) {
	r, err := findRevision(c, tx, project)
	if err != nil {
		return api.Workflow{}, err
	}
	var list []*trowel.Definition
	if name != "" {
		list, err = tx.ListWorkflows(c.ctx(), trowel.WorkflowFilter{Revision: r.ID, Name: name, Limit: 1})
	}
	if err == nil && len(list) == 0 {
		err = NoResource("workflow name=%s in revision id=%d", name, r.ID)
	}
	if err != nil {
		return api.Workflow{}, err
	}
	return workflowOf(list[0]), nil
}

// getWorkflowByName is an older form: project and workflow are named in the query.
func getWorkflowByName(c *call) (any, error) {
	for _, name := range []string{"project", "name"} {
		if !c.query.Has(name) {
			return nil, Invalid("%s= is required", name)
		}
	}
	var shape api.Workflow
	err := c.view(func(tx trowel.Tx) error {
		project := c.query.Get("project")
		p, err := findProjectNamed(c, tx, project)
		if err != nil {
			return OrNoResource(err, "project name=%s", project)
		}
		if err := c.may(p.ID); err != nil {
			return err
		}
		shape, err = workflowNamed(c, tx, p.ID, c.query.Get("name"))
		return err
	})
	return shape, err
}

func getWorkflows(c *call) (any, error) {
	after, err := c.intParam("last_id", 64, 0)
	if err != nil {
		return nil, err
	}
	limit, err := limitParam(c, "count")
	if err != nil {
		return nil, err
	}
	order := c.query.Get("order")
	if order != "" && order != "asc" && order != "desc" || order == "" && c.query.Has("order") {
		return nil, Invalid("parameter 'order' must be either 'asc' or 'desc'")
	}
	filter := trowel.WorkflowFilter{
		Project: c.caller.Project, Pattern: c.query.Get("name_pattern"), OrProject: c.flagParam("search_project_name"),
		After: trowel.WorkflowID(after), Descending: order == "desc", Limit: limit,
	}
	if filter.Descending {
		filter.Limit = limitBefore(c, after, limit)
	}
	shapes := api.List[api.Workflow]{}
	err = c.view(func(tx trowel.Tx) error {
		list, err := tx.ListWorkflows(c.ctx(), filter)
		for _, d := range list {
			if c.may(d.Project.ID) == nil {
				shapes = append(shapes, workflowOf(d))
			}
		}
		return err
	})
	return api.WorkflowCollection{Workflows: shapes}, err
}

func getWorkflow(c *call) (any, error) {
	d, err := findDefinition(c)
	if err != nil {
		return nil, err
	}
	return workflowOf(d), nil
}

// definition returns the workflow of the path, which may be of any revision.
func findDefinition(c *call) (*trowel.Definition, error) {
	id := trowel.WorkflowID(c.number(0))
	var d *trowel.Definition
	err := c.view(func(tx trowel.Tx) (err error) {
		if d, err = tx.FindDefinition(c.ctx(), id); err == nil {
			err = c.checkVisible(d.Project.ID)
		}
		return err
	})
	if err != nil {
		return nil, OrNoResource(err, "workflow id=%d", id)
	}
	return d, c.may(d.Project.ID)
}

// getTruncatedSessionTime says which session time a workflow has for a time (server 2.6.4).
func getTruncatedSessionTime(c *call) (any, error) {
	if !c.query.Has("session_time") {
		return nil, Invalid("session_time= is required")
	}
	wanted, err := api.ParseLocalOrInstant(c.query.Get("session_time"))
	if err != nil {
		return nil, ErrNoPath
	}
	truncate, known := truncations()[c.query.Get("mode")]
	if !known || c.query.Has("mode") && c.query.Get("mode") == "" {
		return nil, ErrNoPath
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
		Project: idName(d.Project), Revision: d.Revision.Name,
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

// scheduleFor reads the schedule of a stored workflow for a truncation.
func scheduleFor(d *trowel.Definition, zone schedule.Zone, mode string) (*schedule.Schedule, error) {
	value, _ := d.Workflow.Definition.Get("schedule")
	block, ok := value.(*param.Map)
	if !ok {
		return nil, Invalid("session_time_truncate=%s is set but schedule is not set to this workflow", mode)
	}
	s, err := schedule.Parse(block, zone)
	if err != nil {
		return nil, Invalid("%s", err).Because(err)
	}
	return s, nil
}
