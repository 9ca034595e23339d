package access

import (
	"fmt"

	"github.com/trowel-project/trowel"
)

// Role says what a caller may do. Tokens are stored with these names.
type Role string

// The roles.
const (
	RoleAdmin    Role = "admin"    // everything
	RoleOperator Role = "operator" // everything except tokens
	RoleRead     Role = "read"     // nothing that changes anything
	RoleAgent    Role = "agent"    // only what a remote agent does
)

// Roles returns all roles.
func Roles() []Role { return []Role{RoleAdmin, RoleOperator, RoleRead, RoleAgent} }

// power returns the power of a role. A role that does not exist has none.
func (r Role) power() power {
	switch r {
	case RoleAdmin:
		return governing
	case RoleOperator:
		return operating
	case RoleRead:
		return reading
	case RoleAgent:
		return serving
	}
	return 0
}

// Kind says how a caller was recognised.
type Kind string

// The kinds. Their names are those of GET /api/me.
const (
	KindNone  Kind = "none"  // no user is set, so everybody may call
	KindBasic Kind = "basic" // user and password
	KindToken Kind = "token"
)

// Caller is somebody who calls the API. The zero Caller may do nothing.
type Caller struct {
	Name  string // of the user or token, for the audit; "anonymous" for KindNone
	Kind  Kind   // how the caller was recognised
	Role  Role
	Admin bool // may use admin resources, a flag of Digdag's (server 3.6)
	// Project is the only one that the caller may see, by which lists are filtered. Zero for all.
	Project     trowel.ProjectID
	ProjectName string        // its name; empty if Project is zero
	Token       *trowel.Token // of KindToken
	Login       *trowel.Login // of a browser that is signed in; nil for other callers
}

// Sees reports whether the caller may know that a project exists. If not, the answer is the same as for a project that
// does not exist, also for everything that belongs to it.
func (c Caller) Sees(project trowel.ProjectID) bool { return c.Project == 0 || c.Project == project }

// Denial returns a sentence for a caller who may not do something with a project. The reason in it is what their
// token is for, or else their role.
func (c Caller) Denial(verb Verb, project trowel.ProjectID) string {
	everywhere := c
	everywhere.Project = 0
	if c.Project != 0 && everywhere.May(verb, project) {
		return fmt.Sprintf("%s is not allowed to do this: the token is for the project %s", c.Name, c.ProjectName)
	}
	return fmt.Sprintf("%s is not allowed to do this: it needs %s, and the role is %s", c.Name, verb, c.Role)
}

// May reports whether the caller may do something with a project. Zero stands for no project, for all
// of them, and for one that will be made. Nobody may use a verb that does not exist.
func (c Caller) May(verb Verb, project trowel.ProjectID) bool {
	r, ok := find(verb)
	if !ok || c.Role.power() < r.need || verb == RunAgent && !c.runsAgents() {
		return false
	}
	return c.Sees(project) || r.listing && project == 0
}

// runsAgents reports whether the caller may be a remote agent: with a token for that, as an administrator,
// or if everybody may do everything.
func (c Caller) runsAgents() bool {
	return c.Role == RoleAgent || c.Role == RoleAdmin || c.Kind == KindNone && c.Role != ""
}

// Can returns the verbs that the caller may do with a project, see May.
func (c Caller) Can(project trowel.ProjectID) []Verb {
	verbs := []Verb{}
	for _, verb := range Verbs() {
		if c.May(verb, project) {
			verbs = append(verbs, verb)
		}
	}
	return verbs
}
