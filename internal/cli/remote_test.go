package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/version"
)

// TestVersionCheck holds what becomes of a server that does not take the client (server 1.7.4).
func TestVersionCheck(t *testing.T) {
	t.Parallel()
	check := versionCheck
	old := answers{check: `{"serverVersion":"9.0","upgradeRecommended":true,"apiCompatible":true}`, "GET schedules": `{"schedules":[]}`}
	empty := "Schedules:\n0 entries.\n"
	hint := "Use `trowel workflows [project-name] [name]` to show workflow details.\n"
	runRemoteCases(t, commandLine(), []remoteCase{
		{
			name: "incompatible", args: "schedules", exit: 1,
			known: answers{check: `{"serverVersion":"9.0","upgradeRecommended":true,"apiCompatible":false}`},
			stderr: "error: This client version is not API compatible to the server (client: 0.10.6, server: 9.0).\n" +
				fmt.Sprintf(hintUpgrade, "api-incompatible-if-older") + "\n",
		},
		{
			name: "obsolete, nobody there", args: "schedules", known: old, stdout: empty, asked: []string{"GET schedules"},
			stderr: "This client version is obsoleted. It is recommended to upgrade (client: 0.10.6, server: 9.0).\n" +
				fmt.Sprintf(hintUpgrade, "upgrade-recommended-if-older") + "\n" + hint,
		},
		{
			name: "obsolete, somebody there", args: "schedules -X io.digdag.cli.versionCheckMode=interactive", known: old, exit: 1,
			stderr: "error: This client version is obsoleted. It is recommended to upgrade (client: 0.10.6, server: 9.0).\n...",
		},
		{
			name: "unknown mode", args: "schedules -X io.digdag.cli.versionCheckMode=often", known: old, exit: 1,
			stderr: "error: io.digdag.cli.versionCheckMode must be batch or interactive, not \"often\"\n",
		},
		{
			name: "switched off", args: "schedules --disable-version-check", stdout: empty, stderr: hint,
			known: answers{check: "500", "GET schedules": `{"schedules":[]}`}, asked: []string{"GET schedules"},
		},
		{
			name: "of the command version", args: "version x", known: answers{check: "500", "GET version": `{"version":"0.10.6"}`},
			stdout: "Client version: " + version.Number + "\nServer version: 0.10.6\n", asked: []string{"GET version"},
		},
	})
}

// TestRemoteRefused holds what people read when a server refuses something (server 1.7.3).
func TestRemoteRefused(t *testing.T) {
	t.Parallel()
	runRemoteCases(t, commandLine(), []remoteCase{
		{
			name: "GET", args: "attempt 99", exit: 1, asked: []string{"GET attempts/99"},
			stderr: "error: Resource not found: HTTP 404 Not Found\nthe server says: Resource does not exist: GET attempts/99\n" +
				"fix: `trowel attempts -e SERVER` lists what there is\n",
		},
		{
			name: "POST", args: "kill 99", exit: 1, asked: []string{"POST attempts/99/kill {}"},
			stderr: "error: Resource not found: {\"message\":\"Resource does not exist: POST attempts/99/kill\",\"status\":404}\n" +
				"fix: `trowel attempts -e SERVER` lists what there is\n",
		},
		{
			name: "findings", args: "upload w.dig demo -r r1", exit: 1, asked: []string{"PUT projects?project=demo&revision=r1"},
			known: answers{"PUT projects?project=demo&revision=r1": `400{"message":"more than one operator: {\"echo>\":1}","status":400,"findings":[` +
				`{"file":"w.dig","line":3,"column":3,"severity":"error","message":"more than one operator","source":"  sh>: b","hint":"move one"}]}`},
			stderr: "error: Status code 400: {\"message\":\"more than one operator: {\\\"echo>\\\":1}\",\"status\":400}\n\n" +
				"w.dig:3:3: error: more than one operator\n      sh>: b\n      ^\n    fix: move one\n",
		},
		{
			name: "not signed in", args: "schedules", exit: 1, asked: []string{"GET schedules"}, known: answers{"GET schedules": `401{"message":"unauthorized","status":401}`},
			stderr: "error: Status code 401: HTTP 401 Unauthorized\nthe server says: unauthorized\nfix: sign in with --basic-auth USER:PASS or --token TOKEN; the variable TROWEL_TOKEN or the setting client.token does it for all commands\n",
		},
		{
			name: "a bad header", args: "schedules -H a:b=c", exit: 1,
			stderr: "error: \"a:b\" cannot be the name of a header\n",
		},
	})
}

// TestListings holds the forms of the commands that list and show (server 1.10.5 to 1.10.14).
func TestListings(t *testing.T) {
	t.Parallel()
	projects := "Projects\n  name: demo\n  id: 1\n  revision: r1\n  archive type: db\n  project created at: 2024-01-01 09:00:00 +0900\n  revision updated at: 2024-01-02 03:00:00 +0900\n\n"
	attempt := "  session id: 3\n  attempt id: 4\n  uuid: 21b98f61-0000-4000-8000-000000000000\n  project: demo\n  workflow: main\n" +
		"  session time: 2024-01-15 00:00:00 +0000\n  retry attempt name: \n  params: {\"k\":\"<v>\"}\n  created at: 2024-01-01 09:00:00 +0900\n" +
		"  finished at: 2024-01-01 09:00:05 +0900\n  kill requested: false\n  status: success\n\n"
	session := `{"id":"3","project":{"id":"1","name":"demo"},"workflow":{"name":"main","id":"2"},"sessionUuid":"u","sessionTime":"2024-01-15T00:00:00+00:00","lastAttempt":null}`
	shownSession := "  session id: 3\n  attempt id: \n  uuid: u\n  project: demo\n  workflow: main\n  session time: 2024-01-15 00:00:00 +0000\n" +
		"  retry attempt name: \n  params: \n  created at: \n  kill requested: false\n  status: pending\n\n"
	asProject := answers{"GET projects?name=demo": `{"projects":[` + projectDemo + `]}`}
	hint := "Use `trowel workflows <project-name>` to show details.\n"
	runRemoteCases(t, commandLine(), []remoteCase{
		{
			name: "projects", args: "projects --name de --last-id 7", known: answers{"GET projects?count=100&last_id=7&name_pattern=de": `{"projects":[` + projectDemo + `]}`},
			stdout: projects, stderr: hint, asked: []string{"GET projects?count=100&last_id=7&name_pattern=de"},
		},
		{name: "one project", args: "project demo", known: asProject, stdout: projects, stderr: hint, asked: []string{"GET projects?name=demo"}},
		{
			name: "no project", args: "project demo", known: answers{"GET projects?name=demo": `{"projects":[]}`}, exit: 1,
			stderr: "error: Project 'demo' does not exist.\n", asked: []string{"GET projects?name=demo", "GET projects"},
		},
		{
			name: "a project by nearly its name", args: "project dem",
			known: answers{"GET projects?name=dem": `{"projects":[]}`, "GET projects": `{"projects":[` + projectDemo + `]}`}, exit: 1,
			stderr: "error: Project 'dem' does not exist.\ndid you mean \"demo\"?\n", asked: []string{"GET projects?name=dem", "GET projects"},
		},
		{
			name: "a workflow like a file", args: "workflow demo main.dig", exit: 1,
			known: answers{
				"GET projects?name=demo": asProject["GET projects?name=demo"], "GET projects/1/workflows?name=main.dig": `{"workflows":[]}`,
				"GET projects/1/workflows": `{"workflows":[` + workflowMain + `]}`,
			},
			stderr: "error: Resource not found: workflow not found in the latest revision of project id = 1: main.dig\ndid you mean \"main\"?\n",
			asked:  []string{"GET projects?name=demo", "GET projects/1/workflows?name=main.dig", "GET projects/1/workflows"},
		},
		{
			name: "projects for programs", args: "projects --json --count 0", known: answers{"GET projects?count=0": `{"projects":[` + projectDemo + `]}`},
			stdout: `{"projects":[` + projectDemo + "]}\n", asked: []string{"GET projects?count=0"},
		},
		{
			name: "a bad id", args: "projects --last-id x", exit: 1,
			stderr: "Usage: trowel projects [name]\n...error: For input string: \"x\"\n--last-id takes an id, which is a number\n",
		},
		{
			name: "workflows", args: "workflows --order desc", known: answers{"GET workflows?count=100&order=desc": `{"workflows":[` + workflowMain + `]}`},
			stdout: "  demo\n    main\n\n", stderr: "Use `trowel workflows <project-name> <name>` to show details.\n",
			asked: []string{"GET workflows?count=100&order=desc"},
		},
		{
			name: "one workflow", args: "workflow demo main",
			known: answers{
				"GET projects?name=demo": asProject["GET projects?name=demo"], "GET projects/1/workflows?name=main": `{"workflows":[` + workflowMain + `]}`,
			},
			stdout: "+a:\n  echo>: \"a ${session_date}\"\n+b:\n  sh>: \"echo b\"\n\n",
			asked:  []string{"GET projects?name=demo", "GET projects/1/workflows?name=main"},
		},
		{
			name: "attempts", args: "attempts -s 5 -i 9", known: answers{"GET attempts?last_id=9&page_size=5": `{"attempts":[` + attemptDone + `]}`},
			stdout: "Session attempts:\n" + attempt, asked: []string{"GET attempts?last_id=9&page_size=5"},
		},
		{
			name: "no attempts", args: "attempts 3", known: answers{"GET sessions/3/attempts": `{"attempts":[]}`},
			stdout: "Session attempts:\n", stderr: "Use `trowel start` to start a session.\n", asked: []string{"GET sessions/3/attempts"},
		},
		{name: "attempt", args: "attempt 4", known: answers{"GET attempts/4": attemptDone}, stdout: attempt, asked: []string{"GET attempts/4"}},
		{name: "attempt for programs", args: "attempt 4 --json", known: answers{"GET attempts/4": attemptDone}, stdout: attemptDone + "\n", asked: []string{"GET attempts/4"}},
		{
			name: "sessions without a size", args: "sessions -s 1", known: answers{"GET sessions": `{"sessions":[` + session + `]}`},
			stdout: "Sessions:\n" + shownSession, asked: []string{"GET sessions"},
		},
		{name: "session", args: "sessions 3", known: answers{"GET sessions/3": session}, stdout: shownSession, asked: []string{"GET sessions/3"}},
		{
			name: "no tasks", args: "tasks 4", known: answers{"GET attempts/4": attemptDone, "GET attempts/4/tasks": `{"tasks":[]}`},
			stdout: "0 entries.\n", asked: []string{"GET attempts/4/tasks", "GET attempts/4"},
		},
		{
			name: "schedules", args: "schedules", known: answers{"GET schedules": `{"schedules":[` + scheduleMain + `]}`}, asked: []string{"GET schedules"},
			stdout: "Schedules:\n  id: 5\n  project: demo\n  workflow: main\n  disabled at: 2024-01-02 03:02:02 +0900 (2m 3s ago)\n" +
				"  next session time: 2024-01-02 00:00:00 +0900\n  next scheduled to run at: 2024-01-02 03:05:06 +0900 (in 1m 1s)\n\n1 entries.\n",
			stderr: "Use `trowel workflows [project-name] [name]` to show workflow details.\n",
		},
	})
}

// TestStart holds what start asks for and shows (server 1.10.7).
func TestStart(t *testing.T) {
	t.Parallel()
	known := func(cut, put string) answers {
		return answers{
			"GET projects?name=demo":                        `{"projects":[` + projectDemo + `]}`,
			"GET projects/1/workflows?name=main":            `{"workflows":[` + workflowMain + `]}`,
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
	runRemoteCases(t, commandLine(), []remoteCase{
		{name: "a day", args: "start demo main --session 2024-01-15", known: known(day, attemptDone), stdout: started, stderr: hints, asked: asked(day, plain)},
		{
			name: "a time and parameters", args: "start demo main --session 2024-01-15_01:02:03 -P p.yml -p x=2 --retry again",
			known: known("session_time=2024-01-15T01%3A02%3A03", attemptDone), stdout: started, stderr: hints,
			asked: asked("session_time=2024-01-15T01%3A02%3A03", `{"workflowId":"2","sessionTime":"2024-01-14T15:00:00Z","retryAttemptName":"again","resume":null,"params":{"x":"2","list":[1]}}`),
		},
		{
			name: "this hour", args: "start demo main --session hourly", known: known("mode=hour&session_time=2024-01-01T18%3A04%3A05.000Z", attemptDone),
			stdout: started, stderr: hints, asked: asked("mode=hour&session_time=2024-01-01T18%3A04%3A05.000Z", plain),
		},
		{
			name: "for programs", args: "start demo main --session 2024-01-15 --json", known: known(day, attemptDone), stdout: attemptDone + "\n", asked: asked(day, plain),
		},
		{
			name: "not at all", args: "start demo main --session 2024-01-15 -d", known: known(day, attemptDone), stderr: "Session attempt is not started.\n",
			stdout: "Session attempt:\n  session id: (dry run)\n  attempt id: (dry run)\n  uuid: (dry run)\n  project: demo\n  workflow: main\n" +
				"  session time: 2024-01-15 00:00:00 +0900\n  retry attempt name: \n  params: {}\n\n",
			asked: asked(day, plain)[:3],
		},
		{
			name: "again", args: "start demo main --session 2024-01-15", known: known(day, "409"+attemptDone), exit: 1, asked: asked(day, plain),
			stderr: "error: A session for the requested session_time already exists (session_id=3, attempt_id=4, session_time=2024-01-15T00:00Z)\n" +
				"hint: use `trowel retry 4 --latest-revision --all` command to run the session again for the same session_time\n",
		},
		{
			name: "a conflict of another kind", args: "start demo main --session 2024-01-15", known: known(day, `409{"message":"m","status":409}`), exit: 1, asked: asked(day, plain),
			stderr: "error: A session for the requested session_time already exists (session_time=2024-01-15T00:00+09:00)\n" +
				"hint: use `trowel retry <attempt-id> --latest-revision --all` command to run the session again for the same session_time\n",
		},
		{name: "no session", args: "start demo main", exit: 1, stderr: "Usage: trowel start <project-name> <name>\n...error: --session option is required\n"},
		{
			name: "a bad session", args: "start demo main --session last", exit: 1,
			stderr: "error: --session must be hourly, daily, now, \"yyyy-MM-dd\", or \"yyyy-MM-dd HH:mm:SS\" format: last\nthere is no such word\n" +
				"--session takes daily, hourly, now, \"yyyy-MM-dd\", \"yyyy-MM-dd HH:mm:ss\"\n",
		},
	})
}

// TestRetry holds what retry asks for (server 1.10.8).
func TestRetry(t *testing.T) {
	t.Parallel()
	known := answers{
		"GET attempts/4":                                  attemptDone,
		"GET projects/1/workflows?name=main":              `{"workflows":[` + strings.Replace(workflowMain, `"id":"2"`, `"id":"22"`, 1) + `]}`,
		"GET projects/1/workflows?name=main&revision=r+8": `{"workflows":[` + strings.Replace(workflowMain, `"id":"2"`, `"id":"8"`, 1) + `]}`,
		"PUT attempts":                                    attemptDone,
		"GET attempts/5":                                  strings.Replace(attemptDone, `"id":"2"`, `"id":null`, 1),
	}
	put := func(workflow, resume, params string) string {
		return `PUT attempts {"workflowId":"` + workflow + `","sessionTime":"2024-01-15T00:00:00Z","retryAttemptName":"n","resume":` + resume + `,"params":` + params + `}`
	}
	runRemoteCases(t, commandLine(), []remoteCase{
		{
			name: "all of the latest", args: "retry 4 --latest-revision --all --name n -p k=w -p m=1", known: known, anyText: true, stderr: "* Use `trowel session 3` to show session status.\n...",
			asked: []string{"GET attempts/4", "GET projects/1/workflows?name=main", put("22", "null", `{"k":"w","m":"1"}`)},
		},
		{
			name: "what failed", args: "retry 4 --keep-revision --resume --name n --json", known: known, stdout: attemptDone + "\n",
			asked: []string{"GET attempts/4", put("2", `{"mode":"failed","attemptId":"4"}`, `{"k":"<v>"}`)},
		},
		{
			name: "from a task", args: "retry 4 --revision r_8 --resume-from +c --name n --json", known: known, stdout: attemptDone + "\n",
			asked: []string{"GET attempts/4", "GET projects/1/workflows?name=main&revision=r+8", put("8", `{"mode":"from","attemptId":"4","from":"+c"}`, `{"k":"<v>"}`)},
		},
		{
			name: "a workflow that is not stored", args: "retry 5 --keep-revision --all", known: known, exit: 1, asked: []string{"GET attempts/5"},
			stderr: "Usage: trowel retry <attempt-id>\n...error: Session attempt 4 is non-stored workflow. Retrying a non-stored workflow is not supported.\n",
		},
	})
}

// TestSchedules holds what the commands for schedules ask for (server 1.10.15 to 1.10.17).
func TestSchedules(t *testing.T) {
	t.Parallel()
	byName := answers{
		"GET projects?name=demo":                 `{"projects":[` + projectDemo + `]}`,
		"GET projects/1/schedules?workflow=main": `{"schedules":[` + scheduleMain + `]}`,
		"GET projects/1/schedules":               `{"schedules":[` + scheduleMain + `,` + strings.Replace(scheduleMain, `"5"`, `"6"`, 1) + `]}`,
		"GET projects/1/schedules?last_id=6":     `{"schedules":[]}`,
		"POST schedules/5/disable":               summaryMain,
		"POST schedules/6/disable":               strings.Replace(summaryMain, `"5"`, `"6"`, 1),
		"POST schedules/5/enable":                summaryMain,
		"POST schedules/5/skip":                  summaryMain,
		"GET schedules/5":                        scheduleMain,
		"GET workflows/2/truncated_session_time?session_time=2024-01-15T10%3A00": `{"project":{"id":"1","name":"demo"},"revision":"r1","sessionTime":"2024-01-15T10:00:00+09:00","timezone":"Asia/Tokyo"}`,
		"POST schedules/5/backfill": `{"id":"5","project":{"id":"1","name":"demo"},"workflow":{"id":"2","name":"main"},"attempts":[` + attemptDone + `]}`,
	}
	skipped := "  id: 5\n  workflow: main\n  disabled at: \n  next session time: 2024-01-02 00:00:00 +0900\n  next scheduled to run at: 2024-01-03 03:05:06 +0900 (in 24h 1m 1s)\n\n"
	runRemoteCases(t, commandLine(), []remoteCase{
		{name: "disable one", args: "disable 5", known: byName, stdout: "Disabled schedule id: 5\n", asked: []string{"POST schedules/5/disable {}"}},
		{
			name: "disable all", args: "disable demo", known: byName, stdout: "Disabled schedule id: 5\nDisabled schedule id: 6\n",
			asked: []string{"GET projects?name=demo", "GET projects/1/schedules", "POST schedules/5/disable {}", "POST schedules/6/disable {}", "GET projects/1/schedules?last_id=6"},
		},
		{
			name: "enable by name", args: "enable demo main", known: byName, stdout: "Enabled schedule id: 5\n",
			asked: []string{"GET projects?name=demo", "GET projects/1/schedules?workflow=main", "POST schedules/5/enable {}"},
		},
		{
			name: "skip some", args: "reschedule 5 -s 3", known: byName, stdout: skipped, stderr: "Use `trowel schedules` to show schedules.\n",
			asked: []string{`POST schedules/5/skip {"count":3,"fromTime":"2024-01-01T18:04:05Z","nextTime":null,"nextRunTime":null,"dryRun":false}`},
		},
		{
			name: "skip to a time", args: "reschedule demo main -t 2024-02-01_00:00:00_+0900 -a 3913056000 -d", known: byName, stdout: skipped, stderr: "Schedule is not updated.\n",
			asked: []string{
				"GET projects?name=demo", "GET projects/1/schedules?workflow=main",
				`POST schedules/5/skip {"count":null,"fromTime":null,"nextTime":"2024-01-31T15:00:00Z","nextRunTime":"2093-12-31T00:00:00Z","dryRun":true}`,
			},
		},
		{name: "skip both ways", args: "reschedule 5 -s 1 -t now", exit: 1, stderr: "error: -s and -t can't be set together\n"},
		{
			name: "skip to no time", args: "reschedule 5 -t soon", exit: 1,
			stderr: "error: -t, --skip-to option must be \"yyyy-MM-dd HH:mm:ss Z\" format or UNIX timestamp: soon\nhint: current local time is \"2024-01-02 03:04:05 +0900\"\n",
		},
		{
			name: "backfill", args: "backfill 5 -f 2024-01-15_10:00:00 --name n --count 1", known: byName, anyText: true,
			stderr: "Backfill session attempts started.\nUse `trowel sessions` to show the session attempts.\n",
			asked: []string{
				"GET schedules/5", "GET workflows/2/truncated_session_time?session_time=2024-01-15T10%3A00",
				`POST schedules/5/backfill {"fromTime":"2024-01-15T01:00:00Z","attemptName":"n","count":1,"dryRun":false}`,
			},
		},
	})
}

// TestDelete holds that delete asks first (server 1.10.18).
func TestDelete(t *testing.T) {
	t.Parallel()
	known := answers{"GET projects?name=demo": `{"projects":[` + projectDemo + `]}`, "DELETE projects/1": projectDemo}
	shown := "Project:\n  id: 1\n  name: demo\n  latest revision: r1\n  created at: 2024-01-01 09:00:00 +0900\n  last updated at: 2024-01-02 03:00:00 +0900\n"
	question := "Are you sure you want to delete this project? [y/N]: "
	find := []string{"GET projects?name=demo"}
	both := []string{"GET projects?name=demo", "DELETE projects/1"}
	runRemoteCases(t, commandLine(), []remoteCase{
		{name: "yes", args: "delete demo", known: known, stdin: " YES \n", stdout: shown, stderr: question + "Project 'demo' is deleted.\n", asked: both},
		{name: "no", args: "delete demo", known: known, stdin: "maybe\n", exit: 1, stdout: shown, stderr: question + "error: canceled.\n", asked: find},
		{
			name: "nobody there", args: "delete demo", known: known, exit: 1, stdout: shown, asked: find,
			stderr: question + "\nerror: read the answer from standard input: EOF; --force does without it\n",
		},
		{name: "not asked", args: "delete demo --force", known: known, stdout: shown, stderr: "Project 'demo' is deleted.\n", asked: both},
	})
}

// TestProjectSecrets holds what secrets --project asks for (server 1.10.19).
func TestProjectSecrets(t *testing.T) {
	t.Parallel()
	known := answers{
		"GET projects?name=demo":      `{"projects":[` + projectDemo + `]}`,
		"GET projects/1/secrets":      `{"secrets":[{"key":"b.c"},{"key":"a"}]}`,
		"PUT projects/1/secrets/a":    `{"key":"a","project":{"id":"1","name":"demo"}}`,
		"PUT projects/1/secrets/b.c":  `400{"message":"Invalid secret","status":400}`,
		"DELETE projects/1/secrets/a": `{"key":"a","project":{"id":"1","name":"demo"}}`,
	}
	runRemoteCases(t, commandLine(), []remoteCase{
		{name: "list", args: "secrets --project demo", known: known, stdout: "a\nb.c\n", asked: []string{"GET projects?name=demo", "GET projects/1/secrets"}},
		{
			name: "set until one is refused", args: "secrets --project demo --set a=1 b.c=2 d=3", known: known, exit: 1,
			stderr: "Secret 'a' set\nerror: Failed to set project secret: Bad Request\nthe server says: Invalid secret\n",
			asked:  []string{"GET projects?name=demo", `PUT projects/1/secrets/a {"value":"1"}`, `PUT projects/1/secrets/b.c {"value":"2"}`},
		},
		{
			name: "delete", args: "secrets --project demo --delete a", known: known, stderr: "Secret 'a' deleted\n",
			asked: []string{"GET projects?name=demo", "DELETE projects/1/secrets/a"},
		},
		{name: "checked before anything is sent", args: "secrets --project demo --set a=1 a=2", exit: 1, stderr: "Usage: trowel secrets [--local] [--project <project>] [--set <key>=<value>] [--delete key]\n...error: Duplicate --set secret key: 'a'\n"},
	})
}

// A path behind the endpoint is ignored, which people on a terminal are told.
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
		env, _, stderr := console.env("version", "-e", tc.endpoint)
		env.Terminals.Stderr = tc.isTerminal
		console.exec(env)
		_, rest, _ := strings.Cut(stderr.String(), "warning: the path ")
		if got, _, _ := strings.Cut(rest, " of the endpoint is ignored"); got != tc.want {
			t.Errorf("%s, terminal %v: the path %q is said to be ignored, want %q: %s", tc.endpoint, tc.isTerminal, got, tc.want, stderr)
		}
	}
}
