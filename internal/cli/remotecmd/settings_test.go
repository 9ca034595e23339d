package remotecmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/cli/cmd"
)

// TestClientSettings checks which server and which credentials a command uses (server 1.5,
// 1.7.1): the command line overrides the settings, and --basic-auth overrides all other headers.
func TestClientSettings(t *testing.T) {
	t.Parallel()
	const alice = "Basic YWxpY2U6c2VjcmV0OndpdGggY29sb24=" // alice:secret:with colon
	cases := []struct {
		name, args, config string
		authorization      string
	}{
		{"a setting", "", "client.http.endpoint = URL\nclient.http.headers.authorization = TD1 x", "TD1 x"},
		{"a setting of this command", "-X client.http.endpoint=URL", "client.http.endpoint = http://127.0.0.1:1", ""},
		{"an option before a setting", "-e URL", "client.http.endpoint = http://127.0.0.1:1", ""},
		{"a header before a setting", "-e URL -H AUTHORIZATION=Bearer_1,2", "client.http.headers.authorization = TD1 x", "Bearer 1,2"},
		{"a setting with a token", "-e URL", "client.token = trw_1\nclient.http.headers.authorization = TD1 x", "Bearer trw_1"},
		{"a header before a token", "-e URL -H Authorization=x", "client.token = trw_1", "x"},
		{"an option with a token", "-e URL -H Authorization=x --token trw2", "client.token = trw_1", "Bearer trw2"},
		{"credentials before a header", "-e URL -H Authorization=x --basic-auth alice:secret:with_colon", "", alice},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := make(chan string, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got <- r.Header.Get("Authorization")
				_, _ = io.WriteString(w, `{"schedules":[]}`)
			}))
			t.Cleanup(server.Close)
			c := newConsole(t)
			c.Environ = append(c.Environ, "DIGDAG_CONFIG="+strings.ReplaceAll(tc.config, "URL", server.URL))
			args := append([]string{"schedules", "--disable-version-check"}, strings.Fields(strings.ReplaceAll(tc.args, "URL", server.URL))...)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "_", " ")
			}
			if done := c.Run(args...); done.Exit != 0 {
				t.Fatalf("exit = %d, stderr = %q", done.Exit, done.Stderr)
			}
			if authorization := <-got; authorization != tc.authorization {
				t.Errorf("Authorization = %q, want %q", authorization, tc.authorization)
			}
		})
	}
}

// TestClientDigdag checks that a program called as digdag uses that name in hints.
func TestClientDigdag(t *testing.T) {
	t.Parallel()
	server := clitest.NewAPI(t, clitest.Answers{"GET schedules": `{"schedules":[]}`})
	c := newConsole(t)
	c.Program = "/usr/local/bin/digdag"
	got := c.Run("schedules", "-e", server.URL)
	if want := "Use `digdag workflows [project-name] [name]` to show workflow details.\n"; got.Stderr != want {
		t.Errorf("stderr = %q, want %q", got.Stderr, want)
	}
}

// TestColours checks that the words for states are coloured only on a terminal.
func TestColours(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name     string
		terminal bool
		environ  string
		want     string
	}{
		{"terminal", true, "TERM=xterm", "\x1b[31mkilled\x1b[0m"},
		{"no terminal", false, "TERM=xterm", "killed"},
		{"no colours", true, "NO_COLOR=1", "killed"},
		{"simple terminal", true, "TERM=dumb", "killed"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t)
			c.Environ = append(c.Environ, tc.environ)
			env, _, _ := c.Env()
			env.Terminals.Stdout = tc.terminal
			if got := statusText((&cmd.Call{Env: env}), "killed"); got != tc.want {
				t.Errorf("status = %q, want %q", got, tc.want)
			}
		})
	}
}
