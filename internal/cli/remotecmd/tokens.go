package remotecmd

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
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

// tokenKeeper stores the tokens of a server. It works over the API or on the database.
type tokenKeeper interface {
	ListTokens(ctx context.Context) (*api.TokenList, error)
	CreateToken(ctx context.Context, r api.TokenRequest) (*api.Token, error)
	RevokeToken(ctx context.Context, id api.ID) (*api.Token, error)
}

var _ tokenKeeper = (*client.Client)(nil)

// Tokens returns the row of the command tokens.
func Tokens() cmd.Command {
	return cmd.Command{
		Name: "tokens", Aliases: []string{"token"}, Section: cmd.SectionServer, Remote: true, Extra: true,
		Lines: []cmd.Line{{Form: "tokens [list|create|revoke]", Text: "list, make and revoke tokens for the API"}},
		Usage: []string{
			"tokens [list]                               show all tokens",
			"tokens create --name <name> --role <role>   make a token",
			"tokens revoke <token-id>                    make a token worthless",
		},
		Max: 2, Operand: cmd.OneOf(tokensList, tokensCreate, tokensRevoke),
		Options: []cmd.Option{
			cmd.TextOption("NAME", "create: who will have it", "--name"),
			cmd.TextOption("ROLE", "create: "+textutil.CommaList(roleNames()), "--role").Offering(cmd.OneOf(roleNames()...)).Checked(knownRole),
			cmd.TextOption("PROJECT", "create: the only project that it is for; default: all", "--project"),
			cmd.TextOption("LENGTH", "create: how long it holds, as in 90d; default: until it is revoked", "--expires"),
			cmd.TextOption("DIR", "work on the database in this folder, rather than ask a server; as with --config and a file with database.type",
				"-o", "--database").Offering(cmd.AnyFolder),
			jsonOption,
		},
		Run: runTokens,
	}
}

// runTokens lists, makes and revokes tokens. As long as there is no administrator, nobody may do that over the API, so
// it can also work on the database itself.
func runTokens(ctx context.Context, c *cmd.Call) error {
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

// tokensForm checks the command line and returns what it asks for.
func tokensForm(c *cmd.Call) (func(ctx context.Context, keeper tokenKeeper) error, error) {
	form, count := tokensList, len(c.Args.Positional)
	if count > 0 {
		form = c.Args.Positional[0]
	}
	if form != tokensCreate {
		for _, option := range []string{"--name", "--role", "--project", "--expires"} {
			if c.Args.Given(option) {
				return nil, c.UsageError(option + " is an option of tokens " + tokensCreate)
			}
		}
	}
	switch {
	case form == tokensRevoke && count != 2:
		return nil, c.UsageError("tokens revoke needs the id of a token").Hinting("`%s` shows the ids", c.Hinted("tokens list"))
	case form != tokensRevoke && count > 1:
		return nil, c.UsageError("tokens " + form + " takes no argument")
	}
	switch form {
	case tokensList:
		return func(ctx context.Context, keeper tokenKeeper) error { return listTokens(ctx, c, keeper) }, nil
	case tokensCreate:
		request, err := tokenRequest(c)
		return func(ctx context.Context, keeper tokenKeeper) error { return createToken(ctx, c, keeper, request) }, err
	case tokensRevoke:
		id, err := api.ParseID(c.Args.Positional[1])
		if err != nil {
			return nil, c.UsageError(fmt.Sprintf(textNotAnID, c.Args.Positional[1])).Hinting("an id is a number; `%s` shows it", c.Hinted("tokens list"))
		}
		return func(ctx context.Context, keeper tokenKeeper) error { return revokeToken(ctx, c, keeper, id) }, nil
	}
	return nil, c.UsageError("Invalid command").Hinting("%s", cmd.DidYouMean(cmd.NearWord(form, []string{tokensList, tokensCreate, tokensRevoke})))
}

// tokenRequest returns the request that the options make.
func tokenRequest(c *cmd.Call) (api.TokenRequest, error) {
	r := api.TokenRequest{Name: strings.TrimSpace(c.Args.Text("--name")), Role: c.Args.Text("--role"), Project: c.Args.Text("--project")}
	switch {
	case r.Name == "":
		return r, c.UsageError("--name option is required").Hinting("a name says later who has the token")
	case r.Role == "":
		return r, c.UsageError("--role option is required").Hinting("a role is one of %s", textutil.CommaList(roleNames()))
	case r.Project == "" && c.Args.Given("--project"):
		return r, c.UsageError("--project has no name").Hinting("leave the option out for a token of all projects")
	case c.Args.Text("--expires") == "" && c.Args.Given("--expires"):
		return r, c.UsageError("--expires has no length of time").Hinting("leave the option out for a token that does not expire")
	}
	if text := c.Args.Text("--expires"); text != "" {
		length, err := param.ParseDuration(text)
		if err != nil || length <= 0 {
			return r, c.UsageError("--expires must be a length of time, not " + strconv.Quote(text)).Hinting("use days, hours, minutes and seconds, as in 90d")
		}
		at := c.Env.Now().Add(length).UTC().Format(time.RFC3339)
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

func listTokens(ctx context.Context, c *cmd.Call, keeper tokenKeeper) error {
	list, err := keeper.ListTokens(ctx)
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, list)
	}
	if view := newListView(c); view != nil {
		view.show(tokenTable(view, list.Items), "There are no tokens. `"+c.Hinted("tokens create")+"` makes one.", view.timesHint())
		return nil
	}
	terminal.Say(c.Env.Stdout, "Tokens:\n")
	for i := range list.Items {
		printToken(c, &list.Items[i])
	}
	terminal.Say(c.Env.Stdout, "%d entries.\n", len(list.Items))
	return nil
}

func printToken(c *cmd.Call, t *api.Token) {
	project := ""
	if t.Project != nil {
		project = t.Project.Name
	}
	terminal.Say(c.Env.Stdout, "  id: %s\n  name: %s\n  role: %s\n  project: %s\n  created at: %s\n  last used at: %s\n  expires at: %s\n  revoked at: %s\n\n",
		t.ID, t.Name, strings.Join(t.Scopes, ","), project, localText(c, &t.CreatedAt), localText(c, t.LastUsedAt), localText(c, t.ExpiresAt), localText(c, t.RevokedAt))
}

// localText formats a time in the zone of this system. It is empty if there is none; a text that is not a time stays as
// it is.
func localText(c *cmd.Call, text *string) string {
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
func createToken(ctx context.Context, c *cmd.Call, keeper tokenKeeper, r api.TokenRequest) error {
	t, err := keeper.CreateToken(ctx, r)
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, t)
	}
	terminal.Say(c.Env.Stderr, "Token '%s' is created with id %s. It is shown now and never again:\n", t.Name, t.ID)
	terminal.Say(c.Env.Stdout, "%s\n", t.Secret)
	return nil
}

func revokeToken(ctx context.Context, c *cmd.Call, keeper tokenKeeper, id api.ID) error {
	t, err := keeper.RevokeToken(ctx, id)
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, t)
	}
	terminal.Say(c.Env.Stderr, "Token '%s' is revoked.\n", t.Name)
	return nil
}
