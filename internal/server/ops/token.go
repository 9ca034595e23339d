package ops

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/rest"
)

func getTokens(c *rest.Call) (any, error) {
	if err := c.Authorize(0); err != nil {
		return nil, err
	}
	limit, key, err := c.PageNumbers(1)
	if err != nil {
		return nil, err
	}
	var list api.TokenList
	err = c.View(func(tx trowel.Tx) error {
		list = api.TokenList{Items: api.List[api.Token]{}}
		tokens, err := tx.ListTokens(c.Ctx())
		for _, t := range tokens {
			if key != nil && int64(t.ID) <= key[0] {
				continue
			}
			if len(list.Items) == limit {
				list.Next = rest.NumberCursor(int64(list.Items[limit-1].ID))
				break
			}
			var project *trowel.Project
			if err == nil && t.ProjectID != 0 {
				project, err = tx.FindProjectByID(c.Ctx(), t.ProjectID)
			}
			list.Items = append(list.Items, document.Token(t, project))
		}
		return err
	})
	return list, err
}

// readTokenRequest reads the body. It refuses unknown keys and an empty project: by a typing error there would be a token
// for all projects, or one that never expires.
func readTokenRequest(c *rest.Call) (request api.TokenRequest, err error) {
	var sent map[string]json.RawMessage
	data, err := c.ReadBody()
	if err == nil {
		err = rest.DecodeJSON(data, &sent)
	}
	if err != nil {
		return request, err
	}
	for _, key := range slices.Sorted(maps.Keys(sent)) {
		if !slices.Contains([]string{"name", "role", "project", "expiresAt"}, key) {
			return request, rest.InvalidValue(key, "a token has no %q: name, role, project and expiresAt can be set", key)
		}
	}
	if err := rest.DecodeJSON(data, &request); err != nil {
		return request, err
	}
	if _, given := sent["project"]; given && request.Project == "" && string(sent["project"]) != "null" {
		return request, rest.InvalidValue("project", "the project of a token has no name").WithHint("leave it out for a token of all projects")
	}
	return request, nil
}

func postToken(c *rest.Call) (any, error) {
	if err := c.Authorize(0); err != nil {
		return nil, err
	}
	request, err := readTokenRequest(c)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(request.Name) == "" {
		return nil, rest.InvalidValue("name", "a token needs a name")
	}
	if err := trowel.CheckPrintable("a token", request.Name); err != nil {
		return nil, rest.InvalidValue("name", "%s", err)
	}
	if !slices.Contains(access.Roles(), access.Role(request.Role)) {
		return nil, rest.InvalidValue("role", "role must be one of %s, got %q", rolesText(), request.Role)
	}
	t := &trowel.Token{Name: request.Name, Role: request.Role, Actor: c.Caller.Name, CreatedAt: c.Now}
	if request.ExpiresAt != nil {
		at, err := api.ParseInstant(*request.ExpiresAt)
		if err != nil {
			return nil, rest.Invalid("expiresAt: %s", err)
		}
		t.ExpiresAt = at
	}
	var bearer string
	bearer, t.Hash = access.NewToken()
	var project *trowel.Project
	err = c.Update(func(tx trowel.Tx) (err error) {
		if request.Project != "" {
			if project, err = tx.FindProject(c.Ctx(), request.Project); err != nil {
				return rest.OrNoResource(err, "project name=%s", request.Project)
			}
			t.ProjectID = project.ID
		}
		if err := tx.InsertToken(c.Ctx(), t); err != nil {
			return err
		}
		return c.Record(tx, document.TokenRecord("token.create", t))
	})
	if err != nil {
		return nil, err
	}
	shape := document.Token(t, project)
	shape.Secret = bearer
	return shape, nil
}

func rolesText() string {
	var names []string
	for _, role := range access.Roles() {
		names = append(names, string(role))
	}
	return strings.Join(names, ", ")
}

// deleteToken revokes a token. Its row stays, since the audit refers to it.
func deleteToken(c *rest.Call) (any, error) {
	if err := c.Authorize(0); err != nil {
		return nil, err
	}
	id := trowel.TokenID(c.PathNumber(0))
	var shape *api.Token
	err := c.Update(func(tx trowel.Tx) error {
		tokens, err := tx.ListTokens(c.Ctx())
		if err != nil {
			return err
		}
		i := slices.IndexFunc(tokens, func(t *trowel.Token) bool { return t.ID == id })
		if i < 0 {
			return rest.NoResource("token id=%d", id)
		}
		revoked := document.Token(tokens[i], nil)
		shape = &revoked
		if !tokens[i].RevokedAt.IsZero() {
			return nil
		}
		tokens[i].RevokedAt = c.Now
		shape.RevokedAt = document.OptInstant(c.Now)
		if err := tx.UpdateToken(c.Ctx(), tokens[i]); err != nil {
			return err
		}
		if err := tx.Notify(c.Ctx(), cluster.Logins{}.String()); err != nil {
			return err
		}
		return c.Record(tx, document.TokenRecord("token.revoke", tokens[i]))
	})
	c.RecheckLogins()
	return shape, err
}
