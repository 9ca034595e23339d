package remotecmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/database"
	"github.com/trowel-project/trowel/internal/server/document"
)

// openTokenKeeper returns the tokens and a function that closes them. They are those of the database if --database
// names one, or if the file of --config does and no server is named; otherwise those of the server.
func openTokenKeeper(ctx context.Context, c *cmd.Call) (keeper tokenKeeper, done func() error, err error) {
	direct := c.Args.Given("--database")
	if !direct && c.ConfigPath != "" {
		settings, err := c.Config()
		if err != nil {
			return nil, nil, err
		}
		_, database := settings.Get(cmd.KeyDatabaseType)
		endpoint, _ := settings.Get(config.KeyEndpoint)
		direct = database && endpoint == "" && !c.Args.Given("--endpoint")
	}
	if !direct {
		remote, err := connect(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		return remote, func() error { remote.Close(); return nil }, nil
	}
	server, err := cmd.DatabaseSettings(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	store, err := database.OpenBeside(ctx, &server.Database, c.Env.Now())
	if err != nil {
		return nil, nil, err
	}
	return &tokenStore{store: store, now: c.Env.Now}, store.Close, nil
}

// tokenStore stores tokens in a server's database, for those who can read and write that
// anyway.
type tokenStore struct {
	store trowel.Store
	now   func() time.Time
}

// actorCommandLine is the actor in the audit for tokens made in the database.
const actorCommandLine = "command line"

// ListTokens implements tokenKeeper.
func (s *tokenStore) ListTokens(ctx context.Context) (*api.TokenList, error) {
	list := &api.TokenList{}
	err := s.store.View(ctx, func(tx trowel.Tx) error {
		list.Items = nil
		tokens, err := tx.ListTokens(ctx)
		for _, t := range tokens {
			var project *trowel.Project
			if err == nil && t.ProjectID != 0 {
				project, err = tx.FindProjectByID(ctx, t.ProjectID)
			}
			list.Items = append(list.Items, document.Token(t, project))
		}
		return err
	})
	return list, err
}

// CreateToken implements tokenKeeper.
func (s *tokenStore) CreateToken(ctx context.Context, r api.TokenRequest) (*api.Token, error) {
	if err := trowel.CheckPrintable("a token", r.Name); err != nil {
		return nil, err
	}
	t := &trowel.Token{Name: r.Name, Role: r.Role, Actor: actorCommandLine, CreatedAt: s.now()}
	if r.ExpiresAt != nil {
		at, err := api.ParseInstant(*r.ExpiresAt)
		if err != nil {
			return nil, err
		}
		t.ExpiresAt = at
	}
	var bearer string
	bearer, t.Hash = access.NewToken()
	var project *trowel.Project
	err := s.store.Update(ctx, func(tx trowel.Tx) (err error) {
		if r.Project != "" {
			if project, err = tx.FindProject(ctx, r.Project); err != nil {
				return noProject(r.Project, err)
			}
			t.ProjectID = project.ID
		}
		if err := tx.InsertToken(ctx, t); err != nil {
			return err
		}
		return s.record(ctx, tx, document.TokenRecord("token.create", t))
	})
	if err != nil {
		return nil, err
	}
	shape := document.Token(t, project)
	shape.Secret = bearer
	return &shape, nil
}

func noProject(name string, err error) error {
	if !errors.Is(err, trowel.ErrNotFound) {
		return err
	}
	return &trowel.Error{
		Kind: trowel.ErrNotFound, Message: fmt.Sprintf("there is no project %q in the database", name), Hint: "a project is there once it was pushed",
	}
}

// record leaves an audit record of a change in the database.
func (s *tokenStore) record(ctx context.Context, tx trowel.Tx, r trowel.AuditRecord) error {
	r.At, r.ActorKind, r.Actor, r.Source = s.now(), trowel.ActorUser, actorCommandLine, trowel.SourceCLI
	return tx.InsertRecords(ctx, &r)
}

// RevokeToken implements tokenKeeper.
func (s *tokenStore) RevokeToken(ctx context.Context, id api.ID) (*api.Token, error) {
	var shape api.Token
	err := s.store.Update(ctx, func(tx trowel.Tx) error {
		tokens, err := tx.ListTokens(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(tokens, func(t *trowel.Token) bool { return t.ID == trowel.TokenID(id) })
		if i < 0 {
			return &trowel.Error{Kind: trowel.ErrNotFound, Message: fmt.Sprintf("there is no token with id %s in the database", id)}
		}
		if !tokens[i].RevokedAt.IsZero() {
			shape = document.Token(tokens[i], nil)
			return nil
		}
		tokens[i].RevokedAt = s.now()
		shape = document.Token(tokens[i], nil)
		if err := tx.UpdateToken(ctx, tokens[i]); err != nil {
			return err
		}
		if err := tx.Notify(ctx, cluster.Logins{}.String()); err != nil {
			return err
		}
		return s.record(ctx, tx, document.TokenRecord("token.revoke", tokens[i]))
	})
	return &shape, err
}
