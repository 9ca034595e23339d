package remotecmd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/version"
)

// TestVersionCheck checks what happens if a server does not accept the client (server 1.7.4).
func TestVersionCheck(t *testing.T) {
	t.Parallel()
	check := clitest.VersionCheck
	old := clitest.Answers{check: `{"serverVersion":"9.0","upgradeRecommended":true,"apiCompatible":true}`, "GET schedules": `{"schedules":[]}`}
	empty := "Schedules:\n0 entries.\n"
	hint := "Use `trowel workflows [project-name] [name]` to show workflow details.\n"
	clitest.RunCases(t, commandLine(), []clitest.Case{
		{
			Name: "incompatible", Args: "schedules", Exit: 1,
			Known: clitest.Answers{check: `{"serverVersion":"9.0","upgradeRecommended":true,"apiCompatible":false}`},
			Stderr: "error: This client version is not API compatible to the server (client: 0.10.6, server: 9.0).\n" +
				fmt.Sprintf(hintUpgrade, "api-incompatible-if-older") + "\n",
		},
		{
			Name: "obsolete, nobody there", Args: "schedules", Known: old, Stdout: empty, Asked: []string{"GET schedules"},
			Stderr: "This client version is obsoleted. It is recommended to upgrade (client: 0.10.6, server: 9.0).\n" +
				fmt.Sprintf(hintUpgrade, "upgrade-recommended-if-older") + "\n" + hint,
		},
		{
			Name: "obsolete, somebody there", Args: "schedules -X io.digdag.cli.versionCheckMode=interactive", Known: old, Exit: 1,
			Stderr: "error: This client version is obsoleted. It is recommended to upgrade (client: 0.10.6, server: 9.0).\n...",
		},
		{
			Name: "unknown mode", Args: "schedules -X io.digdag.cli.versionCheckMode=often", Known: old, Exit: 1,
			Stderr: "error: io.digdag.cli.versionCheckMode must be batch or interactive, not \"often\"\n",
		},
		{
			Name: "switched off", Args: "schedules --disable-version-check", Stdout: empty, Stderr: hint,
			Known: clitest.Answers{check: "500", "GET schedules": `{"schedules":[]}`}, Asked: []string{"GET schedules"},
		},
		{
			Name: "of the command version", Args: "version x", Known: clitest.Answers{check: "500", "GET version": `{"version":"0.10.6"}`},
			Stdout: "Client version: " + version.Number + "\nServer version: 0.10.6\n", Asked: []string{"GET version"},
		},
	})
}

// TestRemoteRefused checks what people read when a server refuses something (server 1.7.3).
func TestRemoteRefused(t *testing.T) {
	t.Parallel()
	clitest.RunCases(t, commandLine(), []clitest.Case{
		{
			Name: "GET", Args: "attempt 99", Exit: 1, Asked: []string{"GET attempts/99"},
			Stderr: "error: Resource not found: HTTP 404 Not Found\nthe server says: Resource does not exist: GET attempts/99\n" +
				"fix: `trowel attempts -e SERVER` lists what there is\n",
		},
		{
			Name: "POST", Args: "kill 99", Exit: 1, Asked: []string{"POST attempts/99/kill {}"},
			Stderr: "error: Resource not found: {\"message\":\"Resource does not exist: POST attempts/99/kill\",\"status\":404}\n" +
				"fix: `trowel attempts -e SERVER` lists what there is\n",
		},
		{
			Name: "findings", Args: "upload w.dig demo -r r1", Exit: 1, Asked: []string{"PUT projects?project=demo&revision=r1"},
			Known: clitest.Answers{"PUT projects?project=demo&revision=r1": `400{"message":"more than one operator: {\"echo>\":1}","status":400,"findings":[` +
				`{"file":"w.dig","line":3,"column":3,"severity":"error","message":"more than one operator","source":"  sh>: b","hint":"move one"}]}`},
			Stderr: "error: Status code 400: {\"message\":\"more than one operator: {\\\"echo>\\\":1}\",\"status\":400}\n\n" +
				"w.dig:3:3: error: more than one operator\n      sh>: b\n      ^\n    fix: move one\n",
		},
		{
			Name: "not signed in", Args: "schedules", Exit: 1, Asked: []string{"GET schedules"}, Known: clitest.Answers{"GET schedules": `401{"message":"unauthorized","status":401}`},
			Stderr: "error: Status code 401: HTTP 401 Unauthorized\nthe server says: unauthorized\nfix: sign in with --basic-auth USER:PASS or --token TOKEN; the variable TROWEL_TOKEN or the setting client.token does it for all commands\n",
		},
		{
			Name: "a bad header", Args: "schedules -H a:b=c", Exit: 1,
			Stderr: "error: \"a:b\" cannot be the name of a header\n",
		},
	})
}

// TestListings checks the forms of the commands that list and show (server 1.10.5 to 1.10.14).
func TestListings(t *testing.T) {
	t.Parallel()
	projects := "Projects\n  name: demo\n  id: 1\n  revision: r1\n  archive type: db\n  project created at: 2024-01-01 09:00:00 +0900\n  revision updated at: 2024-01-02 03:00:00 +0900\n\n"
	attempt := "  session id: 3\n  attempt id: 4\n  uuid: 21b98f61-0000-4000-8000-000000000000\n  project: demo\n  workflow: main\n" +
		"  session time: 2024-01-15 00:00:00 +0000\n  retry attempt name: \n  params: {\"k\":\"<v>\"}\n  created at: 2024-01-01 09:00:00 +0900\n" +
		"  finished at: 2024-01-01 09:00:05 +0900\n  kill requested: false\n  status: success\n\n"
	session := `{"id":"3","project":{"id":"1","name":"demo"},"workflow":{"name":"main","id":"2"},"sessionUuid":"u","sessionTime":"2024-01-15T00:00:00+00:00","lastAttempt":null}`
	shownSession := "  session id: 3\n  attempt id: \n  uuid: u\n  project: demo\n  workflow: main\n  session time: 2024-01-15 00:00:00 +0000\n" +
		"  retry attempt name: \n  params: \n  created at: \n  kill requested: false\n  status: pending\n\n"
	asProject := clitest.Answers{"GET projects?name=demo": `{"projects":[` + clitest.ProjectDemo + `]}`}
	hint := "Use `trowel workflows <project-name>` to show details.\n"
	clitest.RunCases(t, commandLine(), []clitest.Case{
		{
			Name: "projects", Args: "projects --name de --last-id 7", Known: clitest.Answers{"GET projects?count=100&last_id=7&name_pattern=de": `{"projects":[` + clitest.ProjectDemo + `]}`},
			Stdout: projects, Stderr: hint, Asked: []string{"GET projects?count=100&last_id=7&name_pattern=de"},
		},
		{Name: "one project", Args: "project demo", Known: asProject, Stdout: projects, Stderr: hint, Asked: []string{"GET projects?name=demo"}},
		{
			Name: "no project", Args: "project demo", Known: clitest.Answers{"GET projects?name=demo": `{"projects":[]}`}, Exit: 1,
			Stderr: "error: Project 'demo' does not exist.\n", Asked: []string{"GET projects?name=demo", "GET projects"},
		},
		{
			Name: "a project by nearly its name", Args: "project dem",
			Known: clitest.Answers{"GET projects?name=dem": `{"projects":[]}`, "GET projects": `{"projects":[` + clitest.ProjectDemo + `]}`}, Exit: 1,
			Stderr: "error: Project 'dem' does not exist.\ndid you mean \"demo\"?\n", Asked: []string{"GET projects?name=dem", "GET projects"},
		},
		{
			Name: "a workflow like a file", Args: "workflow demo main.dig", Exit: 1,
			Known: clitest.Answers{
				"GET projects?name=demo": asProject["GET projects?name=demo"], "GET projects/1/workflows?name=main.dig": `{"workflows":[]}`,
				"GET projects/1/workflows": `{"workflows":[` + clitest.WorkflowMain + `]}`,
			},
			Stderr: "error: Resource not found: workflow not found in the latest revision of project id = 1: main.dig\ndid you mean \"main\"?\n",
			Asked:  []string{"GET projects?name=demo", "GET projects/1/workflows?name=main.dig", "GET projects/1/workflows"},
		},
		{
			Name: "projects for programs", Args: "projects --json --count 0", Known: clitest.Answers{"GET projects?count=0": `{"projects":[` + clitest.ProjectDemo + `]}`},
			Stdout: `{"projects":[` + clitest.ProjectDemo + "]}\n", Asked: []string{"GET projects?count=0"},
		},
		{
			Name: "a bad id", Args: "projects --last-id x", Exit: 1,
			Stderr: "Usage: trowel projects [name]\n...error: For input string: \"x\"\n--last-id takes an id, which is a number\n",
		},
		{
			Name: "workflows", Args: "workflows --order desc", Known: clitest.Answers{"GET workflows?count=100&order=desc": `{"workflows":[` + clitest.WorkflowMain + `]}`},
			Stdout: "  demo\n    main\n\n", Stderr: "Use `trowel workflows <project-name> <name>` to show details.\n",
			Asked: []string{"GET workflows?count=100&order=desc"},
		},
		{
			Name: "one workflow", Args: "workflow demo main",
			Known: clitest.Answers{
				"GET projects?name=demo": asProject["GET projects?name=demo"], "GET projects/1/workflows?name=main": `{"workflows":[` + clitest.WorkflowMain + `]}`,
			},
			Stdout: "+a:\n  echo>: \"a ${session_date}\"\n+b:\n  sh>: \"echo b\"\n\n",
			Asked:  []string{"GET projects?name=demo", "GET projects/1/workflows?name=main"},
		},
		{
			Name: "attempts", Args: "attempts -s 5 -i 9", Known: clitest.Answers{"GET attempts?last_id=9&page_size=5": `{"attempts":[` + clitest.AttemptDone + `]}`},
			Stdout: "Session attempts:\n" + attempt, Asked: []string{"GET attempts?last_id=9&page_size=5"},
		},
		{
			Name: "no attempts", Args: "attempts 3", Known: clitest.Answers{"GET sessions/3/attempts": `{"attempts":[]}`},
			Stdout: "Session attempts:\n", Stderr: "Use `trowel start` to start a session.\n", Asked: []string{"GET sessions/3/attempts"},
		},
		{Name: "attempt", Args: "attempt 4", Known: clitest.Answers{"GET attempts/4": clitest.AttemptDone}, Stdout: attempt, Asked: []string{"GET attempts/4"}},
		{Name: "attempt for programs", Args: "attempt 4 --json", Known: clitest.Answers{"GET attempts/4": clitest.AttemptDone}, Stdout: clitest.AttemptDone + "\n", Asked: []string{"GET attempts/4"}},
		{
			Name: "sessions without a size", Args: "sessions -s 1", Known: clitest.Answers{"GET sessions": `{"sessions":[` + session + `]}`},
			Stdout: "Sessions:\n" + shownSession, Asked: []string{"GET sessions"},
		},
		{Name: "session", Args: "sessions 3", Known: clitest.Answers{"GET sessions/3": session}, Stdout: shownSession, Asked: []string{"GET sessions/3"}},
		{
			Name: "no tasks", Args: "tasks 4", Known: clitest.Answers{"GET attempts/4": clitest.AttemptDone, "GET attempts/4/tasks": `{"tasks":[]}`},
			Stdout: "0 entries.\n", Asked: []string{"GET attempts/4/tasks", "GET attempts/4"},
		},
		{
			Name: "schedules", Args: "schedules", Known: clitest.Answers{"GET schedules": `{"schedules":[` + clitest.ScheduleMain + `]}`}, Asked: []string{"GET schedules"},
			Stdout: "Schedules:\n  id: 5\n  project: demo\n  workflow: main\n  disabled at: 2024-01-02 03:02:02 +0900 (2m 3s ago)\n" +
				"  next session time: 2024-01-02 00:00:00 +0900\n  next scheduled to run at: 2024-01-02 03:05:06 +0900 (in 1m 1s)\n\n1 entries.\n",
			Stderr: "Use `trowel workflows [project-name] [name]` to show workflow details.\n",
		},
	})
}

// TestStart checks what start asks for and shows (server 1.10.7).
func TestStart(t *testing.T) {
	t.Parallel()
	known := func(cut, put string) clitest.Answers {
		return clitest.Answers{
			"GET projects?name=demo":                        `{"projects":[` + clitest.ProjectDemo + `]}`,
			"GET projects/1/workflows?name=main":            `{"workflows":[` + clitest.WorkflowMain + `]}`,
			"GET workflows/2/truncated_session_time?" + cut: `{"project":{"id":"1","name":"demo"},"revision":"r1","sessionTime":"2024-01-15T00:00:00+09:00","timezone":"Asia/Tokyo"}`,
			"PUT attempts":                                  put,
		}
	}
	asked := func(cut, body string) []string {
		return []string{
			"GET projects?name=demo", "GET projects/1/workflows?name=main", "GET workflows/2/truncated_session_time?" + cut, "PUT attempts " + body,
		}
	}
	day := "session_time=2024-01-15T00%3A00"
	started := "Started a session attempt:\n  session id: 3\n  attempt id: 4\n  uuid: 21b98f61-0000-4000-8000-000000000000\n  project: demo\n  workflow: main\n" +
		"  session time: 2024-01-15 00:00:00 +0000\n  retry attempt name: \n  params: {\"k\":\"<v>\"}\n  created at: 2024-01-01 09:00:00 +0900\n\n"
	hints := "* Use `trowel session 3` to show session status.\n* Use `trowel task 4` and `trowel log 4` to show task status and logs.\n"
	plain := `{"workflowId":"2","sessionTime":"2024-01-14T15:00:00Z","retryAttemptName":null,"resume":null,"params":{}}`
	clitest.RunCases(t, commandLine(), []clitest.Case{
		{Name: "a day", Args: "start demo main --session 2024-01-15", Known: known(day, clitest.AttemptDone), Stdout: started, Stderr: hints, Asked: asked(day, plain)},
		{
			Name: "a time and parameters", Args: "start demo main --session 2024-01-15_01:02:03 -P p.yml -p x=2 --retry again",
			Known: known("session_time=2024-01-15T01%3A02%3A03", clitest.AttemptDone), Stdout: started, Stderr: hints,
			Asked: asked("session_time=2024-01-15T01%3A02%3A03", `{"workflowId":"2","sessionTime":"2024-01-14T15:00:00Z","retryAttemptName":"again","resume":null,"params":{"x":"2","list":[1]}}`),
		},
		{
			Name: "this hour", Args: "start demo main --session hourly", Known: known("mode=hour&session_time=2024-01-01T18%3A04%3A05.000Z", clitest.AttemptDone),
			Stdout: started, Stderr: hints, Asked: asked("mode=hour&session_time=2024-01-01T18%3A04%3A05.000Z", plain),
		},
		{
			Name: "for programs", Args: "start demo main --session 2024-01-15 --json", Known: known(day, clitest.AttemptDone), Stdout: clitest.AttemptDone + "\n", Asked: asked(day, plain),
		},
		{
			Name: "not at all", Args: "start demo main --session 2024-01-15 -d", Known: known(day, clitest.AttemptDone), Stderr: "Session attempt is not started.\n",
			Stdout: "Session attempt:\n  session id: (dry run)\n  attempt id: (dry run)\n  uuid: (dry run)\n  project: demo\n  workflow: main\n" +
				"  session time: 2024-01-15 00:00:00 +0900\n  retry attempt name: \n  params: {}\n\n",
			Asked: asked(day, plain)[:3],
		},
		{
			Name: "again", Args: "start demo main --session 2024-01-15", Known: known(day, "409"+clitest.AttemptDone), Exit: 1, Asked: asked(day, plain),
			Stderr: "error: A session for the requested session_time already exists (session_id=3, attempt_id=4, session_time=2024-01-15T00:00Z)\n" +
				"hint: use `trowel retry 4 --latest-revision --all` command to run the session again for the same session_time\n",
		},
		{
			Name: "a conflict of another kind", Args: "start demo main --session 2024-01-15", Known: known(day, `409{"message":"m","status":409}`), Exit: 1, Asked: asked(day, plain),
			Stderr: "error: A session for the requested session_time already exists (session_time=2024-01-15T00:00+09:00)\n" +
				"hint: use `trowel retry <attempt-id> --latest-revision --all` command to run the session again for the same session_time\n",
		},
		{Name: "no session", Args: "start demo main", Exit: 1, Stderr: "Usage: trowel start <project-name> <name>\n...error: --session option is required\n"},
		{
			Name: "a bad session", Args: "start demo main --session last", Exit: 1,
			Stderr: "error: --session must be hourly, daily, now, \"yyyy-MM-dd\", or \"yyyy-MM-dd HH:mm:SS\" format: last\nthere is no such word\n" +
				"--session takes daily, hourly, now, \"yyyy-MM-dd\", \"yyyy-MM-dd HH:mm:ss\"\n",
		},
	})
}

// TestRetry checks what retry asks for (server 1.10.8).
func TestRetry(t *testing.T) {
	t.Parallel()
	known := clitest.Answers{
		"GET attempts/4":                                  clitest.AttemptDone,
		"GET projects/1/workflows?name=main":              `{"workflows":[` + strings.Replace(clitest.WorkflowMain, `"id":"2"`, `"id":"22"`, 1) + `]}`,
		"GET projects/1/workflows?name=main&revision=r+8": `{"workflows":[` + strings.Replace(clitest.WorkflowMain, `"id":"2"`, `"id":"8"`, 1) + `]}`,
		"PUT attempts":                                    clitest.AttemptDone,
		"GET attempts/5":                                  strings.Replace(clitest.AttemptDone, `"id":"2"`, `"id":null`, 1),
	}
	put := func(workflow, resume, params string) string {
		return `PUT attempts {"workflowId":"` + workflow + `","sessionTime":"2024-01-15T00:00:00Z","retryAttemptName":"n","resume":` + resume + `,"params":` + params + `}`
	}
	clitest.RunCases(t, commandLine(), []clitest.Case{
		{
			Name: "all of the latest", Args: "retry 4 --latest-revision --all --name n -p k=w -p m=1", Known: known, AnyText: true, Stderr: "* Use `trowel session 3` to show session status.\n...",
			Asked: []string{"GET attempts/4", "GET projects/1/workflows?name=main", put("22", "null", `{"k":"w","m":"1"}`)},
		},
		{
			Name: "what failed", Args: "retry 4 --keep-revision --resume --name n --json", Known: known, Stdout: clitest.AttemptDone + "\n",
			Asked: []string{"GET attempts/4", put("2", `{"mode":"failed","attemptId":"4"}`, `{"k":"<v>"}`)},
		},
		{
			Name: "from a task", Args: "retry 4 --revision r_8 --resume-from +c --name n --json", Known: known, Stdout: clitest.AttemptDone + "\n",
			Asked: []string{"GET attempts/4", "GET projects/1/workflows?name=main&revision=r+8", put("8", `{"mode":"from","attemptId":"4","from":"+c"}`, `{"k":"<v>"}`)},
		},
		{
			Name: "a workflow that is not stored", Args: "retry 5 --keep-revision --all", Known: known, Exit: 1, Asked: []string{"GET attempts/5"},
			Stderr: "Usage: trowel retry <attempt-id>\n...error: Session attempt 4 is non-stored workflow. Retrying a non-stored workflow is not supported.\n",
		},
	})
}

// TestSchedules checks what the commands for schedules ask for (server 1.10.15 to 1.10.17).
func TestSchedules(t *testing.T) {
	t.Parallel()
	byName := clitest.Answers{
		"GET projects?name=demo":                 `{"projects":[` + clitest.ProjectDemo + `]}`,
		"GET projects/1/schedules?workflow=main": `{"schedules":[` + clitest.ScheduleMain + `]}`,
		"GET projects/1/schedules":               `{"schedules":[` + clitest.ScheduleMain + `,` + strings.Replace(clitest.ScheduleMain, `"5"`, `"6"`, 1) + `]}`,
		"GET projects/1/schedules?last_id=6":     `{"schedules":[]}`,
		"POST schedules/5/disable":               clitest.SummaryMain,
		"POST schedules/6/disable":               strings.Replace(clitest.SummaryMain, `"5"`, `"6"`, 1),
		"POST schedules/5/enable":                clitest.SummaryMain,
		"POST schedules/5/skip":                  clitest.SummaryMain,
		"GET schedules/5":                        clitest.ScheduleMain,
		"GET workflows/2/truncated_session_time?session_time=2024-01-15T10%3A00": `{"project":{"id":"1","name":"demo"},"revision":"r1","sessionTime":"2024-01-15T10:00:00+09:00","timezone":"Asia/Tokyo"}`,
		"POST schedules/5/backfill": `{"id":"5","project":{"id":"1","name":"demo"},"workflow":{"id":"2","name":"main"},"attempts":[` + clitest.AttemptDone + `]}`,
	}
	skipped := "  id: 5\n  workflow: main\n  disabled at: \n  next session time: 2024-01-02 00:00:00 +0900\n  next scheduled to run at: 2024-01-03 03:05:06 +0900 (in 24h 1m 1s)\n\n"
	clitest.RunCases(t, commandLine(), []clitest.Case{
		{Name: "disable one", Args: "disable 5", Known: byName, Stdout: "Disabled schedule id: 5\n", Asked: []string{"POST schedules/5/disable {}"}},
		{
			Name: "disable all", Args: "disable demo", Known: byName, Stdout: "Disabled schedule id: 5\nDisabled schedule id: 6\n",
			Asked: []string{"GET projects?name=demo", "GET projects/1/schedules", "POST schedules/5/disable {}", "POST schedules/6/disable {}", "GET projects/1/schedules?last_id=6"},
		},
		{
			Name: "enable by name", Args: "enable demo main", Known: byName, Stdout: "Enabled schedule id: 5\n",
			Asked: []string{"GET projects?name=demo", "GET projects/1/schedules?workflow=main", "POST schedules/5/enable {}"},
		},
		{
			Name: "skip some", Args: "reschedule 5 -s 3", Known: byName, Stdout: skipped, Stderr: "Use `trowel schedules` to show schedules.\n",
			Asked: []string{`POST schedules/5/skip {"count":3,"fromTime":"2024-01-01T18:04:05Z","nextTime":null,"nextRunTime":null,"dryRun":false}`},
		},
		{
			Name: "skip to a time", Args: "reschedule demo main -t 2024-02-01_00:00:00_+0900 -a 3913056000 -d", Known: byName, Stdout: skipped, Stderr: "Schedule is not updated.\n",
			Asked: []string{
				"GET projects?name=demo", "GET projects/1/schedules?workflow=main",
				`POST schedules/5/skip {"count":null,"fromTime":null,"nextTime":"2024-01-31T15:00:00Z","nextRunTime":"2093-12-31T00:00:00Z","dryRun":true}`,
			},
		},
		{Name: "skip both ways", Args: "reschedule 5 -s 1 -t now", Exit: 1, Stderr: "error: -s and -t can't be set together\n"},
		{
			Name: "skip to no time", Args: "reschedule 5 -t soon", Exit: 1,
			Stderr: "error: -t, --skip-to option must be \"yyyy-MM-dd HH:mm:ss Z\" format or UNIX timestamp: soon\nhint: current local time is \"2024-01-02 03:04:05 +0900\"\n",
		},
		{
			Name: "backfill", Args: "backfill 5 -f 2024-01-15_10:00:00 --name n --count 1", Known: byName, AnyText: true,
			Stderr: "Backfill session attempts started.\nUse `trowel sessions` to show the session attempts.\n",
			Asked: []string{
				"GET schedules/5", "GET workflows/2/truncated_session_time?session_time=2024-01-15T10%3A00",
				`POST schedules/5/backfill {"fromTime":"2024-01-15T01:00:00Z","attemptName":"n","count":1,"dryRun":false}`,
			},
		},
	})
}

// TestDelete checks that delete asks first (server 1.10.18).
func TestDelete(t *testing.T) {
	t.Parallel()
	known := clitest.Answers{"GET projects?name=demo": `{"projects":[` + clitest.ProjectDemo + `]}`, "DELETE projects/1": clitest.ProjectDemo}
	shown := "Project:\n  id: 1\n  name: demo\n  latest revision: r1\n  created at: 2024-01-01 09:00:00 +0900\n  last updated at: 2024-01-02 03:00:00 +0900\n"
	question := "Are you sure you want to delete this project? [y/N]: "
	find := []string{"GET projects?name=demo"}
	both := []string{"GET projects?name=demo", "DELETE projects/1"}
	clitest.RunCases(t, commandLine(), []clitest.Case{
		{Name: "yes", Args: "delete demo", Known: known, Stdin: " YES \n", Stdout: shown, Stderr: question + "Project 'demo' is deleted.\n", Asked: both},
		{Name: "no", Args: "delete demo", Known: known, Stdin: "maybe\n", Exit: 1, Stdout: shown, Stderr: question + "error: canceled.\n", Asked: find},
		{
			Name: "nobody there", Args: "delete demo", Known: known, Exit: 1, Stdout: shown, Asked: find,
			Stderr: question + "\nerror: read the answer from standard input: EOF; --force does without it\n",
		},
		{Name: "not asked", Args: "delete demo --force", Known: known, Stdout: shown, Stderr: "Project 'demo' is deleted.\n", Asked: both},
	})
}

// TestProjectSecrets checks what secrets --project asks for (server 1.10.19).
func TestProjectSecrets(t *testing.T) {
	t.Parallel()
	known := clitest.Answers{
		"GET projects?name=demo":      `{"projects":[` + clitest.ProjectDemo + `]}`,
		"GET projects/1/secrets":      `{"secrets":[{"key":"b.c"},{"key":"a"}]}`,
		"PUT projects/1/secrets/a":    `{"key":"a","project":{"id":"1","name":"demo"}}`,
		"PUT projects/1/secrets/b.c":  `400{"message":"Invalid secret","status":400}`,
		"DELETE projects/1/secrets/a": `{"key":"a","project":{"id":"1","name":"demo"}}`,
	}
	clitest.RunCases(t, commandLine(), []clitest.Case{
		{Name: "list", Args: "secrets --project demo", Known: known, Stdout: "a\nb.c\n", Asked: []string{"GET projects?name=demo", "GET projects/1/secrets"}},
		{
			Name: "set until one is refused", Args: "secrets --project demo --set a=1 b.c=2 d=3", Known: known, Exit: 1,
			Stderr: "Secret 'a' set\nerror: Failed to set project secret: Bad Request\nthe server says: Invalid secret\n",
			Asked:  []string{"GET projects?name=demo", `PUT projects/1/secrets/a {"value":"1"}`, `PUT projects/1/secrets/b.c {"value":"2"}`},
		},
		{
			Name: "delete", Args: "secrets --project demo --delete a", Known: known, Stderr: "Secret 'a' deleted\n",
			Asked: []string{"GET projects?name=demo", "DELETE projects/1/secrets/a"},
		},
		{Name: "checked before anything is sent", Args: "secrets --project demo --set a=1 a=2", Exit: 1, Stderr: "Usage: trowel secrets [--local] [--project <project>] [--set <key>=<value>] [--delete key]\n...error: Duplicate --set secret key: 'a'\n"},
	})
}

// A path after the endpoint is ignored. People on a terminal are told so.
func TestIgnoredPath(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		endpoint   string
		isTerminal bool
		want       string
	}{
		{"http://127.0.0.1:1/trowel", true, "/trowel"},
		{"127.0.0.1:1/a/?b", true, "/a/?b"},
		{"http://127.0.0.1:1/trowel", false, ""},
		{"http://127.0.0.1:1/", true, ""},
		{"127.0.0.1:1", true, ""},
	} {
		console := newConsole(t)
		env, _, stderr := console.Env("version", "-e", tc.endpoint)
		env.Terminals.Stderr = tc.isTerminal
		console.Exec(env)
		_, rest, _ := strings.Cut(stderr.String(), "warning: the path ")
		if got, _, _ := strings.Cut(rest, " of the endpoint is ignored"); got != tc.want {
			t.Errorf("%s, terminal %v: the path %q is said to be ignored, want %q: %s", tc.endpoint, tc.isTerminal, got, tc.want, stderr)
		}
	}
}
