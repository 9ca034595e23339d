package cli

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/cli/cmd"
)

// searched is a failed attemptDone in the answer of a search, with a name that attacks the terminal.
var searchedAttempt = strings.NewReplacer(
	`"success","id"`, `"error","id"`, `"success":true`, `"success":false`, `:00Z"`, `:00.123Z"`, `:05Z"`, `:05.123Z"`,
	`"retryAttemptName":null`, `"retryAttemptName":"\u001b]0;T\u0007\u202e"`,
).Replace(clitest.AttemptDone)

// Lists on a terminal of 80 columns, and the requests for them in order.
func TestListsOnATerminal(t *testing.T) {
	t.Parallel()
	const since = "createdFrom=2023-12-31T15%3A00%3A00Z"
	size := "?page_size=18"
	times := "\nTimes are in Asia/Tokyo.\n"
	states := "blocked, ready, retry_waiting, group_retry_waiting, running, planned, group_error, success, error, canceled, skipped, deferred, awaiting_input"
	found := "ID  STATUS  WORKFLOW   SESSION              STARTED              TOOK  NAME\n" +
		" 4  error   demo/main  2024-01-15 09:00:00  2024-01-01 09:00:00  5.0s  ^[]0…202e\n"
	whole := `{"items":[` + searchedAttempt + `],"next":"x"}`
	projects := clitest.Answers{"GET projects?name=demo": `{"projects":[` + clitest.ProjectDemo + `]}`}
	with := func(more clitest.Answers) clitest.Answers {
		all := clitest.Answers{}
		for _, some := range []clitest.Answers{projects, more} {
			maps.Copy(all, some)
		}
		return all
	}
	for _, tc := range []struct {
		name, args     string
		known          clitest.Answers
		exit           int
		asked          []string
		stdout, stderr string
		pipe           bool
	}{
		{
			name: "attempts", args: "attempts", known: clitest.Answers{"GET attempts" + size: `{"attempts":[` + clitest.AttemptDone + `]}`}, asked: []string{"GET attempts" + size},
			stdout: "ID  STATUS   WORKFLOW   SESSION              STARTED              TOOK\n 4  success  demo/main  2024-01-15 09:00:00  2024-01-01 09:00:00    5s\n",
			stderr: times,
		},
		{
			name: "a full page", args: "attempts -s 1 -i 9", known: clitest.Answers{"GET attempts?last_id=9&page_size=1": `{"attempts":[` + clitest.AttemptDone + `]}`},
			asked:  []string{"GET attempts?last_id=9&page_size=1"},
			stdout: "ID  STATUS   WORKFLOW   SESSION              STARTED              TOOK\n 4  success  demo/main  2024-01-15 09:00:00  2024-01-01 09:00:00    5s\n",
			stderr: "\nOlder ones: `trowel attempts --last-id 4 -e SERVER`" + times,
		},
		{
			name: "a page that the server ended early", args: "attempts -s 3", asked: []string{"GET attempts?page_size=3", "GET attempts?last_id=4&page_size=1"},
			known: clitest.Answers{
				"GET attempts?page_size=3":           `{"attempts":[` + strings.Replace(clitest.AttemptDone, "<v>", strings.Repeat("v", 4<<20), 1) + `]}`,
				"GET attempts?last_id=4&page_size=1": `{"attempts":[` + clitest.AttemptDone + `]}`,
			},
			stdout: "ID  STATUS   WORKFLOW   SESSION              STARTED              TOOK\n 4  success  demo/main  2024-01-15 09:00:00  2024-01-01 09:00:00    5s\n",
			stderr: "\nOlder ones: `trowel attempts --last-id 4 -e SERVER`" + times,
		},
		{
			name: "sessions of large attempts, the last of them", args: "sessions demo -s 3",
			asked: []string{"GET projects?name=demo", "GET projects/1/sessions?page_size=3", "GET projects/1/sessions?last_id=3&page_size=1"},
			known: with(clitest.Answers{
				"GET projects/1/sessions?page_size=3": `{"sessions":[{"id":"3","project":{"id":"1","name":"demo"},"workflow":{"name":"main","id":"2"},"sessionUuid":"u",` +
					`"sessionTime":"2024-01-15T00:00:00+00:00","lastAttempt":` + strings.Replace(clitest.AttemptDone, "<v>", strings.Repeat("v", 4<<20), 1) + `}]}`,
				"GET projects/1/sessions?last_id=3&page_size=1": `{"sessions":[]}`,
			}),
			stdout: "ID  STATUS   WORKFLOW   SESSION              ATTEMPT  STARTED              TOOK\n 3  success  demo/main  2024-01-15 09:00:00        4  2024-01-01 09:00:00    5s\n",
			stderr: times,
		},
		{
			name: "no attempts", args: "attempts", known: clitest.Answers{"GET attempts" + size: `{"attempts":[]}`}, asked: []string{"GET attempts" + size},
			stderr: "There are no attempts. Use `trowel start -e SERVER` to start a session.\n",
		},
		{
			name: "what failed tonight", args: "attempts --status error --since 2024-01-01 --project demo",
			known:  with(clitest.Answers{"GET search/attempts?" + since + "&limit=18&project=demo&status=error": whole}),
			asked:  []string{"GET projects?name=demo", "GET search/attempts?" + since + "&limit=18&project=demo&status=error"},
			stdout: found,
			stderr: "\nOlder ones: `trowel attempts --status error --project demo --since 2024-01-01 --next x -e SERVER`\n`trowel tasks 4 -e SERVER` shows which tasks failed, and why." + times,
		},
		{
			name: "nothing failed", args: "attempts --status error", known: clitest.Answers{"GET search/attempts?limit=18&status=error": `{"items":[],"next":null}`},
			asked:  []string{"GET search/attempts?limit=18&status=error"},
			stderr: "There is no attempt of the status error.\n`trowel attempts -e SERVER` shows the newest of all.\n",
		},
		{
			name: "the rest of it, in a pipe", args: "attempts --status error --next x -s 7", pipe: true, asked: []string{"GET search/attempts?cursor=x&limit=7&status=error"},
			known:  clitest.Answers{"GET search/attempts?cursor=x&limit=7&status=error": `{"items":[],"next":null}`},
			stdout: "Session attempts:\n", stderr: "There is no attempt of the status error after that page.\n`trowel attempts -e SERVER` shows the newest of all.\n",
		},
		{
			name: "Digdag's server", args: "attempts --status error", exit: 1, asked: []string{"GET search/attempts?limit=18&status=error"},
			stderr: "error: the server cannot search: it is Digdag's, or an older one\n" +
				"without --status, --project, --workflow and --since all are listed, page by page with --last-id\n",
		},
		{
			name: "sessions", args: "sessions demo main --status running", asked: []string{"GET projects?name=demo", "GET search/attempts?limit=18&project=demo&status=running&unit=session&workflow=main"},
			known:  with(clitest.Answers{"GET search/attempts?limit=18&project=demo&status=running&unit=session&workflow=main": `{"items":[],"next":null}`}),
			stderr: "There is no session of the status running of demo/main.\n`trowel sessions -e SERVER` shows the newest of all.\n",
		},
		{
			name: "too large a page", args: "attempts -s 5000", exit: 1, asked: []string{"GET attempts?page_size=5000"},
			known: clitest.Answers{"GET attempts?page_size=5000": `400{"message":"Your specified page_size is Optional.of(5000), but it is larger than MAX_PAGE_SIZE: 100. ` +
				`You must specify page_size with a number which is smaller than 100","status":400}`},
			stderr: "error: the server lists at most 100 at a time\nask for fewer with --page-size, and go on with --last-id\n",
		},
		{
			name: "workflows of an id", args: "workflows 1", asked: []string{"GET projects?name=1", "GET projects/1", "GET projects/1/workflows"},
			known:  clitest.Answers{"GET projects?name=1": `{"projects":[]}`, "GET projects/1": clitest.ProjectDemo, "GET projects/1/workflows": `{"workflows":[` + clitest.WorkflowMain + `]}`},
			stdout: "PROJECT  WORKFLOW  ID  TIME ZONE  REVISION\ndemo     main       2  UTC        r1\n", stderr: "\n`trowel workflows <project-name> <name> -e SERVER` shows the text of one.\n",
		},
		{
			name: "for programs", args: "attempts --status error --json", asked: []string{"GET search/attempts?status=error"},
			known:  clitest.Answers{"GET search/attempts?status=error": `{"items":[],"next":null}`},
			stdout: "{\"attempts\":[]}\n",
		},
		{
			name: "a status that there is not", args: "attempts --status failed", exit: 1,
			stderr: "error: --status must be one of running, success, error, killed, not \"failed\"\ndid you mean \"error\"?\n",
		},
		{
			name: "a misspelt status", args: "sessions --status eror", exit: 1,
			stderr: "error: --status must be one of running, success, error, killed, not \"eror\"\ndid you mean \"error\"?\n",
		},
		{
			name: "a misspelt state", args: "tasks 4 --status errror", exit: 1,
			stderr: "error: --status must be one of " + states + ", not \"errror\"\ndid you mean \"error\"?\n",
		},
		{
			name: "a state that there is not", args: "tasks 4 --status cancelled", pipe: true, exit: 1,
			stderr: "error: --status must be one of " + states + ", not \"cancelled\"\ndid you mean \"canceled\"?\n",
		},
		{
			name: "a state that is like none", args: "tasks 4 --status zzzz", exit: 1,
			stderr: "error: --status must be one of " + states + ", not \"zzzz\"\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server := clitest.NewAPI(t, tc.known)
			c := newConsole(t)
			c.Environ = append(c.Environ, "TERM=xterm", "NO_COLOR=1", "COLUMNS=80", "TZ=Asia/Tokyo")
			env, stdout, stderr := c.Env(append(strings.Fields(tc.args), "-e", server.URL)...)
			env.Terminals = cmd.Terminals{Stdout: !tc.pipe, Stderr: !tc.pipe}
			exit := Run(t.Context(), env)
			got := clitest.Outcome{Exit: exit, Stdout: stdout.String(), Stderr: strings.ReplaceAll(strings.TrimPrefix(stderr.String(), clitest.TestBanner), server.URL, "SERVER")}
			if diff := cmp.Diff(clitest.Outcome{Exit: tc.exit, Stdout: tc.stdout, Stderr: tc.stderr}, got, cmp.AllowUnexported(clitest.Outcome{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.asked, server.Asked); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// TestErrorsOnATerminal checks that the text of a failure from a server is harmless to a terminal.
func TestErrorsOnATerminal(t *testing.T) {
	t.Parallel()
	server := clitest.NewAPI(t, clitest.Answers{"GET attempts/9": `404{"message":"none\u001b[2J\u009b\u2028","status":404}`})
	env, _, stderr := newConsole(t).Env("attempt", "9", "-e", server.URL)
	env.Terminals = cmd.Terminals{Stdout: true, Stderr: true}
	Run(t.Context(), env)
	if got, want := stderr.String(), `none^[[2J\u009b\u2028`; !strings.Contains(got, want) || strings.ContainsAny(got, "\x1b\u009b\u2028") {
		t.Errorf("the terminal got %q, want %q and nothing raw", got, want)
	}
}
