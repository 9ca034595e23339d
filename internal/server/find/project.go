package find

import (
	"net/http"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// LiveProject returns the project of the path. It fails if the project is deleted ([404p]), or if the caller may not do
// with it what the route does.
func LiveProject(c *rest.Call, tx trowel.Tx) (*trowel.Project, error) {
	id := trowel.ProjectID(c.PathNumber(0))
	p, err := tx.FindProjectByID(c.Ctx(), id)
	if err == nil {
		err = c.CheckVisible(id)
	}
	if err != nil {
		return nil, rest.OrNoResource(err, "project id=%d", id)
	}
	if !p.DeletedAt.IsZero() {
		return nil, rest.Errorf(http.StatusNotFound, "Project id=%d is already deleted at %s", id, p.DeletedAt.UTC().Format(document.InstantLayout))
	}
	return p, c.Authorize(id)
}

// InProject reads something of the project of the path, in a transaction of its own.
func InProject[T any](c *rest.Call, read func(tx trowel.Tx, p *trowel.Project) (T, error)) (any, error) {
	var value T
	err := c.View(func(tx trowel.Tx) error {
		p, err := LiveProject(c, tx)
		if err == nil {
			value, err = read(tx, p)
		}
		return err
	})
	return value, err
}

// ProjectNamed returns the live project of a name, if the caller may see it.
func ProjectNamed(c *rest.Call, tx trowel.Tx, name string) (*trowel.Project, error) {
	p, err := tx.FindProject(c.Ctx(), name)
	if err == nil {
		err = c.CheckVisible(p.ID)
	}
	return p, err
}

// QueryRevision is the parameter of paths of a project that names a revision.
func QueryRevision() rest.Parameter {
	return rest.QueryText("revision", "Name of a revision; the newest one if it is missing.")
}

// QueryProject is the parameter that ProjectParam reads, of lists.
func QueryProject() rest.Parameter {
	return rest.QueryText("project", "Only those of the project of that name.")
}

// QueryWorkflow is the parameter beside QueryProject.
func QueryWorkflow() rest.Parameter {
	return rest.QueryText("workflow", "Only those of this workflow of the project.")
}

// OrNoRevision turns trowel.ErrNotFound into the error about a revision that the project does not have.
func OrNoRevision(err error, project trowel.ProjectID, name string) error {
	return rest.OrNoResource(err, "revision name=%s in project id=%d", name, project)
}

// ProjectParam returns the project that ?project= names; nil if the parameter is absent. It fails if the caller may not do
// with the project what the route does.
func ProjectParam(c *rest.Call, tx trowel.Tx) (*trowel.Project, error) {
	name := c.Query.Get("project")
	if name == "" {
		return nil, nil //nolint:nilnil // the request names none
	}
	p, err := ProjectNamed(c, tx, name)
	if err != nil {
		return nil, rest.OrNotFound(err, "", "there is no project %q", name)
	}
	return p, c.Authorize(p.ID)
}
