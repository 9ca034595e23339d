package server

import (
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
)

// Token is the document of a token (ui.md, A3).
type Token struct {
	ID         api.ID           `json:"id"`
	Name       string           `json:"name"`
	Scopes     api.List[string] `json:"scopes"` // its role
	Project    *api.IDName      `json:"project"`
	CreatedAt  string           `json:"createdAt"`
	LastUsedAt *string          `json:"lastUsedAt"`
	ExpiresAt  *string          `json:"expiresAt"`
	RevokedAt  *string          `json:"revokedAt"`
	// Secret is what its bearer sends. It is told once, when the token is made.
	Secret string `json:"secret,omitempty"`
}

// TokenList is a page of tokens.
type TokenList struct {
	Items api.List[Token] `json:"items"`
	Next  *string         `json:"next"`
}

// TokenRequest asks for a token.
type TokenRequest struct {
	Name      string  `json:"name"`
	Role      string  `json:"role"`      // "admin", "operator" or "read"
	Project   string  `json:"project"`   // name of the only project that it is for; empty for all
	ExpiresAt *string `json:"expiresAt"` // an instant; never if it is missing
}

// Milli is how Trowel's own documents write an instant (ui.md, section 4); that of the zero instant
// is empty.
func Milli(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(instantMillis)
}

func milli(at time.Time) *string { return optional(Milli(at)) }

func tokenOf(t *trowel.Token, project *trowel.Project) Token {
	shape := Token{
		ID: api.ID(t.ID), Name: t.Name, Scopes: api.List[string]{t.Role}, CreatedAt: Milli(t.CreatedAt),
		LastUsedAt: milli(t.LastUsedAt), ExpiresAt: milli(t.ExpiresAt), RevokedAt: milli(t.RevokedAt),
	}
	if project != nil {
		name := idName(*project)
		shape.Project = &name
	}
	return shape
}

func getTokens(c *call) (any, error) {
	if err := c.may(0); err != nil {
		return nil, err
	}
	shapes := api.List[Token]{}
	err := c.view(func(tx trowel.Tx) error {
		tokens, err := tx.ListTokens(c.ctx())
		for _, t := range tokens {
			var project *trowel.Project
			if err == nil && t.ProjectID != 0 {
				project, err = tx.FindProjectByID(c.ctx(), t.ProjectID)
			}
			shapes = append(shapes, tokenOf(t, project))
		}
		return err
	})
	return TokenList{Items: shapes}, err
}

func postToken(c *call) (any, error) {
	var request TokenRequest
	if err := c.decode(&request); err != nil {
		return nil, err
	}
	if err := c.may(0); err != nil {
		return nil, err
	}
	if strings.TrimSpace(request.Name) == "" {
		return nil, invalid("a token needs a name")
	}
	if !slices.Contains(access.Roles(), access.Role(request.Role)) {
		return nil, invalid("role must be admin, operator or read, got %q", request.Role)
	}
	t := &trowel.Token{Name: request.Name, Role: request.Role, Actor: c.caller.Name, CreatedAt: c.now}
	if request.ExpiresAt != nil {
		at, err := api.ParseInstant(*request.ExpiresAt)
		if err != nil {
			return nil, invalid("expiresAt: %s", err)
		}
		t.ExpiresAt = at
	}
	var bearer string
	bearer, t.Hash = access.NewToken()
	var project *trowel.Project
	err := c.update(func(tx trowel.Tx) (err error) {
		if request.Project != "" {
			if project, err = tx.FindProject(c.ctx(), request.Project); err != nil {
				return missed(err, "project name=%s", request.Project)
			}
			t.ProjectID = project.ID
		}
		return tx.InsertToken(c.ctx(), t)
	})
	if err != nil {
		return nil, err
	}
	shape := tokenOf(t, project)
	shape.Secret = bearer
	return shape, nil
}

// deleteToken revokes a token: its row stays, so that what it did can still be told.
func deleteToken(c *call) (any, error) {
	if err := c.may(0); err != nil {
		return nil, err
	}
	id := trowel.TokenID(c.number())
	var shape *Token
	err := c.update(func(tx trowel.Tx) error {
		tokens, err := tx.ListTokens(c.ctx())
		if err != nil {
			return err
		}
		i := slices.IndexFunc(tokens, func(t *trowel.Token) bool { return t.ID == id })
		if i < 0 {
			return missing("token id=%d", id)
		}
		if tokens[i].RevokedAt.IsZero() {
			tokens[i].RevokedAt = c.now
		}
		revoked := tokenOf(tokens[i], nil)
		shape = &revoked
		return tx.UpdateToken(c.ctx(), tokens[i])
	})
	return shape, err
}
