package cli

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

const (
	tokenCI  = `{"id":"3","name":"ci","scopes":["operator"],"project":{"id":"1","name":"demo"},"createdAt":"2024-01-01T00:00:00.000Z","lastUsedAt":null,"expiresAt":"2024-03-31T18:04:05.000Z","revokedAt":null}`
	tokenNew = `{"id":"3","name":"ci","scopes":["operator"],"project":null,"createdAt":"2024-01-01T00:00:00.000Z","lastUsedAt":null,"expiresAt":null,"revokedAt":null,"secret":"trw_x"}`
)

// tokens asks a server, prints a new token alone on standard output, and never a stored one.
func TestTokens(t *testing.T) {
	t.Parallel()
	clitest.RunCases(t, commandLine(), []clitest.Case{
		{
			Name: "list", Args: "tokens list", Known: clitest.Answers{"GET tokens": `{"items":[` + tokenCI + `],"next":null}`}, Asked: []string{"GET tokens"},
			Stdout: "Tokens:\n  id: 3\n  name: ci\n  role: operator\n  project: demo\n  created at: 2024-01-01 09:00:00 +0900\n" +
				"  last used at: \n  expires at: 2024-04-01 03:04:05 +0900\n  revoked at: \n\n1 entries.\n",
		},
		{
			Name: "list as JSON", Args: "tokens list --json", Known: clitest.Answers{"GET tokens": `{"items":[` + tokenCI + `],"next":null}`},
			Asked: []string{"GET tokens"}, Stdout: `{"items":[` + tokenCI + `],"next":null}` + "\n",
		},
		{
			Name: "create", Args: "token create --name ci --role operator --project demo --expires 90d", Known: clitest.Answers{"POST tokens": tokenNew},
			Asked:  []string{`POST tokens {"name":"ci","role":"operator","project":"demo","expiresAt":"2024-03-31T18:04:05Z"}`},
			Stdout: "trw_x\n", Stderr: "Token 'ci' is created with id 3. It is shown now and never again:\n",
		},
		{
			Name: "create for ever", Args: "tokens create --name ci --role read --json", Known: clitest.Answers{"POST tokens": tokenNew},
			Asked: []string{`POST tokens {"name":"ci","role":"read","expiresAt":null}`}, Stdout: tokenNew + "\n",
		},
		{
			Name: "revoke", Args: "tokens revoke 3", Known: clitest.Answers{"DELETE tokens/3": tokenCI}, Asked: []string{"DELETE tokens/3"},
			Stderr: "Token 'ci' is revoked.\n",
		},
		{
			Name: "denied", Args: "tokens list", Known: clitest.Answers{"GET tokens": `403{"message":"only administrators","status":403}`}, Exit: 1,
			Asked: []string{"GET tokens"}, Stderr: "error: Status code 403: HTTP 403 Forbidden\nthe server says: only administrators\n...",
		},
	})
}

// Invalid command lines are refused before any request.
func TestTokensArguments(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ args, want string }{
		{"tokens show", "error: Invalid command\n"},
		{"tokens list 3", "error: tokens list takes no argument\n"},
		{"tokens revoke", "error: tokens revoke needs the id of a token\n"},
		{"tokens revoke ci", "error: For input string: \"ci\"\n"},
		{"tokens create --role read", "error: --name option is required\n"},
		{"tokens create --name n", "error: --role option is required\na role is one of admin, operator, read, agent\n"},
		{"tokens create --name n --role boss", "error: --role must be one of admin, operator, read, agent, not \"boss\"\n"},
		{"tokens create --name n --role read --expires soon", "error: --expires must be a length of time, not \"soon\"\n"},
		{"tokens create --name n --role read --project=", "error: --project has no name\n"},
		{"tokens create --name n --role read --expires=", "error: --expires has no length of time\n"},
		{"tokens list --name n", "error: --name is an option of tokens create\n"},
		{"tokens list --token a --basic-auth b:c", "error: --basic-auth and --token don't work together\n"},
	} {
		wantRefused(t, row.args, row.want)
	}
}

// Where nobody may make tokens over the API, they are made in the database while the server runs, and
// are valid at once until they are revoked.
func TestTokensInTheDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := servertest.Start(t, "database.path", dir, "server.authenticator.basic.username", "u", "server.authenticator.basic.password", "p")
	c := newConsole(t)
	c.Write("server.properties", "database.type=sqlite\ndatabase.path="+filepath.ToSlash(dir)+"\n")
	run := func(exit int, args ...string) string {
		t.Helper()
		got := c.Run(args...)
		if got.Exit != exit {
			t.Fatalf("%q = %d, %q, %q, want %d", args, got.Exit, got.Stdout, got.Stderr, exit)
		}
		return got.Stdout + got.Stderr
	}
	made := run(0, "tokens", "create", "-o", dir, "--name", "boss", "--role", "admin", "--json")
	token := regexp.MustCompile(`trw_[A-Za-z0-9_-]{43}`).FindString(made)
	if token == "" || !strings.Contains(made, `"scopes":["admin"]`) {
		t.Fatalf("no token in %s", made)
	}
	run(1, "tokens", "list", "-e", s.URL, "--basic-auth", "u:p") // not an administrator
	c.Environ = append(c.Environ, "TROWEL_TOKEN="+token)
	if list := run(0, "tokens", "list", "-e", s.URL); !strings.Contains(list, "name: boss\n") || strings.Contains(list, "last used at: \n") {
		t.Errorf("list = %s", list)
	}
	if audit := run(0, "audit", "-e", s.URL); !strings.Contains(audit, "command line  made the token boss") {
		t.Errorf("audit = %s", audit)
	}
	run(0, "tokens", "create", "-e", s.URL, "--name", "ci", "--role", "read", "--expires", "1d")
	list := run(0, "tokens", "list", "-c", "server.properties")
	if !strings.Contains(list, "name: ci\n  role: read\n") || strings.Contains(list, "trw_") {
		t.Errorf("list = %s", list)
	}
	if refused := run(1, "tokens", "create", "-c", "server.properties", "--name", "x", "--role", "read", "--project", "none"); !strings.Contains(refused, `there is no project "none" in the database`) {
		t.Errorf("token for an unknown project: %s", refused)
	}
	for _, at := range [][]string{{"-e", s.URL}, {"-o", dir}} {
		refused := run(1, append([]string{"tokens", "create", "--name", "a\x1b[2Jb", "--role", "read"}, at...)...)
		if !strings.Contains(refused, "the name of a token has the control character U+001B") {
			t.Errorf("token with a control character, %s: %s", at, refused)
		}
	}
	run(1, "tokens", "revoke", "99", "-o", dir)
	run(0, "tokens", "revoke", "1", "-o", dir)
	run(1, "tokens", "list", "-e", s.URL)
	if refused := run(1, "tokens", "list", "-o", filepath.Join(dir, "none")); !strings.Contains(refused, "cannot use the database") {
		t.Errorf("tokens of no database: %s", refused)
	}
}
