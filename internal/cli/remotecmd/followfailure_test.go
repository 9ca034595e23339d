package remotecmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/param"
)

// If an attempt that is followed fails, the last output of the task and what to do are shown without another command.
func TestFollowShowsOutput(t *testing.T) {
	t.Parallel()
	const message = `{"message":"Secret not found for key: 'db.password' (secret not found)"}`
	s := &attemptServer{states: []string{"error"}}
	s.answer = func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/api/attempts/4/tasks/7":
			_, _ = io.WriteString(w, `{"id":"7","tries":[{"try":1,"lastLines":["of the first try"]},{"try":2,"lastLines":["one","\u001b]0;title\u0007two"]}]}`)
		case "/api/attempts/4/tasks":
			_, _ = io.WriteString(w, `{"tasks":[{"id":"7","fullName":"+w","state":"error","config":{},"exportParams":{},"storeParams":{},"error":`+message+`,"updatedAt":"2024-01-01T00:00:00Z"}]}`)
		default:
			return false
		}
		return true
	}
	output := map[bool][]string{
		true:  {"    fix: trowel secrets --project demo --set db.password -e SERVER", "    │ one", "    │ ^[]0;title^Gtwo"},
		false: {"  fix: trowel secrets --project demo --set db.password -e SERVER", "  | one", "  | ^[]0;title^Gtwo"},
	}
	for terminal, want := range output {
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		console := newConsole(t)
		console.Environ = append(console.Environ, "TERM=xterm")
		env, _, written := console.Env("attempt", "4", "--follow", "--disable-version-check", "-e", server.URL)
		env.Terminals = cmd.Terminals{Stdout: terminal, Stderr: terminal}
		status := console.Exec(env)
		stderr := strings.ReplaceAll(written.String(), server.URL, "SERVER")
		if status != cmd.ExitFailure {
			t.Errorf("exit %d: %s", status, stderr)
		}
		for _, line := range want {
			if !strings.Contains(plainText(stderr), line+"\n") {
				t.Errorf("terminal %t: no line %q in %q", terminal, line, stderr)
			}
		}
		if strings.Contains(stderr, "first try") || strings.Contains(stderr, "\x1b]") {
			t.Errorf("terminal %t: %q", terminal, stderr)
		}
	}
}

func TestFixOnServer(t *testing.T) {
	t.Parallel()
	exports, err := param.ParseMap(`{"table_name":"orders"}`)
	if err != nil {
		t.Fatal(err)
	}
	tasks := []api.Task{{ExportParams: exports, StoreParams: param.New()}, {}}
	a := &api.Attempt{Project: api.IDName{Name: "my shop"}}
	c := newConsole(t).Call("attempt", "1", "-e", "http://h:1")
	for message, want := range map[string]string{
		"Secret not found for key: 'a.b' (secret not found)":                                      "trowel secrets --project 'my shop' --set a.b -e http://h:1",
		"Unknown task type: ech (config)":                                                         "did you mean echo>?",
		"Failed to evaluate a variable ${x} (ReferenceError: tabel_name is not defined) (config)": "did you mean table_name?",
		"Command failed with code 1 (runtime)":                                                    "",
		"":                                                                                        "",
	} {
		if got := fixOnServer(c, a, message, tasks); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}
