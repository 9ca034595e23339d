package access_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
)

func now() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// tokens are stored tokens by their texts.
type tokens map[string]*trowel.Token

// Tokens of project 8 belong to a deleted project.
func (t tokens) FindToken(_ context.Context, hash []byte) (*trowel.Token, *trowel.Project, error) {
	for text, token := range t {
		switch {
		case !bytes.Equal(hash, access.Hash(text)):
		case token.ProjectID == 0:
			return token, nil, nil
		case token.ProjectID == 8:
			return token, &trowel.Project{ID: 8, Name: "gone", DeletedAt: now().Add(-time.Minute)}, nil
		default:
			return token, &trowel.Project{ID: token.ProjectID, Name: "tiny"}, nil
		}
	}
	if bytes.Equal(hash, access.Hash("trw_down")) {
		return nil, nil, errors.New("no connection")
	}
	return nil, nil, trowel.ErrNotFound
}

func basic(userAndPassword string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(userAndPassword))
}

// Server 3.6 and Digdag's texts.
func TestAuthenticate(t *testing.T) {
	t.Parallel()
	known := tokens{
		"trw_admin":    {Name: "a", Role: "admin"},
		"trw_read":     {Name: "r", Role: "read", ProjectID: 7},
		"trw_admin7":   {Name: "a7", Role: "admin", ProjectID: 7},
		"trw_later":    {Name: "l", Role: "operator", ExpiresAt: now().Add(time.Second)},
		"trw_expired":  {Name: "e", Role: "admin", ExpiresAt: now()},
		"trw_revoked":  {Name: "x", Role: "admin", RevokedAt: now().Add(-time.Hour)},
		"trw_nonsense": {Name: "n", Role: "king"},
		"trw_odd":      {Name: "n", Role: "king", RevokedAt: now()},
		"trw_gone":     {Name: "g", Role: "admin", ProjectID: 8},
		"other":        {Name: "o", Role: "admin"},
	}
	closed := access.Options{Username: "me", Password: "a:b", Tokens: known, Now: now}
	admin := closed
	admin.Admin = true
	open := access.Options{Tokens: known, Now: now}
	bare := access.Options{Now: now}
	me := access.Caller{Name: "me", Kind: access.KindBasic, Role: access.RoleOperator}
	anybody := access.Caller{Name: "anonymous", Kind: access.KindNone, Role: access.RoleOperator}
	for _, c := range []struct {
		name    string
		options access.Options
		header  string
		want    access.Caller
		problem string
		ended   bool
	}{
		{name: "right", options: closed, header: basic("me:a:b"), want: me},
		{name: "scheme in other case", options: closed, header: "b" + basic("me:a:b")[1:], want: me},
		{name: "admin", options: admin, header: basic("me:a:b"), want: access.Caller{Name: "me", Kind: access.KindBasic, Role: access.RoleAdmin, Admin: true}},
		{name: "nothing", options: closed, problem: "Missing Authorization header"},
		{name: "wrong password", options: closed, header: basic("me:a"), problem: "unauthorized"},
		{name: "wrong user", options: closed, header: basic("you:a:b"), problem: "unauthorized"},
		{name: "no colon", options: closed, header: basic("me"), problem: "unauthorized"},
		{name: "empty", options: closed, header: basic(":"), problem: "unauthorized"},
		{name: "not Base64", options: closed, header: "Basic %", problem: "unauthorized"},
		{name: "no credentials", options: closed, header: "Basic", problem: "unauthorized"},
		{name: "another scheme", options: closed, header: "TD1 x", problem: "unauthorized"},
		{name: "token", options: closed, header: "Bearer trw_admin", want: access.Caller{Name: "a", Kind: access.KindToken, Role: access.RoleAdmin, Admin: true, Token: known["trw_admin"]}},
		{name: "token of a project", options: closed, header: "bearer  trw_read ", want: access.Caller{Name: "r", Kind: access.KindToken, Role: access.RoleRead, Project: 7, ProjectName: "tiny", Token: known["trw_read"]}},
		{name: "admin of a project", options: closed, header: "Bearer trw_admin7", want: access.Caller{Name: "a7", Kind: access.KindToken, Role: access.RoleAdmin, Project: 7, ProjectName: "tiny", Token: known["trw_admin7"]}},
		{name: "token that expires", options: closed, header: "Bearer trw_later", want: access.Caller{Name: "l", Kind: access.KindToken, Role: access.RoleOperator, Token: known["trw_later"]}},
		{name: "expired", options: closed, header: "Bearer trw_expired", problem: "the token e expired at 2026-11-21T12:00:00Z", ended: true},
		{name: "revoked", options: closed, header: "Bearer trw_revoked", problem: "the token x was revoked at 2026-11-21T11:00:00Z", ended: true},
		{
			name: "of a deleted project", options: closed, header: "Bearer trw_gone",
			problem: "the token g is for the project gone, which was deleted at 2026-11-21T11:59:00Z", ended: true,
		},
		{name: "open, expired", options: open, header: "Bearer trw_expired", problem: "the token e expired at 2026-11-21T12:00:00Z", ended: true},
		{name: "revoked, of a role that there is not", options: closed, header: "Bearer trw_odd", problem: "unauthorized"},
		{name: "unknown role", options: closed, header: "Bearer trw_nonsense", problem: "unauthorized"},
		{name: "unknown token", options: closed, header: "Bearer trw_x", problem: "unauthorized"},
		{name: "no prefix", options: closed, header: "Bearer other", problem: "unauthorized"},
		{name: "no token", options: closed, header: "Bearer", problem: "unauthorized"},
		{name: "no tokens", options: bare, header: "Bearer trw_admin", problem: "unauthorized"},
		{name: "open", options: open, want: anybody},
		{name: "open to any password", options: open, header: basic("x:y"), want: anybody},
		{name: "open, malformed", options: open, header: "Basic %", want: anybody},
		{name: "open, a token counts", options: open, header: "Bearer trw_read", want: access.Caller{Name: "r", Kind: access.KindToken, Role: access.RoleRead, Project: 7, ProjectName: "tiny", Token: known["trw_read"]}},
		{name: "open, a wrong token counts", options: open, header: "Bearer trw_x", problem: "unauthorized"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			if c.header != "" {
				header.Set("Authorization", c.header)
			}
			got, err := access.New(c.options).Authenticate(t.Context(), header)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("Authenticate(%q) (-want +got):\n%s", c.header, diff)
			}
			if (err == nil) != (c.problem == "") || err != nil && (err.Error() != c.problem || !errors.Is(err, access.ErrUnauthenticated)) {
				t.Errorf("Authenticate(%q): error = %v, want %q", c.header, err, c.problem)
			}
			if errors.Is(err, access.ErrEnded) != c.ended {
				t.Errorf("Authenticate(%q): error = %v, an ErrEnded: %v", c.header, err, !c.ended)
			}
		})
	}
}

func TestAuthenticateTellsOfBrokenStore(t *testing.T) {
	t.Parallel()
	a := access.New(access.Options{Tokens: tokens{}, Now: now})
	_, err := a.Authenticate(t.Context(), http.Header{"Authorization": {"Bearer trw_down"}})
	if err == nil || errors.Is(err, access.ErrUnauthenticated) || err.Error() != "find the token of a caller: no connection" {
		t.Errorf("error = %v, want that of the store", err)
	}
}

func TestMay(t *testing.T) {
	t.Parallel()
	caller := func(role access.Role, project trowel.ProjectID) access.Caller {
		return access.Caller{Role: role, Project: project}
	}
	for _, c := range []struct {
		name    string
		caller  access.Caller
		verb    access.Verb
		project trowel.ProjectID
		want    bool
	}{
		{"admin, tokens", caller(access.RoleAdmin, 0), access.ManageTokens, 0, true},
		{"admin, all", caller(access.RoleAdmin, 0), access.DeleteProject, 3, true},
		{"operator, tokens", caller(access.RoleOperator, 0), access.ManageTokens, 0, false},
		{"operator, all", caller(access.RoleOperator, 0), access.PutProject, 0, true},
		{"operator, pools", caller(access.RoleOperator, 0), access.EditPools, 0, true},
		{"reader, list", caller(access.RoleRead, 0), access.ListProjectsOfSite, 0, true},
		{"reader, log", caller(access.RoleRead, 0), access.GetLogFiles, 3, true},
		{"reader, start", caller(access.RoleRead, 0), access.RunWorkflow, 3, false},
		{"reader, secrets", caller(access.RoleRead, 0), access.PutProjectSecret, 3, false},
		{"own project", caller(access.RoleOperator, 7), access.RunWorkflow, 7, true},
		{"other project", caller(access.RoleOperator, 7), access.RunWorkflow, 3, false},
		{"other project, reading", caller(access.RoleAdmin, 7), access.GetProject, 3, false},
		{"new project", caller(access.RoleOperator, 7), access.PutProject, 0, false},
		{"filtered list", caller(access.RoleRead, 7), access.ListSessionsOfSite, 0, true},
		{"filtered audit", caller(access.RoleRead, 7), access.ReadAudit, 0, true},
		{"audit of other project", caller(access.RoleRead, 7), access.ReadAudit, 3, false},
		{"pools for all", caller(access.RoleAdmin, 7), access.EditPools, 0, false},
		{"tokens for all", caller(access.RoleAdmin, 7), access.ManageTokens, 0, false},
		{"tokens for own project", caller(access.RoleAdmin, 7), access.ManageTokens, 7, true},
		{"agent", caller(access.RoleAgent, 0), access.RunAgent, 0, true},
		{"agent of a project", caller(access.RoleAgent, 7), access.RunAgent, 0, false},
		{"agent, reading", caller(access.RoleAgent, 0), access.GetProject, 3, false},
		{"agent, lists", caller(access.RoleAgent, 0), access.ListProjectsOfSite, 0, false},
		{"admin as agent", caller(access.RoleAdmin, 0), access.RunAgent, 0, true},
		{"operator as agent", caller(access.RoleOperator, 0), access.RunAgent, 0, false},
		{"reader as agent", caller(access.RoleRead, 0), access.RunAgent, 0, false},
		{"anybody as agent of an open server", access.Caller{Role: access.RoleOperator, Kind: access.KindNone}, access.RunAgent, 0, true},
		{"nobody as agent", access.Caller{}, access.RunAgent, 0, false},
		{"nobody", access.Caller{}, access.GetProject, 3, false},
		{"unknown role", caller("king", 0), access.GetProject, 3, false},
		{"unknown verb", caller(access.RoleAdmin, 0), "Fly", 3, false},
	} {
		if got := c.caller.May(c.verb, c.project); got != c.want {
			t.Errorf("%s: May(%s, %d) = %v, want %v", c.name, c.verb, c.project, got, c.want)
		}
	}
}

// A role may do everything that a smaller one may, and every verb is allowed to some role.
func TestRolesGrow(t *testing.T) {
	t.Parallel()
	read, operator, admin := access.Caller{Role: access.RoleRead}.Can(0), access.Caller{Role: access.RoleOperator}.Can(0), access.Caller{Role: access.RoleAdmin}.Can(0)
	if diff := cmp.Diff(access.Verbs(), admin); diff != "" {
		t.Errorf("admin (-want +got):\n%s", diff)
	}
	without := slices.DeleteFunc(access.Verbs(), func(v access.Verb) bool {
		return v == access.ManageTokens || v == access.RunAgent
	})
	if diff := cmp.Diff(without, operator); diff != "" {
		t.Errorf("operator (-want +got):\n%s", diff)
	}
	for _, verb := range read {
		if !slices.Contains(operator, verb) {
			t.Errorf("a reader may %s, an operator may not", verb)
		}
		name := string(verb)
		if !strings.HasPrefix(name, "Get") && !strings.HasPrefix(name, "List") && verb != access.ReadAudit {
			t.Errorf("a reader may %s", verb)
		}
	}
	if got := (access.Caller{}).Can(0); len(got) != 0 {
		t.Errorf("nobody can %v", got)
	}
}

func TestNewToken(t *testing.T) {
	t.Parallel()
	first, hash := access.NewToken()
	second, _ := access.NewToken()
	if !strings.HasPrefix(first, "trw_") || len(first) != 4+43 || first == second {
		t.Errorf("tokens = %q, %q", first, second)
	}
	if !bytes.Equal(hash, access.Hash(first)) || len(hash) != 32 || bytes.Equal(hash, access.Hash(second)) {
		t.Errorf("hash = %x", hash)
	}
}

// FuzzAuthenticate proves that no header signs in without the password.
func FuzzAuthenticate(f *testing.F) {
	f.Add("Basic bWU6aHVzaA==")
	f.Add("Bearer trw_x")
	a := access.New(access.Options{Username: "me", Password: "hush", Tokens: tokens{}, Now: now})
	f.Fuzz(func(t *testing.T, header string) {
		caller, err := a.Authenticate(t.Context(), http.Header{"Authorization": {header}})
		scheme, rest, _ := strings.Cut(header, " ")
		decoded, errDecode := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
		right := strings.EqualFold(scheme, "basic") && errDecode == nil && string(decoded) == "me:hush"
		if (err == nil) != right {
			t.Errorf("Authenticate(%q) = %+v, %v", header, caller, err)
		}
	})
}
