package remotecmd

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/secret"
)

// secretsDir is the folder of a console's secrets, relative to its working folder.
const secretsDir = "../home/.config/digdag/secrets"

// TestSetSecrets checks the forms of secrets --set (server 1.10.19).
func TestSetSecrets(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		items []string
		stdin string
		want  map[string]string
	}{
		{"a value", []string{"a.b=one", "two=x=y"}, "", map[string]string{"a.b": "one", "two": "x=y"}},
		{"a value with commas", []string{"a=1,2"}, "", map[string]string{"a": "1,2"}},
		{"a value in a file", []string{"a=@secret.txt"}, "", map[string]string{"a": "from file\n"}},
		{"an empty file", []string{"a=@empty"}, "", map[string]string{"a": ""}},
		{"a value on standard input", []string{"a=-", "b=2"}, "2\n", map[string]string{"a": "2\n", "b": "2"}},
		{"a value that is asked for", []string{"a.key"}, "", map[string]string{"a.key": "typed"}},
		{
			"many in a YAML file",
			[]string{"@many.yml", "x=1"},
			"",
			map[string]string{"pg.password": "p: w", "n": "1.10", "big": "12345678901234567890", "on": "true", "x": "1", "same": "p: w"},
		},
		{"many in a JSON file", []string{"@many.json"}, "", map[string]string{"a.b": "1", "c": "2"}},
		{"many on standard input", []string{"@-"}, "{a: 1, b: two}", map[string]string{"a": "1", "b": "two"}},
		{"the longest value", []string{"a=-"}, strings.Repeat("x", secret.MaxValueBytes), map[string]string{"a": strings.Repeat("x", secret.MaxValueBytes)}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t)
			c.Stdin, c.Answers = tc.stdin, map[string]string{"a.key:": "typed"}
			c.Write("secret.txt", "from file\n")
			c.Write("empty", "")
			c.Write("many.yml", "pg.password: &p \"p: w\"\nn: 1.10\nbig: 12345678901234567890\non: true\nsame: *p\n")
			c.Write("many.json", `{"a.b": "1", "c": 2}`)
			got := c.Run(append([]string{"secrets", "--local", "--set"}, tc.items...)...)
			if got.Exit != 0 || got.Stdout != "" || strings.Count(got.Stderr, "' set\n") != len(tc.want) {
				t.Errorf("secrets --set %q: exit = %d, stdout = %q, stderr = %q", tc.items, got.Exit, got.Stdout, got.Stderr)
			}
			stored := map[string]string{}
			for _, file := range clitest.FilesBelow(t, filepath.Join(c.Dir, secretsDir)) {
				stored[file] = c.Read(filepath.Join(secretsDir, file))
			}
			if diff := cmp.Diff(tc.want, stored); diff != "" {
				t.Errorf("secrets --set %q (-want +got):\n%s", tc.items, diff)
			}
		})
	}
}

// TestSecretsComplaints checks texts and exit codes (server 1.10.19). Nothing is stored or deleted.
func TestSecretsComplaints(t *testing.T) {
	t.Parallel()
	const usage = "Usage: trowel secrets [--local] [--project <project>] [--set <key>=<value>] [--delete key]\n..."
	cases := []struct {
		name, args string
		exit       int
		stderr     string
	}{
		{"no target", "", 1, usage + "error: Please specify either --project or --local\n"},
		{"set and delete", "--local --set a=1 --delete b", 1, usage + "error: Please specify only one of --set or --delete\n"},
		{"set and delete without a target", "--set a=1 --delete b", 1, usage + "error: Please specify only one of --set or --delete\n"},
		{"an argument", "--local x", 0, usage + "secrets takes no argument but rewrite, not x\n"},
		{"a bad key", "--local --set a.=1", 1, usage + "error: Invalid secret key: a.\n" + secret.KeyHint + "\n"},
		{"a key that leaves the folder", "--local --set ../a=1", 1, usage + "error: Invalid secret key: ../a\n" + secret.KeyHint + "\n"},
		{"a bad key that would be asked for", "--local --set ../a", 1, usage + "error: Invalid secret key: ../a\n" + secret.KeyHint + "\n"},
		{"a good key before a bad one", "--local --set a=1 -- --set -b=1", 0, usage + "secrets takes 0 to 1 argument, not 2\n"},
		{"no key", "--local --set =1", 0, usage + "\"=1\" has no key\n"},
		{"a value that begins with a hyphen", "--local --set x=-1", 0, usage + "a value that begins with - can be read from a file: x=@FILE\n"},
		{"an empty value", "--local --set x=", 1, usage + "error: Invalid secret value for key: x\nthe value is empty; an empty secret can be read from a file: x=@FILE\n"},
		{"too long a value", "--local --set x=@long", 1, usage + "error: Invalid secret value for key: x\na value has at most 16384 bytes, this one has 16385\n"},
		{"a key twice", "--local --set a=1 a=2", 1, usage + "error: Duplicate --set secret key: 'a'\n"},
		{"a key twice in two places", "--local --set a=1 @many", 1, usage + "error: Duplicate secret key: 'a' in file: many\n"},
		{"a key twice in a file", "--local --set @twice", 1, usage + "error: Duplicate secret key: 'a' in file: twice\n"},
		{"an empty key in a file", "--local --set @nokey", 1, usage + "error: Invalid key/value in file: nokey\n"},
		{"standard input twice", "--local --set a=- b=-", 1, usage + "error: Can only read once from stdin\n"},
		{"standard input twice, many", "--local --set a=- @-", 1, usage + "error: Can only read once from stdin\n"},
		{"a question after standard input", "--local --set a=- b", 1, usage + "error: Stdin already read\n"},
		{
			"a question without a terminal", "--local --set b", 1,
			"error: read the value of secret b: there is no terminal to ask on; give it as b=@FILE or b=-\n",
		},
		{"no file of a value", "--local --set a=@nope.txt", 1, "error: nope.txt (no such file)\n"},
		{"no file of many", "--local --set @nope.yml", 1, "error: nope.yml (no such file)\n"},
		{"no name of a file", "--local --set a=@", 0, usage + "a=@ names no file\n"},
		{"no name of a file of many", "--local --set @", 0, usage + "@ names no file\n"},
		{"a file of many with a hyphen", "--local --set @-x", 0, usage + "the name of a file that begins with - is written as @./-x\n"},
		{"a list", "--local --set @list", 1, "error: read secrets from list: the content is no mapping of keys to values\n"},
		{"no content", "--local --set @empty", 1, "error: read secrets from empty: the content is no mapping of keys to values\n"},
		{"an object as value", "--local --set @deep", 1, "error: read secrets from deep: line 2: the value of b must be a text, a number or a boolean\n"},
		{"null as value", "--local --set @null", 1, "error: read secrets from null: line 1: the value of a must be a text, a number or a boolean\n"},
		{"broken YAML", "--local --set @broken", 1, "error: read secrets from broken: line 3: while parsing a flow sequence: expected ',' or ']', but got <stream end>\n"},
		{"delete a key twice", "--local --delete a a", 1, usage + "error: Duplicate --delete secret key: 'a'\n"},
		{"delete what is no key", "--local --delete kept ../x", 1, usage + "error: Invalid secret key: ../x\n" + secret.KeyHint + "\n"},
		{"nothing to set", "--local --set", 1, "error: Expected a value after parameter --set\n..."},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t)
			for name, content := range map[string]string{
				"many": "b: 1\na: 2\n", "twice": "a: 1\na: 2\n", "nokey": "\"\": 1\n", "list": "[a]\n", "empty": "",
				"deep": "a: 1\nb: {c: 1}\n", "broken": "a: hidden\nb: [hidden\n", "null": "a:\n", "long": strings.Repeat("x", secret.MaxValueBytes+1),
				secretsDir + "/kept": "k",
			} {
				c.Write(name, content)
			}
			got := c.Run(append([]string{"secrets"}, strings.Fields(tc.args)...)...)
			if got.Exit != tc.exit || got.Stdout != "" {
				t.Errorf("secrets %s: exit = %d, stdout = %q, want %d and nothing", tc.args, got.Exit, got.Stdout, tc.exit)
			}
			if !clitest.Matches(tc.stderr, got.Stderr) {
				t.Errorf("secrets %s: stderr = %q, want %q", tc.args, got.Stderr, tc.stderr)
			}
			if diff := cmp.Diff([]string{"kept"}, clitest.FilesBelow(t, filepath.Join(c.Dir, secretsDir))); diff != "" {
				t.Errorf("secrets %s: stored (-want +got):\n%s", tc.args, diff)
			}
		})
	}
}

// TestListAndDeleteSecrets: a missing key and a missing folder are no errors.
func TestListAndDeleteSecrets(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	if got := c.Run("secrets", "--local"); got != (clitest.Outcome{}) {
		t.Errorf("secrets without a folder: %+v, want nothing", got)
	}
	for _, name := range []string{"z", "a.b", ".DS_Store", "sub/x"} {
		c.Write(filepath.Join(secretsDir, name), "1")
	}
	if got := c.Run("secret", "--local", "--project", "demo"); got != (clitest.Outcome{Exit: 0, Stdout: "a.b\nz\n", Stderr: ""}) {
		t.Errorf("secrets: %+v, want a.b and z", got)
	}
	if got := c.Run("secrets", "--local", "--delete", "z", "nope"); got != (clitest.Outcome{Exit: 0, Stdout: "", Stderr: "Secret 'z' deleted\nSecret 'nope' deleted\n"}) {
		t.Errorf("secrets --delete: %+v", got)
	}
	if got := c.Run("secrets", "--local"); got != (clitest.Outcome{Exit: 0, Stdout: "a.b\n", Stderr: ""}) {
		t.Errorf("secrets: %+v, want a.b", got)
	}
}

// TestDeleteSecretOnTerminal: people are told if a key does not exist.
func TestDeleteSecretOnTerminal(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	for _, name := range []string{"pg.password", "token"} {
		c.Write(filepath.Join(secretsDir, name), "1")
	}
	env, _, stderr := c.Env("secrets", "--local", "--delete", "pg.pasword", "token", "x")
	env.Terminals = cmd.Terminals{Stdout: true, Stderr: true}
	exit := c.Exec(env)
	const want = "There is no secret 'pg.pasword'\ndid you mean \"pg.password\"?\nSecret 'token' deleted\nThere is no secret 'x'\n"
	if got := strings.TrimPrefix(stderr.String(), clitest.TestBanner); exit != 0 || got != want {
		t.Errorf("secrets --delete on a terminal: exit = %d, stderr = %q, want 0 and %q", exit, got, want)
	}
}

// TestSecretsAreTheOwners: only their owner can read the folder and files that are made.
// DIGDAG_CONFIG_HOME moves them (server 1.5).
func TestSecretsAreTheOwners(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes are those of Unix")
	}
	c := newConsole(t)
	c.Environ = append(c.Environ, "DIGDAG_CONFIG_HOME="+filepath.Join(c.Dir, "dd"))
	c.Write("dd/config", "")
	for range 2 { // the second one replaces the file
		if got := c.Run("secrets", "--local", "--set", "a=1"); got.Exit != 0 {
			t.Fatalf("secrets --set: %+v", got)
		}
	}
	for path, want := range map[string]os.FileMode{"dd/secrets": 0o700, "dd/secrets/a": 0o600} {
		info, err := os.Stat(filepath.Join(c.Dir, path))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode = %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}

// TestSecretThatCannotBeWritten keeps the old value and leaves nothing half-written.
func TestSecretThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.Write(secretsDir+"/a/in-the-way", "")
	got := c.Run("secrets", "--local", "--set", "a=1")
	if got.Exit != 1 || !strings.HasPrefix(got.Stderr, "error: set secret a: ") {
		t.Errorf("secrets --set: %+v, want an error", got)
	}
	if diff := cmp.Diff([]string{"a/in-the-way"}, clitest.FilesBelow(t, filepath.Join(c.Dir, secretsDir))); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

// TestSecretKeys checks the form of keys (server 1.10.19).
func TestSecretKeys(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"a": true, "pg.password": true, "a-b_1.C": true, "aws.s3.x": true, strings.Repeat("a", 255): true,
		"": false, "1a": false, "a.": false, ".a": false, "a..b": false, "a_": false, "a-": false, "a b": false, "a/b": false,
		"a.1": false, "é": false, "a\n": false, strings.Repeat("a", 256): false,
	} {
		if got := secret.ValidKey(key); got != want {
			t.Errorf("secret.ValidKey(%q) = %v, want %v", key, got, want)
		}
	}
}
