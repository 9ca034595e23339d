package server

import (
	"fmt"
	"net/http"

	trowel "github.com/trowel-project/trowel"
)

// checkVisible returns trowel.ErrNotFound for what belongs to a project that the caller may not see, so that the answer is
// that about a thing which does not exist. It is asked right after each search by an id or a name that a
// request has given, whatever the role of the caller.
func (c *call) checkVisible(project trowel.ProjectID) error {
	if !c.caller.Sees(project) {
		return trowel.ErrNotFound
	}
	c.within = c.caller.Project != 0
	return nil
}

// scoped adds to the answer that a thing does not exist that the caller sees one project alone, unless the thing
// was looked for in that project.
func scoped(c *call, e *Error) *Error {
	if e.status != http.StatusNotFound || e.bare || e.body != nil || c.caller.Project == 0 || c.within {
		return e
	}
	told := *e
	told.message = fmt.Sprintf("%s (the token is for the project %s)", e.message, c.caller.ProjectName)
	return &told
}

// ofSite refuses a caller who sees one project alone what is about all of them.
func ofSite(c *call, what string) error {
	if c.caller.Project == 0 {
		return nil
	}
	return Errorf(http.StatusForbidden, "%s is not allowed to do this: the token is for the project %s, and %s", c.caller.Name, c.caller.ProjectName, what)
}
