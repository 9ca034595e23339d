package server

import (
	"net/http"

	trowel "github.com/trowel-project/trowel"
)

// liveProject returns the project of the path and refuses one that is deleted ([404p]), or that the
// caller may not see.
func liveProject(c *call, tx trowel.Tx) (*trowel.Project, error) {
	id := trowel.ProjectID(c.number(0))
	p, err := tx.FindProjectByID(c.ctx(), id)
	if err == nil {
		err = c.checkVisible(id)
	}
	if err != nil {
		return nil, OrNoResource(err, "project id=%d", id)
	}
	if !p.DeletedAt.IsZero() {
		return nil, Errorf(http.StatusNotFound, "Project id=%d is already deleted at %s", id, p.DeletedAt.UTC().Format(instantMillis))
	}
	return p, c.may(id)
}

// inProject reads something of the project of the path.
func inProject[T any](c *call, read func(tx trowel.Tx, p *trowel.Project) (T, error)) (any, error) {
	var value T
	err := c.view(func(tx trowel.Tx) error {
		p, err := liveProject(c, tx)
		if err == nil {
			value, err = read(tx, p)
		}
		return err
	})
	return value, err
}

// findProjectNamed returns the live project of a name, as far as the caller sees it.
func findProjectNamed(c *call, tx trowel.Tx, name string) (*trowel.Project, error) {
	p, err := tx.FindProject(c.ctx(), name)
	if err == nil {
		err = c.checkVisible(p.ID)
	}
	return p, err
}

// projectParam finds the project that ?project= names, for which the caller must be allowed to do what the
// route does; nil if it names none.
func projectParam(c *call, tx trowel.Tx) (*trowel.Project, error) {
	name := c.query.Get("project")
	if name == "" {
		return nil, nil //nolint:nilnil // none was asked for
	}
	p, err := findProjectNamed(c, tx, name)
	if err != nil {
		return nil, OrNotFound(err, "", "there is no project %q", name)
	}
	return p, c.may(p.ID)
}
