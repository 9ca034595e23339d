package signin

import (
	"context"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Authenticator checks who signs in. An access.Authenticator is one.
type Authenticator interface {
	SignIn(remote, user, password string) (*access.SignedIn, error)
	SignInToken(ctx context.Context, remote, token string) (*access.SignedIn, error)
}

// Options are what the handlers need.
type Options struct {
	Auth    Authenticator
	SignIn  bool               // every request needs credentials
	Version string             // of the server
	Links   []api.LinkTemplate // to other sites
}

// Routes are the paths of the caller and of logins.
func Routes(o Options) []rest.Route {
	h := &handlers{o}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/me", Name: "getMe", Answer: api.Me{}, Handle: h.me,
			About: "Who calls, and what they may do.",
		},
		{
			Method: "GET", Path: "/api/login/options", Name: "getLoginOptions", Open: true, Answer: api.LoginOptions{}, Handle: h.options,
			About: "How one can sign in. It needs no authentication.",
		},
		{
			Method: "POST", Path: "/api/login", Name: "signIn", Open: true, Answer: api.Me{}, Body: rest.JSONBody(api.LoginRequest{}), Handle: h.signIn,
			Errors: map[int]any{401: api.Error{}, 429: api.Error{}},
			About:  "Sign a browser in, which gets a cookie. It needs no authentication.",
		},
		{
			Method: "DELETE", Path: "/api/login", Name: "signOut", Open: true, Answer: api.LoginsEnded{}, Handle: h.signOut,
			About: "Sign out the browser that asks.",
		},
		{
			Method: "GET", Path: "/api/login/sessions", Name: "getLogins", Answer: api.LoginList{}, Handle: h.list, Query: rest.PageParams(),
			About: "Browsers that the caller has signed in with, by id.",
		},
		{
			Method: "DELETE", Path: "/api/login/sessions", Name: "signOutOthers", Answer: api.LoginsEnded{}, Handle: h.endOthers,
			About: "Sign out all browsers of the caller but the one that asks.",
		},
		{
			Method: "DELETE", Path: "/api/login/sessions/{id:64}", Name: "signOutOne", Answer: api.LoginsEnded{}, Handle: h.endOne,
			About: "Sign out a browser of the caller.",
		},
	}
}
