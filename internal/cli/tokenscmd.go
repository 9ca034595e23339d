package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// The forms of tokens.
const (
	tokensList   = "list"
	tokensCreate = "create"
	tokensRevoke = "revoke"
)

// tokenKeeper has the tokens of a server: over its API, or in its database.
type tokenKeeper interface {
	ListTokens(ctx context.Context) (*api.TokenList, error)
	CreateToken(ctx context.Context, r api.TokenRequest) (*api.Token, error)
	RevokeToken(ctx context.Context, id api.ID) (*api.Token, error)
}

var _ tokenKeeper = (*client.Client)(nil)

// tokensRow is the row of the command tokens.
func tokensRow() command {
	return command{
		name: "tokens", aliases: []string{"token"}, section: sectionServer, remote: true, extra: true,
		lines: []line{{"tokens [list|create|revoke]", "list, make and revoke tokens for the API"}},
		usage: []string{
			"tokens [list]                               show all tokens",
			"tokens create --name <name> --role <role>   make a token",
			"tokens revoke <token-id>                    make a token worthless",
		},
		max: 2, operand: oneOf(tokensList, tokensCreate, tokensRevoke),
		options: []option{
			textOption("NAME", "create: who will have it", "--name"),
			textOption("ROLE", "create: "+textutil.CommaList(roleNames()), "--role").offering(oneOf(roleNames()...)).checked(knownRole),
			textOption("PROJECT", "create: the only project that it is for; default: all", "--project"),
			textOption("LENGTH", "create: how long it holds, as in 90d; default: until it is revoked", "--expires"),
			textOption("DIR", "work on the database in this folder, rather than ask a server; as with --config and a file with database.type",
				"-o", "--database").offering(anyFolder),
			jsonOption,
		},
		run: runTokens,
	}
}

// runTokens lists, makes and revokes tokens. Without an administrator nobody may do that over the API, so
// it is also done on the database itself.
func runTokens(ctx context.Context, c *call) error {
	do, err := tokensForm(c)
	if err != nil {
		return err
	}
	keeper, done, err := openTokenKeeper(ctx, c)
	if err != nil {
		return err
	}
	err = do(ctx, keeper)
	if errDone := done(); err == nil {
		err = errDone
	}
	return err
}

// tokensForm checks the command line and returns what it wants.
func tokensForm(c *call) (func(ctx context.Context, keeper tokenKeeper) error, error) {
	form, count := tokensList, len(c.args.positional)
	if count > 0 {
		form = c.args.positional[0]
	}
	if form != tokensCreate {
		for _, option := range []string{"--name", "--role", "--project", "--expires"} {
			if c.args.given(option) {
				return nil, c.usage(option + " is an option of tokens " + tokensCreate)
			}
		}
	}
	switch {
	case form == tokensRevoke && count != 2:
		return nil, c.usage("tokens revoke needs the id of a token").hinting("`%s` shows the ids", c.hinted("tokens list"))
	case form != tokensRevoke && count > 1:
		return nil, c.usage("tokens " + form + " takes no argument")
	}
	switch form {
	case tokensList:
		return func(ctx context.Context, keeper tokenKeeper) error { return listTokens(ctx, c, keeper) }, nil
	case tokensCreate:
		request, err := tokenRequest(c)
		return func(ctx context.Context, keeper tokenKeeper) error { return createToken(ctx, c, keeper, request) }, err
	case tokensRevoke:
		id, err := api.ParseID(c.args.positional[1])
		if err != nil {
			return nil, c.usage(fmt.Sprintf(textNotAnID, c.args.positional[1])).hinting("an id is a number; `%s` shows it", c.hinted("tokens list"))
		}
		return func(ctx context.Context, keeper tokenKeeper) error { return revokeToken(ctx, c, keeper, id) }, nil
	}
	return nil, c.usage("Invalid command").hinting("%s", didYouMean(nearWord(form, []string{tokensList, tokensCreate, tokensRevoke})))
}

// tokenRequest is what the options ask for.
func tokenRequest(c *call) (api.TokenRequest, error) {
	r := api.TokenRequest{Name: strings.TrimSpace(c.args.text("--name")), Role: c.args.text("--role"), Project: c.args.text("--project")}
	switch {
	case r.Name == "":
		return r, c.usage("--name option is required").hinting("a name says later who has the token")
	case r.Role == "":
		return r, c.usage("--role option is required").hinting("a role is one of %s", textutil.CommaList(roleNames()))
	case r.Project == "" && c.args.given("--project"):
		return r, c.usage("--project has no name").hinting("leave the option out for a token of all projects")
	case c.args.text("--expires") == "" && c.args.given("--expires"):
		return r, c.usage("--expires has no length of time").hinting("leave the option out for a token that does not expire")
	}
	if text := c.args.text("--expires"); text != "" {
		length, err := param.ParseDuration(text)
		if err != nil || length <= 0 {
			return r, c.usage("--expires must be a length of time, not " + strconv.Quote(text)).hinting("use days, hours, minutes and seconds, as in 90d")
		}
		at := c.env.Now().Add(length).UTC().Format(time.RFC3339)
		r.ExpiresAt = &at
	}
	return r, nil
}

func roleNames() (names []string) {
	for _, role := range access.Roles() {
		names = append(names, string(role))
	}
	return names
}

// knownRole checks tokens --role.
func knownRole(value string) string {
	if slices.Contains(roleNames(), value) {
		return ""
	}
	return "--role must be one of " + textutil.CommaList(roleNames()) + ", not " + strconv.Quote(value)
}

func listTokens(ctx context.Context, c *call, keeper tokenKeeper) error {
	list, err := keeper.ListTokens(ctx)
	if err != nil {
		return err
	}
	if c.args.given("--json") {
		return printJSON(c, list)
	}
	if view := newListView(c); view != nil {
		view.show(tokenTable(view, list.Items), "There are no tokens. `"+c.hinted("tokens create")+"` makes one.", view.timesHint())
		return nil
	}
	terminal.Say(c.env.Stdout, "Tokens:\n")
	for i := range list.Items {
		printToken(c, &list.Items[i])
	}
	terminal.Say(c.env.Stdout, "%d entries.\n", len(list.Items))
	return nil
}

func printToken(c *call, t *api.Token) {
	project := ""
	if t.Project != nil {
		project = t.Project.Name
	}
	terminal.Say(c.env.Stdout, "  id: %s\n  name: %s\n  role: %s\n  project: %s\n  created at: %s\n  last used at: %s\n  expires at: %s\n  revoked at: %s\n\n",
		t.ID, t.Name, strings.Join(t.Scopes, ","), project, localText(c, &t.CreatedAt), localText(c, t.LastUsedAt), localText(c, t.ExpiresAt), localText(c, t.RevokedAt))
}

// localText is an instant in the zone of this system; empty if there is none, as it is if it is none.
func localText(c *call, text *string) string {
	if text == nil {
		return ""
	}
	at, err := api.ParseInstant(*text)
	if err != nil {
		return *text
	}
	return localTime(c, api.Instant{Time: at})
}

// createToken writes the new token, and nothing else, to standard output.
func createToken(ctx context.Context, c *call, keeper tokenKeeper, r api.TokenRequest) error {
	t, err := keeper.CreateToken(ctx, r)
	if err != nil {
		return err
	}
	if c.args.given("--json") {
		return printJSON(c, t)
	}
	terminal.Say(c.env.Stderr, "Token '%s' is created with id %s. It is shown now and never again:\n", t.Name, t.ID)
	terminal.Say(c.env.Stdout, "%s\n", t.Secret)
	return nil
}

func revokeToken(ctx context.Context, c *call, keeper tokenKeeper, id api.ID) error {
	t, err := keeper.RevokeToken(ctx, id)
	if err != nil {
		return err
	}
	if c.args.given("--json") {
		return printJSON(c, t)
	}
	terminal.Say(c.env.Stderr, "Token '%s' is revoked.\n", t.Name)
	return nil
}
