package rest

import (
	"fmt"
	"net/http"

	trowel "github.com/trowel-project/trowel"
)

// CheckVisible returns trowel.ErrNotFound if the caller may not see a project, so that its things look like things that
// do not exist. Every lookup by an id or a name from a request calls it, whatever the role of the caller.
func (c *Call) CheckVisible(project trowel.ProjectID) error {
	if !c.Caller.Sees(project) {
		return trowel.ErrNotFound
	}
	c.inScope = c.Caller.Project != 0
	return nil
}

// addTokenScope adds to a 404 that the token is for one project only, unless the request was about that project.
func addTokenScope(c *Call, e *Error) *Error {
	if e.status != http.StatusNotFound || e.bare || e.body != nil || c.Caller.Project == 0 || c.inScope {
		return e
	}
	scoped := *e
	scoped.message = fmt.Sprintf("%s (the token is for the project %s)", e.message, c.Caller.ProjectName)
	return &scoped
}

// checkSite returns an error if the caller sees only one project. what says what concerns all of them.
func checkSite(c *Call, what string) error {
	if c.Caller.Project == 0 {
		return nil
	}
	return Errorf(http.StatusForbidden, "%s is not allowed to do this: the token is for the project %s, and %s", c.Caller.Name, c.Caller.ProjectName, what)
}
