package v1

import (
	"errors"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/download"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

func getProjects(c *rest.Call) (any, error) {
	after, err := c.IntParam("last_id", 32, 0)
	if err != nil {
		return nil, err
	}
	limit, err := limitParam(c, "count")
	if err != nil {
		return nil, err
	}
	if c.Query.Has("name") {
		return projectsNamed(c, c.Query.Get("name"))
	}
	var list []trowel.ProjectRevision
	err = c.View(func(tx trowel.Tx) (err error) {
		list, err = tx.ListProjects(c.Ctx(), trowel.ProjectFilter{
			Only: c.Caller.Project, After: trowel.ProjectID(after), Name: c.Query.Get("name_pattern"), Limit: limit,
		})
		return err
	})
	shapes := api.List[api.Project]{}
	for _, p := range list {
		if c.Authorize(p.Project.ID) == nil {
			shapes = append(shapes, projectOf(p.Project, p.Revision))
		}
	}
	return api.ProjectCollection{Projects: shapes}, err
}

// projectsNamed answers with a list of the project of that name, or with an empty one.
func projectsNamed(c *rest.Call, name string) (any, error) {
	found, err := projectNamed(c, name)
	if errors.Is(err, trowel.ErrNotFound) {
		return api.ProjectCollection{}, nil
	}
	if err != nil {
		return nil, err
	}
	return api.ProjectCollection{Projects: api.List[api.Project]{*found}}, nil
}

func projectNamed(c *rest.Call, name string) (*api.Project, error) {
	var shape api.Project
	err := c.View(func(tx trowel.Tx) error {
		p, err := find.ProjectNamed(c, tx, name)
		if err != nil {
			return err
		}
		r, err := tx.FindRevision(c.Ctx(), p.ID, "")
		if err != nil {
			return err
		}
		shape = projectOf(*p, *r)
		return c.Authorize(p.ID)
	})
	return &shape, err
}

// getProjectByName is an older form of getProjects with a name.
func getProjectByName(c *rest.Call) (any, error) {
	if !c.Query.Has("name") {
		return nil, rest.Invalid("name= is required")
	}
	name := c.Query.Get("name")
	p, err := projectNamed(c, name)
	return p, rest.OrNoResource(err, "project name=%s", name)
}

func getProject(c *rest.Call) (any, error) {
	return find.InProject(c, func(tx trowel.Tx, p *trowel.Project) (api.Project, error) {
		r, err := tx.FindRevision(c.Ctx(), p.ID, "")
		if err != nil {
			return api.Project{}, rest.OrNoResource(err, "project id=%d", p.ID)
		}
		return projectOf(*p, *r), nil
	})
}

func getRevisions(c *rest.Call) (any, error) {
	before, err := c.IntParam("last_id", 32, 0)
	if err != nil {
		return nil, err
	}
	return find.InProject(c, func(tx trowel.Tx, p *trowel.Project) (api.RevisionCollection, error) {
		if !c.Query.Has("name") {
			list, err := tx.ListRevisions(c.Ctx(), p.ID, trowel.RevisionID(before), limitBefore(c, before, rest.DefaultPage))
			return api.RevisionCollection{Revisions: document.List(list, revisionOf)}, err
		}
		r, err := revisionNamed(c, tx, p.ID, c.Query.Get("name"))
		if errors.Is(err, trowel.ErrNotFound) {
			return api.RevisionCollection{}, nil
		}
		if err != nil {
			return api.RevisionCollection{}, err
		}
		return api.RevisionCollection{Revisions: api.List[api.Revision]{revisionOf(r)}}, nil
	})
}

// revisionNamed finds a revision by its name. Unlike in the store, an empty name does not mean the newest revision.
func revisionNamed(c *rest.Call, tx trowel.Tx, project trowel.ProjectID, name string) (*trowel.Revision, error) {
	if name == "" {
		return nil, trowel.ErrNotFound
	}
	return tx.FindRevision(c.Ctx(), project, name)
}

// findRevision returns the revision that the query names, or the newest one.
func findRevision(c *rest.Call, tx trowel.Tx, project trowel.ProjectID) (*trowel.Revision, error) {
	if !c.Query.Has("revision") {
		r, err := tx.FindRevision(c.Ctx(), project, "")
		return r, rest.OrNoResource(err, "project id=%d", project)
	}
	name := c.Query.Get("revision")
	r, err := revisionNamed(c, tx, project, name)
	return r, find.OrNoRevision(err, project, name)
}

// archives has the handler of archives.
type archives struct{ *download.Archives }

// get answers with the archive of the revision that the query names, or of the newest one.
func (h *archives) get(c *rest.Call) (any, error) {
	var r *trowel.Revision
	err := c.View(func(tx trowel.Tx) error {
		p, err := find.LiveProject(c, tx)
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

// deleteProject deletes a project, and answers with the project as it was.
func deleteProject(c *rest.Call) (any, error) {
	var shape api.Project
	err := c.Update(func(tx trowel.Tx) error {
		p, err := find.LiveProject(c, tx)
		if err != nil {
			return err
		}
		r, err := tx.FindRevision(c.Ctx(), p.ID, "")
		if err != nil {
			return rest.OrNoResource(err, "project id=%d", p.ID)
		}
		shape = projectOf(*p, *r)
		if err := tx.DeleteProject(c.Ctx(), p.ID, c.Now); err != nil {
			return err
		}
		if err := tx.Notify(c.Ctx(), cluster.Logins{}.String()); err != nil { // those with tokens of the project
			return err
		}
		return c.Record(tx, trowel.AuditRecord{
			Action: "project.delete", ObjectKind: "project", ObjectID: shape.ID.String(), Object: p.Name, ProjectID: p.ID,
			Before: param.Of("revision", r.Name),
		})
	})
	if err == nil {
		c.RecheckLogins()
		c.Log().Info("project deleted", c.LogFields(shape.Name)...)
	}
	return shape, err
}
