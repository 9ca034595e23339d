package remotecmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
)

// refusing returns a server that refuses all requests in one way, but accepts the version of Trowel's client.
func refusing(t *testing.T, trowels bool, status int, header, body string) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if trowels && r.URL.Path == "/api/version/check" {
			_, _ = io.WriteString(w, clitest.GoodVersion)
			return
		}
		if r.Method == http.MethodGet && trowels && status == http.StatusConflict {
			_, _ = io.WriteString(w, clitest.AttemptDone)
			return
		}
		if name, value, ok := strings.Cut(header, ": "); ok {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestRefusals checks the texts about refusals: Digdag's without a terminal, on a terminal what was refused and
// by which server, and in either case how to go on.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const page = "<html><title>Welcome to nginx!</title></html>"
	named := strings.Replace(clitest.AttemptDone, `"retryAttemptName":null`, `"retryAttemptName":"fix1"`, 1)
	foreign := "fix: is that a Trowel server, at SERVER? The option -e or the setting client.http.endpoint names another one\n"
	for _, tc := range []struct {
		name, args     string
		trowels        bool
		status         int
		header, body   string
		people, others string // texts on a terminal and elsewhere; ... at the end matches any text
	}{
		{
			"kill of what ended", "kill 6", true, 409, "", `{"message":"Session attempt already killed or finished","status":409}`,
			"Session attempt already killed or finished\nat SERVER (POST /api/attempts/6/kill: HTTP 409 Conflict)\nfix: nothing is left to stop; `trowel attempt 6 -e SERVER` shows how it ended\n",
			"Request conflicted: {\"message\":\"Session attempt already killed or finished\",\"status\":409}\nfix: nothing is left to stop; `trowel attempt 6 -e SERVER` shows how it ended\n",
		},
		{
			"retry by a name that exists", "retry 2 --keep-revision --resume --name fix1", true, 409, "", named,
			"an attempt named fix1 exists: 4\nat SERVER (PUT /api/attempts: HTTP 409 Conflict)\nfix: choose another --name, or leave it out\n",
			"Request conflicted: " + named + "\nan attempt named fix1 exists: 4\nfix: choose another --name, or leave it out\n",
		},
		{
			"bad request", "kill 6", true, 400, "", `{"message":"no","status":400}`,
			"no\nat SERVER (POST /api/attempts/6/kill: HTTP 400 Bad Request)\n", "Status code 400: {\"message\":\"no\",\"status\":400}\n",
		},
		{
			"not signed in", "kill 6", true, 401, "", `{"message":"unauthorized","status":401}`,
			"unauthorized\nat SERVER (POST /api/attempts/6/kill: HTTP 401 Unauthorized)\nfix: sign in with --basic-auth...", "Status code 401: {\"message\":\"unauthorized\",\"status\":401}\nfix: sign in with --basic-auth...",
		},
		{
			"not allowed", "kill 6", true, 403, "", `{"message":"r is not allowed to do this","status":403}`,
			"r is not allowed to do this\nat SERVER (POST /api/attempts/6/kill: HTTP 403 Forbidden)\nfix: sign in with a token...", "Status code 403: {\"message\":\"r is not allowed to do this\",\"status\":403}\nfix: sign in with a token...",
		},
		{
			"not there", "kill 6", true, 404, "", `{"message":"Resource does not exist","status":404}`,
			"Resource does not exist\nat SERVER (POST /api/attempts/6/kill: HTTP 404 Not Found)\nfix: `trowel attempts -e SERVER` lists what there is\n",
			"Resource not found: {\"message\":\"Resource does not exist\",\"status\":404}\nfix: `trowel attempts -e SERVER` lists what there is\n",
		},
		{
			"not to be done", "kill 6", true, 422, "", `{"message":"cannot","status":422}`,
			"cannot\nat SERVER (POST /api/attempts/6/kill: HTTP 422 Unprocessable Entity)\n", "Invalid option: {\"message\":\"cannot\",\"status\":422}\n",
		},
		{
			"too often", "kill 6", true, 429, "", `{"message":"too many tries","status":429}`,
			"too many tries\nat SERVER (POST /api/attempts/6/kill: HTTP 429 Too Many Requests)\nfix: try again in a moment\n", "Status code 429: {\"message\":\"too many tries\",\"status\":429}\nfix: try again in a moment\n",
		},
		{
			"not now", "kill 6", true, 503, "", `{"message":"the disk is full","status":503}`,
			"the disk is full\nat SERVER (POST /api/attempts/6/kill: HTTP 503 Service Unavailable)\nfix: try again in a moment; ...", "Status code 503: {\"message\":\"the disk is full\",\"status\":503}\nfix: try again in a moment; ...",
		},
		{
			"broken", "kill 6", true, 500, "", `{"message":"error 17","status":500}`,
			"error 17\nat SERVER (POST /api/attempts/6/kill: HTTP 500 Internal Server Error)\nfix: the log of the server says more\n", "Status code 500: {\"message\":\"error 17\",\"status\":500}\nfix: the log of the server says more\n",
		},
		{
			"a project that is not there", "attempts --project zip", true, 404, "", `{"message":"project not found: zip","status":404}`,
			"project not found: zip\nat SERVER (GET /api/projects: HTTP 404 Not Found)\nfix: `trowel projects -e SERVER` lists what there is\n", "Resource not found: ...",
		},
		{
			"a task that is not there", "retry 2 --latest-revision --resume-from +zzz", true, 400, "",
			`{"message":"io.digdag.core.workflow.TaskMatchPattern$NoMatchException: Task pattern '+zzz' doesn't match with any tasks.","status":400}`,
			"Task pattern '+zzz' doesn't match with any tasks.\nat SERVER (GET /api/attempts/2: HTTP 400 Bad Request)\nfix: `trowel tasks 2 -e SERVER` lists the tasks\n",
			"Status code 400: HTTP 400 Bad Request\n...",
		},
		{
			"a backfill of too many sessions", "backfill 7 --from 2024-01-01", true, 400, "",
			`{"message":"Too many attempts running. Limit: 100, Current: 100","status":400}`,
			"Too many attempts running. Limit: 100, Current: 100\nat SERVER (GET /api/schedules/7: HTTP 400 Bad Request)\nfix: its sessions count from the beginning: ask for fewer at a time with --count N, or raise executor.attempt_max_run in the settings of the server\n",
			"Status code 400: ...",
		},
		{
			"too many attempts", "retry 2 --latest-revision --all", true, 400, "",
			`{"message":"Too many attempts running. Limit: 100, Current: 100","status":400}`,
			"Too many attempts running. Limit: 100, Current: 100\nat SERVER (GET /api/attempts/2: HTTP 400 Bad Request)\nfix: wait until some have ended, or raise executor.attempt_max_run in the settings of the server\n",
			"Status code 400: ...",
		},
		{
			"own path", "kill 6", true, 400, "", `{"message":"no such pool","status":400,"code":"x","hint":"make one"}`,
			"no such pool\nat SERVER (POST /api/attempts/6/kill: HTTP 400 Bad Request)\nfix: make one\n", "no such pool\nfix: make one\n",
		},
		{
			"a proxy before it", "kill 6", true, 502, "", page,
			"the answer is not one of a Trowel server\nat SERVER (POST /api/attempts/6/kill: HTTP 502 Bad Gateway)\n" + foreign, "Status code 502: " + page + "\n" + foreign,
		},
		{
			"another web server", "attempts", false, 404, "", page,
			"the answer is not one of a Trowel server\nat SERVER (GET /api/version/check: HTTP 404 Not Found)\n" + foreign, "Resource not found: HTTP 404 Not Found\n" + foreign,
		},
		{
			"another one that says little", "attempts", false, 404, "", "",
			"the answer is not one of a Trowel server\nat SERVER (GET /api/version/check: HTTP 404 Not Found)\n" + foreign, "Resource not found: HTTP 404 Not Found\n" + foreign,
		},
		{
			"one that answers everything", "attempts", false, 200, "", page,
			"the answer to GET /api/version/check is not one of a Trowel server\n" + foreign,
			"read the answer to GET /api/version/check: invalid character '<' looking for beginning of value\n" + foreign,
		},
		{
			"one that leads elsewhere", "attempts", false, 302, "Location: https://example.com/login", "",
			"the answer is not one of a Trowel server\nat SERVER (GET /api/version/check: HTTP 302 Found)\n" + foreign, "Status code 302: HTTP 302 Found\n" + foreign,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			url := refusing(t, tc.trowels, tc.status, tc.header, tc.body)
			for terminal, want := range map[bool]string{true: tc.people, false: tc.others} {
				console := newConsole(t)
				env, _, stderr := console.Env(append(strings.Fields(tc.args), "-e", url)...)
				env.Terminals.Stderr = terminal
				if exit := console.Exec(env); exit != cmd.ExitFailure {
					t.Errorf("exit = %d, want %d", exit, cmd.ExitFailure)
				}
				_, got, _ := strings.Cut(strings.ReplaceAll(stderr.String(), url, "SERVER"), "\n") // the banner
				begin, open := strings.CutSuffix("error: "+want, "...")
				if got != begin && (!open || !strings.HasPrefix(got, begin)) {
					t.Errorf("terminal %t: %q, want %q", terminal, got, "error: "+want)
				}
			}
		})
	}
}

// A caller who may not list tokens is not told to list them.
func TestTokensFix(t *testing.T) {
	t.Parallel()
	c := newConsole(t).Call("tokens")
	fix := refusedFix(c, &client.StatusError{Code: http.StatusForbidden, Body: []byte(`{"message":"no"}`)})
	if !strings.HasSuffix(fix, "`trowel tokens create --database DIR --name NAME --role admin`") {
		t.Error(fix)
	}
}

// A refused caller is told where the credentials came from, as there are several places, or else how to give some.
func TestSignInRefused(t *testing.T) {
	t.Parallel()
	url := refusing(t, true, 401, "", `{"message":"unauthorized","status":401}`)
	for _, tc := range []struct{ name, args, variable, settings, fix string }{
		{"not signed in", "", "", "", fixSignIn},
		{"option", "--token trw_x", "trw_y", "client.token = trw_z", "the token of --token"},
		{"user", "--basic-auth me:x", "trw_y", "", "the name and password of --basic-auth"},
		{"variable", "", "trw_y", "client.token = trw_z", "the token of the variable TROWEL_TOKEN"},
		{"setting", "", "", "client.token = trw_z", "the token of the setting client.token"},
		{"header", "-H authorization=x", "trw_y", "", "the header Authorization of the option -H"},
		{"setting of a header", "", "", "client.http.headers.Authorization = x", "what the setting client.http.headers.Authorization says"},
	} {
		c := newConsole(t)
		if tc.variable != "" {
			c.Environ = append(c.Environ, "TROWEL_TOKEN="+tc.variable)
		}
		c.Write("settings", tc.settings+"\n")
		want := "\nfix: " + tc.fix + "\n"
		if tc.fix != fixSignIn {
			want = "\nfix: the server refuses " + tc.fix + ": correct it, or leave it out where nobody signs in\n"
		}
		for _, terminal := range []bool{true, false} {
			env, _, stderr := c.Env(append([]string{"kill", "6", "-c", "settings", "-e", url}, strings.Fields(tc.args)...)...)
			env.Terminals.Stderr = terminal
			if exit := c.Exec(env); exit != cmd.ExitFailure || !strings.HasSuffix(stderr.String(), want) {
				t.Errorf("%s, terminal %t: exit %d, %q, want %q at the end", tc.name, terminal, exit, stderr, want)
			}
		}
	}
}
