package rest

import (
	"fmt"
	"net/http"

	trowel "github.com/trowel-project/trowel"
)

// CheckVisible returns trowel.ErrNotFound for what belongs to a project that the caller may not see, so that the answer is
// that about a thing which does not exist. It is asked right after each search by an id or a name that a
// request has given, whatever the role of the caller.
func (c *Call) CheckVisible(project trowel.ProjectID) error {
	if !c.Caller.Sees(project) {
		return trowel.ErrNotFound
	}
	c.within = c.Caller.Project != 0
	return nil
}

// scoped adds to the answer that a thing does not exist that the caller sees one project alone, unless the thing
// was looked for in that project.
func scoped(c *Call, e *Error) *Error {
	if e.status != http.StatusNotFound || e.bare || e.body != nil || c.Caller.Project == 0 || c.within {
		return e
	}
	told := *e
	told.message = fmt.Sprintf("%s (the token is for the project %s)", e.message, c.Caller.ProjectName)
	return &told
}

// ofSite refuses a caller who sees one project alone what is about all of them.
func ofSite(c *Call, what string) error {
	if c.Caller.Project == 0 {
		return nil
	}
	return Errorf(http.StatusForbidden, "%s is not allowed to do this: the token is for the project %s, and %s", c.Caller.Name, c.Caller.ProjectName, what)
}
