package server

import (
	"errors"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
)

func getProjects(c *call) (any, error) {
	after, err := c.intParam("last_id", 32, 0)
	if err != nil {
		return nil, err
	}
	limit, err := limitParam(c, "count")
	if err != nil {
		return nil, err
	}
	if c.query.Has("name") {
		return projectsNamed(c, c.query.Get("name"))
	}
	var list []trowel.ProjectRevision
	err = c.view(func(tx trowel.Tx) (err error) {
		list, err = tx.ListProjects(c.ctx(), trowel.ProjectFilter{
			Only: c.caller.Project, After: trowel.ProjectID(after), Name: c.query.Get("name_pattern"), Limit: limit,
		})
		return err
	})
	shapes := api.List[api.Project]{}
	for _, p := range list {
		if c.may(p.Project.ID) == nil {
			shapes = append(shapes, projectOf(p.Project, p.Revision))
		}
	}
	return api.ProjectCollection{Projects: shapes}, err
}

// projectsNamed is a list with the project of that name, or nothing.
func projectsNamed(c *call, name string) (any, error) {
	found, err := projectNamed(c, name)
	if errors.Is(err, trowel.ErrNotFound) {
		return api.ProjectCollection{}, nil
	}
	if err != nil {
		return nil, err
	}
	return api.ProjectCollection{Projects: api.List[api.Project]{*found}}, nil
}

func projectNamed(c *call, name string) (*api.Project, error) {
	var shape api.Project
	err := c.view(func(tx trowel.Tx) error {
		p, err := findProjectNamed(c, tx, name)
		if err != nil {
			return err
		}
		r, err := tx.FindRevision(c.ctx(), p.ID, "")
		if err != nil {
			return err
		}
		shape = projectOf(*p, *r)
		return c.may(p.ID)
	})
	return &shape, err
}

// getProjectByName is the older form of getProjects with a name.
func getProjectByName(c *call) (any, error) {
	if !c.query.Has("name") {
		return nil, Invalid("name= is required")
	}
	name := c.query.Get("name")
	p, err := projectNamed(c, name)
	return p, OrNoResource(err, "project name=%s", name)
}

func getProject(c *call) (any, error) {
	return inProject(c, func(tx trowel.Tx, p *trowel.Project) (api.Project, error) {
		r, err := tx.FindRevision(c.ctx(), p.ID, "")
		if err != nil {
			return api.Project{}, OrNoResource(err, "project id=%d", p.ID)
		}
		return projectOf(*p, *r), nil
	})
}

func getRevisions(c *call) (any, error) {
	before, err := c.intParam("last_id", 32, 0)
	if err != nil {
		return nil, err
	}
	return inProject(c, func(tx trowel.Tx, p *trowel.Project) (api.RevisionCollection, error) {
		if !c.query.Has("name") {
			list, err := tx.ListRevisions(c.ctx(), p.ID, trowel.RevisionID(before), limitBefore(c, before, defaultPage))
			return api.RevisionCollection{Revisions: listOf(list, revisionOf)}, err
		}
		r, err := revisionNamed(c, tx, p.ID, c.query.Get("name"))
		if errors.Is(err, trowel.ErrNotFound) {
			return api.RevisionCollection{}, nil
		}
		if err != nil {
			return api.RevisionCollection{}, err
		}
		return api.RevisionCollection{Revisions: api.List[api.Revision]{revisionOf(r)}}, nil
	})
}

// revisionNamed finds a revision by a name that was given: an empty one does not mean the newest.
func revisionNamed(c *call, tx trowel.Tx, project trowel.ProjectID, name string) (*trowel.Revision, error) {
	if name == "" {
		return nil, trowel.ErrNotFound
	}
	return tx.FindRevision(c.ctx(), project, name)
}

// revision returns the revision that the query names, or the newest.
func findRevision(c *call, tx trowel.Tx, project trowel.ProjectID) (*trowel.Revision, error) {
	if !c.query.Has("revision") {
		r, err := tx.FindRevision(c.ctx(), project, "")
		return r, OrNoResource(err, "project id=%d", project)
	}
	name := c.query.Get("revision")
	r, err := revisionNamed(c, tx, project, name)
	return r, OrNoResource(err, "revision name=%s in project id=%d", name, project)
}

// archives answer with the archives of revisions.
type archives struct{ *Archives }

// get answers with the archive of the revision that the query names, or of the newest one.
func (h *archives) get(c *call) (any, error) {
	var r *trowel.Revision
	err := c.view(func(tx trowel.Tx) error {
		p, err := liveProject(c, tx)
		if err == nil {
			r, err = findRevision(c, tx, p.ID)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return h.Answer(c, &r.Archive)
}

// deleteProject answers with the project as it was.
func deleteProject(c *call) (any, error) {
	var shape api.Project
	err := c.update(func(tx trowel.Tx) error {
		p, err := liveProject(c, tx)
		if err != nil {
			return err
		}
		r, err := tx.FindRevision(c.ctx(), p.ID, "")
		if err != nil {
			return OrNoResource(err, "project id=%d", p.ID)
		}
		shape = projectOf(*p, *r)
		if err := tx.DeleteProject(c.ctx(), p.ID, c.now); err != nil {
			return err
		}
		return c.record(tx, trowel.Record{
			Action: "project.delete", ObjectKind: "project", ObjectID: shape.ID.String(), Object: p.Name, ProjectID: p.ID,
			Before: param.Of("revision", r.Name),
		})
	})
	if err == nil {
		c.log().Info("project deleted", c.changed(shape.Name)...)
	}
	return shape, err
}
