package cli

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	tokenCI  = `{"id":"3","name":"ci","scopes":["operator"],"project":{"id":"1","name":"demo"},"createdAt":"2024-01-01T00:00:00.000Z","lastUsedAt":null,"expiresAt":"2024-03-31T18:04:05.000Z","revokedAt":null}`
	tokenNew = `{"id":"3","name":"ci","scopes":["operator"],"project":null,"createdAt":"2024-01-01T00:00:00.000Z","lastUsedAt":null,"expiresAt":null,"revokedAt":null,"secret":"trw_x"}`
)

// tokens asks a server, prints a new token alone on standard output, and never a stored one.
func TestTokens(t *testing.T) {
	t.Parallel()
	runRemoteCases(t, commandLine(), []remoteCase{
		{
			name: "list", args: "tokens list", known: answers{"GET tokens": `{"items":[` + tokenCI + `],"next":null}`}, asked: []string{"GET tokens"},
			stdout: "Tokens:\n  id: 3\n  name: ci\n  role: operator\n  project: demo\n  created at: 2024-01-01 09:00:00 +0900\n" +
				"  last used at: \n  expires at: 2024-04-01 03:04:05 +0900\n  revoked at: \n\n1 entries.\n",
		},
		{
			name: "list as JSON", args: "tokens list --json", known: answers{"GET tokens": `{"items":[` + tokenCI + `],"next":null}`},
			asked: []string{"GET tokens"}, stdout: `{"items":[` + tokenCI + `],"next":null}` + "\n",
		},
		{
			name: "create", args: "token create --name ci --role operator --project demo --expires 90d", known: answers{"POST tokens": tokenNew},
			asked:  []string{`POST tokens {"name":"ci","role":"operator","project":"demo","expiresAt":"2024-03-31T18:04:05Z"}`},
			stdout: "trw_x\n", stderr: "Token 'ci' is created with id 3. It is shown now and never again:\n",
		},
		{
			name: "create for ever", args: "tokens create --name ci --role read --json", known: answers{"POST tokens": tokenNew},
			asked: []string{`POST tokens {"name":"ci","role":"read","expiresAt":null}`}, stdout: tokenNew + "\n",
		},
		{
			name: "revoke", args: "tokens revoke 3", known: answers{"DELETE tokens/3": tokenCI}, asked: []string{"DELETE tokens/3"},
			stderr: "Token 'ci' is revoked.\n",
		},
		{
			name: "denied", args: "tokens list", known: answers{"GET tokens": `403{"message":"only administrators","status":403}`}, exit: 1,
			asked: []string{"GET tokens"}, stderr: "error: Status code 403: HTTP 403 Forbidden\nthe server says: only administrators\n...",
		},
	})
}

// What makes no sense is said before anything is asked.
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
		got := newConsole(t).run(append(strings.Fields(row.args), "-e", "http://127.0.0.1:1")...)
		if got.exit != 1 || got.stdout != "" || !strings.Contains(got.stderr, row.want) {
			t.Errorf("%s = %d, %q, %q, want 1 and %q", row.args, got.exit, got.stdout, got.stderr, row.want)
		}
	}
}

// Where nobody may make tokens over the API they are made in the database, beside the running server, and
// hold there at once until they are revoked.
func TestTokensInTheDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, "database.path", dir, "server.authenticator.basic.username", "u", "server.authenticator.basic.password", "p")
	c := newConsole(t)
	c.write("server.properties", "database.type=sqlite\ndatabase.path="+filepath.ToSlash(dir)+"\n")
	run := func(exit int, args ...string) string {
		t.Helper()
		got := c.run(args...)
		if got.exit != exit {
			t.Fatalf("%q = %d, %q, %q, want %d", args, got.exit, got.stdout, got.stderr, exit)
		}
		return got.stdout + got.stderr
	}
	made := run(0, "tokens", "create", "-o", dir, "--name", "boss", "--role", "admin", "--json")
	token := regexp.MustCompile(`trw_[A-Za-z0-9_-]{43}`).FindString(made)
	if token == "" || !strings.Contains(made, `"scopes":["admin"]`) {
		t.Fatalf("no token in %s", made)
	}
	run(1, "tokens", "list", "-e", s.url, "--basic-auth", "u:p") // not an administrator
	c.environ = append(c.environ, "TROWEL_TOKEN="+token)
	if list := run(0, "tokens", "list", "-e", s.url); !strings.Contains(list, "name: boss\n") || strings.Contains(list, "last used at: \n") {
		t.Errorf("list = %s", list)
	}
	if audit := run(0, "audit", "-e", s.url); !strings.Contains(audit, "command line  made the token boss") {
		t.Errorf("audit = %s", audit)
	}
	run(0, "tokens", "create", "-e", s.url, "--name", "ci", "--role", "read", "--expires", "1d")
	list := run(0, "tokens", "list", "-c", "server.properties")
	if !strings.Contains(list, "name: ci\n  role: read\n") || strings.Contains(list, "trw_") {
		t.Errorf("list = %s", list)
	}
	if refused := run(1, "tokens", "create", "-c", "server.properties", "--name", "x", "--role", "read", "--project", "none"); !strings.Contains(refused, `there is no project "none" in the database`) {
		t.Errorf("token for an unknown project: %s", refused)
	}
	for _, at := range [][]string{{"-e", s.url}, {"-o", dir}} {
		refused := run(1, append([]string{"tokens", "create", "--name", "a\x1b[2Jb", "--role", "read"}, at...)...)
		if !strings.Contains(refused, "the name of a token has the control character U+001B") {
			t.Errorf("token with a control character, %s: %s", at, refused)
		}
	}
	run(1, "tokens", "revoke", "99", "-o", dir)
	run(0, "tokens", "revoke", "1", "-o", dir)
	run(1, "tokens", "list", "-e", s.url)
	if refused := run(1, "tokens", "list", "-o", filepath.Join(dir, "none")); !strings.Contains(refused, "cannot use the database") {
		t.Errorf("tokens of no database: %s", refused)
	}
}
