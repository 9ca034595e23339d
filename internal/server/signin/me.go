package signin

import (
	"strconv"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// handlers handle the requests of this package.
type handlers struct{ Options }

func (h *handlers) me(c *rest.Call) (any, error) { return h.meOf(c), nil }

// meOf returns the document of the caller.
func (h *handlers) meOf(c *rest.Call) api.Me {
	by := c.Caller
	me := api.Me{
		User: by.Name, Name: by.Name, Roles: api.List[string]{string(by.Role)}, Can: verbs(by, 0), Auth: string(by.Kind), ServerTime: document.Instant(c.Clock()),
		Version: h.Version, Links: h.Links,
	}
	if by.Project != 0 {
		me.Projects = map[string]api.List[string]{strconv.FormatInt(int64(by.Project), 10): verbs(by, by.Project)}
	}
	if by.Token != nil {
		me.ExpiresAt = document.OptInstant(by.Token.ExpiresAt)
	}
	if by.Login != nil {
		id := api.ID(by.Login.ID)
		me.Login, me.ExpiresAt = &id, document.OptInstant(by.Login.EndsAt)
	}
	return me
}

func verbs(by access.Caller, project trowel.ProjectID) api.List[string] {
	return document.List(by.Can(project), func(verb access.Verb) string { return string(verb) })
}

func (h *handlers) options(*rest.Call) (any, error) {
	return api.LoginOptions{Password: h.SignIn, Token: h.SignIn, Providers: api.List[api.LoginProvider]{}}, nil
}

// loginOf returns the document of a login.
func loginOf(l *trowel.Login, current *trowel.Login) api.Login {
	return api.Login{
		ID: api.ID(l.ID), Current: current != nil && l.ID == current.ID, Address: l.Address, Browser: l.Browser, CreatedAt: document.Instant(l.CreatedAt),
		UsedAt: document.Instant(l.UsedAt), ExpiresAt: document.Instant(access.LoginEnd(l)),
	}
}

// lasts returns how long a login lasts from now on.
func lasts(c *rest.Call, l *trowel.Login) time.Duration { return l.EndsAt.Sub(c.Now) }
