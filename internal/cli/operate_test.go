package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

const (
	poolDB = `{"id":"2","name":"db","project":null,"slots":4,"used":3,"open":1,"waiting":2,"deferred":0,"includeDeferred":false,"oldestWaitMs":65000,` +
		`"description":"warehouse","updatedAt":"2024-01-01T00:00:00.000Z","updatedBy":"me","expect":"2-x","can":[]}`
	poolOpen = `{"id":"1","name":"default","project":{"id":"1","name":"demo"},"slots":-1,"used":0,"open":null,"waiting":0,"deferred":0,"includeDeferred":true,` +
		`"oldestWaitMs":null,"description":"","updatedAt":"","updatedBy":"trowel","expect":"1-x","can":[]}`
	poolMade = `{"pool":` + poolDB + `,"action":"create","dryRun":false,"expect":"none","startable":1,"notes":["there is room for 1 waiting task"]}`
	poolTask = `{"id":"9","fullName":"+main+a","attemptId":"4","project":{"id":"1","name":"demo"},"workflow":"main","state":"ready","slots":2,"weight":1,"queue":"default",` +
		`"readyAt":"2024-01-01T00:00:00.000Z","startedAt":null,"agent":null,"position":1}`
	agentBox = `{"id":"a1","name":"box","host":"h","version":"0.1","queues":["default","gpu"],"labels":["eu"],"limits":{"names":["memory","disk"],"container":[],"max":{"memory":1073741824}},"slots":4,"used":1,"remote":true,"server":"s",` +
		`"startedAt":"2024-01-01T00:00:00.000Z","heartbeatAt":"2024-01-01T00:00:01.000Z","leaseEndsAt":"2024-01-01T00:00:31.000Z","drainedAt":null,"state":"live","restReason":null,"can":[]}`
	workflowPaused = `{"project":{"id":"1","name":"demo"},"workflow":"main","paused":{"at":"2024-01-01T00:00:00.000Z","by":"me","note":"n"},"running":2,"waiting":0}`
	auditEntry     = `{"id":"r1","at":"2024-01-01T00:00:00.123Z","actor":{"kind":"user","name":"ann"},"action":"pool.create","text":"ann made the pool db: slots 4",` +
		`"object":{"kind":"pool","id":"2","path":"db"},"note":"more","source":"rest","causeId":null}`
)

// moveBy returns an entry of the audit: an agent takes a task.
func moveBy(agent string) string {
	return `{"id":"m1.0","at":"2024-01-01T00:00:01Z","actor":{"kind":"agent","name":"` + agent + `"},"action":"task.claim",` +
		`"text":"+main+a: ready to running (claim)","object":{"kind":"task","id":"3","path":"+main+a"},"source":"engine","causeId":null}`
}

// Output of the commands about pools, queues, agents, pauses and the audit.
func TestOperating(t *testing.T) {
	t.Parallel()
	const agents = "GET agents?limit=500"
	shownPool := "  name: db\n  project: \n  slots: 4\n  used: 3\n  open: 1\n  waiting: 2 (the oldest for 1m 5s)\n  include deferred: false\n  description: warehouse\n\n"
	shownAgent := "  id: a1\n  name: box\n  state: live\n  host: h\n  version: 0.1\n  remote: true\n  queues: default, gpu\n  labels: eu\n  slots: 4\n  used: 1\n  limits: memory up to 1GiB, disk\n" +
		"  last heartbeat: 2024-01-01 09:00:01 +0900\n  lease ends: 2024-01-01 09:00:31 +0900\n  drained at: \n\n"
	box := `{"items":[` + agentBox + `],"next":null}`
	clitest.RunCases(t, commandLine(), []clitest.Case{
		{
			Name: "pools", Args: "pools", Asked: []string{"GET pools?limit=500"},
			Known: clitest.Answers{"GET pools?limit=500": `{"items":[` + poolDB + `,` + poolOpen + `],"next":null,"missing":[{"name":"gone","projectId":"1","waiting":1,"oldestWaitMs":1000},` +
				`{"name":"x; reboot","projectId":"1","waiting":2,"oldestWaitMs":1000}]}`},
			Stdout: "Pools:\n" + shownPool + "  name: default\n  project: demo\n  slots: unlimited\n  used: 0\n  open: unlimited\n  waiting: 0\n  include deferred: true\n  description: \n\n2 entries.\n",
			Stderr: "1 task waits for the pool 'gone', which does not exist (the oldest for 1s). Use `trowel pools set gone SLOTS -e SERVER` to make it.\n" +
				"2 tasks wait for the pool 'x; reboot', which does not exist (the oldest for 1s). Use `trowel pools set 'x; reboot' SLOTS -e SERVER` to make it.\n",
		},
		{
			Name: "pool", Args: "pool show db", Asked: []string{"GET pools/db", "GET pools/db/tasks?use=holding", "GET pools/db/tasks?use=waiting", "GET pools/db/history"},
			Known: clitest.Answers{
				"GET pools/db/history": `{"stepMs":300000,"items":[{"at":"2024-01-01T00:00:00.000Z","samples":30,"slots":4,"used":1.5,"mostUsed":4,"waiting":0,"mostWaiting":0},` +
					`{"at":"2024-01-01T00:05:00.000Z","samples":30,"slots":4,"used":2,"mostUsed":3,"waiting":0.1,"mostWaiting":1}]}`,
				"GET pools/db": poolDB, "GET pools/db/tasks?use=holding": `{"items":[],"next":null}`,
				"GET pools/db/tasks?use=waiting": `{"items":[` + poolTask + `],"next":"x"}`,
			},
			Stdout: shownPool + "Last 24 hours: at most 4 slots used, at most 2 tasks waited.\n\n" + "Tasks that hold slots:\n0 entries.\n\nTasks that wait, in the order of their claims:\n" +
				"  attempt 4  demo/main  +main+a  slots: 2  weight: 1  since: 2024-01-01 09:00:00 +0900\n1 entries. There are more.\n\n",
		},
		{
			Name: "pool is made", Args: "pools set db 4 --description warehouse -m why", Known: clitest.Answers{"PUT pools/db": poolMade},
			Asked:  []string{`PUT pools/db {"slots":4,"description":"warehouse","includeDeferred":null,"note":"why","dryRun":false,"expect":""}`},
			Stdout: "Pool 'db' (4 slots) is made.\n  there is room for 1 waiting task\n",
		},
		{
			Name: "pool of a project, dry run", Args: "pools set db unlimited --project demo -d --include-deferred",
			Known:  clitest.Answers{"PUT pools/db?project=demo": strings.Replace(poolMade, `"dryRun":false`, `"dryRun":true`, 1)},
			Asked:  []string{`PUT pools/db?project=demo {"slots":-1,"description":null,"includeDeferred":true,"note":"","dryRun":true,"expect":""}`},
			Stdout: "Pool 'db' (4 slots) is to be made; nothing is changed in a dry run.\n  there is room for 1 waiting task\n",
		},
		{
			Name: "built in", Args: "pools delete default", Exit: 1, Asked: []string{"DELETE pools/default"},
			Known:  clitest.Answers{"DELETE pools/default": `409{"message":"the pool \"default\" cannot be deleted","status":409,"code":"built_in","hint":"give it -1 slots"}`},
			Stderr: "error: the pool \"default\" cannot be deleted\nfix: give it -1 slots\n",
		},
		{
			Name: "queues", Args: "queues", Asked: []string{"GET queues"},
			Known: clitest.Answers{"GET queues": `{"items":[{"name":"gpu","ready":1,"running":2,"agents":0,"slots":0,"oldestReadyMs":1000},` +
				`{"name":"huge","ready":0,"running":0,"agents":1,"slots":null,"oldestReadyMs":null,"p50Ms":1.834,"p99Ms":61000,"ratePerMin":60000.5}],"next":null}`},
			Stdout: "Queues:\n  name: gpu\n  ready: 1 (the oldest for 1s)\n  running: 2\n  agents: 0\n  slots: 0\n\n" +
				"  name: huge\n  ready: 0\n  running: 0\n  agents: 1\n  slots: unlimited\n" +
				"  hand-off: half within 1.83 ms, 99 % within 1m 1s; 60000 tasks a minute\n\n2 entries.\n",
		},
		{
			Name: "failures", Args: "failures demo main", Asked: []string{"GET failures?project=demo&workflow=main"},
			Known: clitest.Answers{"GET failures?project=demo&workflow=main": `{"items":[{"cause":"00000000000000aa","kind":"runtime","message":"no host (runtime)","operator":"sh","count":4,` +
				`"first":"2024-01-01T00:00:00.000Z","last":"2024-01-01T01:00:00.000Z","isNew":true,"recovered":true,"sample":{"attemptId":"4","taskId":"9","taskName":"+main+a",` +
				`"project":{"id":"1","name":"demo"},"workflow":"main","sessionTime":"2024-01-01T09:00:00+09:00","logTail":["0","1","2","3"]},"attempts":["4"],"attemptCount":1}],"next":"x"}`},
			Stdout: "sh>: no host (runtime) (new, recovered)\n  4 tasks of 1 attempt, from 2024-01-01 09:00:00 +0900 to 2024-01-01 10:00:00 +0900\n" +
				"  attempt 4  demo/main  +main+a\n    1\n    2\n    3\n\n1 cause. There are older ones.\n",
		},
		{
			Name: "search", Args: "search daily 2026-01-02 --kinds session", Asked: []string{"GET search?kinds=session&q=daily+2026-01-02"},
			Known: clitest.Answers{"GET search?kinds=session&q=daily+2026-01-02": `{"groups":[{"kind":"session","items":[{"id":"7","title":"daily 2026-01-02 00:00:00 +09:00",` +
				`"detail":"demo, success","path":"/sessions/7"}]}]}`},
			Stdout: "session: daily 2026-01-02 00:00:00 +09:00 (demo, success)\n1 thing found.\n",
		},
		{
			Name: "late", Args: "late", Asked: []string{"GET late"},
			Known: clitest.Answers{"GET late": `{"items":[{"kind":"running_long","project":{"id":"1","name":"demo"},"workflow":"main","sessionTime":"2024-01-01T09:00:00+09:00",` +
				`"expectedAt":"2024-01-01T00:00:00.000Z","marginMs":-90000,"attemptId":"4","scheduleId":null,"reason":"it runs long"}],"next":null}`},
			Stdout: "1m 30s late  demo/main  session 2024-01-01T09:00:00+09:00  attempt 4: it runs long\n1 thing is late.\n",
		},
		{Name: "agents", Args: "agents", Known: clitest.Answers{agents: box}, Asked: []string{agents}, Stdout: "Agents:\n" + shownAgent + "1 entries.\n"},
		{Name: "agents as JSON", Args: "agents list --json", Known: clitest.Answers{agents: box}, Asked: []string{agents}, Stdout: box + "\n"},
		{
			Name: "agent by name", Args: "agents show box", Asked: []string{agents, "GET agents/a1/tasks"},
			Known: clitest.Answers{agents: box, "GET agents/a1/tasks": `{"items":[{"id":"9","fullName":"+m+a","attemptId":"4","project":{"id":"1","name":"demo"},` +
				`"workflow":"m","try":2,"startedAt":"2024-01-01T00:00:00.000Z"}],"next":null}`},
			Stdout: shownAgent + "Running tasks:\n  attempt 4  demo/m  +m+a  try: 2  since: 2024-01-01 09:00:00 +0900\n1 entries.\n",
		},
		{
			Name: "drain", Args: "agents drain a1 -m upgrade", Known: clitest.Answers{agents: box, "POST agents/a1/drain": agentBox},
			Asked: []string{agents, `POST agents/a1/drain {"note":"upgrade"}`}, Stdout: "Agent 'box' takes nothing new. It runs 1 task.\n",
		},
		{
			Name: "no such agent", Args: "agents drain tux", Exit: 1, Known: clitest.Answers{agents: box}, Asked: []string{agents},
			Stderr: "error: there is no agent with the id or name \"tux\"\n",
		},
		{
			Name: "pause", Args: "pause demo main -m n", Stdout: "Paused workflow: demo/main\n2 running attempts go on.\n",
			Known: clitest.Answers{"GET projects?name=demo": `{"projects":[` + clitest.ProjectDemo + `]}`, "POST projects/1/workflows/main/pause": workflowPaused},
			Asked: []string{"GET projects?name=demo", `POST projects/1/workflows/main/pause {"note":"n"}`},
		},
		{
			Name: "unpause", Args: "unpause demo main", Stdout: "Resumed workflow: demo/main\n",
			Known: clitest.Answers{"GET projects?name=demo": `{"projects":[` + clitest.ProjectDemo + `]}`, "POST projects/1/workflows/main/resume": workflowPaused},
			Asked: []string{"GET projects?name=demo", `POST projects/1/workflows/main/resume {"note":""}`},
		},
		{
			Name: "audit", Args: "audit --actor ann --from 1704067200 --count 1", Asked: []string{"GET audit?actor=ann&from=2024-01-01T00%3A00%3A00Z&limit=1"},
			Known:  clitest.Answers{"GET audit?actor=ann&from=2024-01-01T00%3A00%3A00Z&limit=1": `{"items":[` + auditEntry + `],"next":"x"}`},
			Stdout: "2024-01-01 09:00:00.123 +0900  ann           made the pool db: slots 4  # more\n1 entries.\n",
			Stderr: "There are older entries. Use --count to see more of them.\n",
		},
		{
			Name: "history", Args: "history 4 +main+a",
			Asked: []string{"GET audit?attempt=4&limit=500&order=asc&task=%2Bmain%2Ba", agents, "GET audit?attempt=4&cursor=x&limit=500&order=asc&task=%2Bmain%2Ba"},
			Known: clitest.Answers{
				agents: box,
				"GET audit?attempt=4&limit=500&order=asc&task=%2Bmain%2Ba":          `{"items":[` + auditEntry + "," + moveBy("a1") + "," + moveBy("b2ff00ff-0001") + `],"next":"x"}`,
				"GET audit?attempt=4&cursor=x&limit=500&order=asc&task=%2Bmain%2Ba": `{"items":[],"next":null}`,
			},
			Stdout: "2024-01-01 09:00:00.123 +0900  ann           made the pool db: slots 4  # more\n" +
				"2024-01-01 09:00:01.000 +0900  box           +main+a: ready to running (claim)\n" +
				"2024-01-01 09:00:01.000 +0900  agent b2ff00ff  +main+a: ready to running (claim)\n3 entries.\n",
		},
	})
}

// Invalid command lines are refused before any request.
func TestOperatingArguments(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ args, want string }{
		{"pools lst", "error: Invalid command\ndid you mean \"list\"?\n"},
		{"pools list x", "error: pools list takes no argument\n"},
		{"pools show", "error: pools show needs the name of a pool\n"},
		{"pools set", "error: pools set needs the name of a pool and a number of slots\n"},
		{"pools set db", "error: pools set needs a number of slots, or an option that changes something\n"},
		{"pools set db many", "error: the number of slots must be 0 or more, or unlimited, not \"many\"\nwith 0 slots nothing starts that names the pool\n"},
		{"pools set default many", "\nwith 0 slots nothing starts that names no pool\n"},
		{"pools set default many --project p", "\nwith 0 slots nothing starts that names the pool\n"},
		{"pools set db 1 --include-deferred --no-include-deferred", "don't work together\n"},
		{"pools delete db --description x", "error: --description is an option of pools set\n"},
		{"agents drain", "error: agents drain needs the id or name of an agent\n"},
		{"agents show x -m y", "error: --note is an option of agents drain and undrain\n"},
		{"history x", "error: For input string: \"x\"\n"},
		{"audit --count 0", "error: --count must be 1 or more\n"},
		{"audit --from yesterday", "error: --from option must be"},
	} {
		wantRefused(t, row.args, row.want)
	}
}

// The commands work on a server: a pause holds back attempts, a pool holds back tasks, and the history and the audit
// have all of it.
func TestOperatingServer(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "pool.narrow.slots", "2", "pool.narrow.description", "from the settings")
	c := newConsole(t)
	run := func(exit int, args ...string) string {
		t.Helper()
		got := c.Run(append(args, "-e", s.URL)...)
		if got.Exit != exit {
			t.Fatalf("%q = %d, %q, %q, want %d", args, got.Exit, got.Stdout, got.Stderr, exit)
		}
		return got.Stdout + got.Stderr
	}
	c.Write("main.dig", "+a:\n  echo>: a\n  _pool: closed\n+b:\n  echo>: b\n  _pool: narrow\n")
	if pushed := run(0, "push", "other", "--project", c.Dir); !strings.Contains(pushed, "[pool-unknown]") || strings.Contains(pushed, "narrow") {
		t.Errorf("push of a project with unknown pools: %s", pushed)
	}
	s.Push("demo", "+a:\n  echo>: a\n  _pool: closed\n+b:\n  echo>: b\n")
	if pools := run(0, "pools"); !strings.Contains(pools, "name: narrow\n  project: \n  slots: 2\n") || !strings.Contains(pools, "description: from the settings") {
		t.Errorf("pools = %s", pools)
	}
	run(0, "pause", "demo", "main", "-m", "not today")
	run(1, "pause", "demo", "main")
	attempt := s.StartAttempt("2", "2026-01-01T00:00:00+00:00")
	if why := run(0, "why", attempt); !strings.Contains(why, "not today") {
		t.Errorf("why = %s", why)
	}
	why := run(0, "why", "demo", "main", "--session", "2026-01-02")
	const offer = "trowel start demo main --session '2026-01-02 00:00:00'"
	if !strings.Contains(why, "demo/main 2026-01-02 00:00:00 +0000\n  never_scheduled: main has no schedule\n") || !strings.Contains(why, offer) {
		t.Errorf("why there is no session = %s", why)
	}
	run(0, "start", "demo", "main", "--session", "2026-01-02 00:00:00", "--dry-run")
	if why := run(0, "why", "demo", "main", "--session", "2026-01-01"); !strings.Contains(why, "the session has an attempt: ") {
		t.Errorf("why of a session with an attempt = %s", why)
	}
	run(1, "why", "1", "--session", "2026-01-02")
	run(1, "why", "demo", "main", "--session", "yesterday")
	run(0, "unpause", "demo", "main")
	s.Eventually("a waiting task", func() bool { return strings.Contains(run(0, "pools"), "1 task waits for the pool 'closed'") })
	run(0, "pools", "set", "closed", "0")
	if shown := run(0, "pools", "show", "closed"); !strings.Contains(shown, "demo/main  +main+a  slots: 1") {
		t.Errorf("pool = %s", shown)
	}
	run(0, "pools", "set", "closed", "1")
	if status := s.Wait(attempt); status != "success" {
		t.Errorf("the attempt ended with %s", status)
	}
	history := run(0, "history", attempt)
	for _, want := range []string{`anonymous .*started attempt 1 of demo/main`, `\+main\+a: blocked to ready`, `\+main\+a: ready to running \(claim\)`, `the attempt: running to success \(end\)`} {
		if !regexp.MustCompile(want).MatchString(history) {
			t.Errorf("history lacks %s:\n%s", want, history)
		}
	}
	if one := run(0, "history", attempt, "+main+b"); strings.Contains(one, "+main+a") || !strings.Contains(one, "+main+b: running to success") {
		t.Errorf("history of a task = %s", one)
	}
	audit := run(0, "audit")
	for _, want := range []string{
		`made the pool narrow: slots 2`, `anonymous +pushed demo`, `anonymous +paused demo/main.*# not today`, `anonymous +resumed demo/main`,
		`changed the pool closed: slots 0 to 1`, `anonymous +started attempt 1 of demo/main`,
	} {
		if !regexp.MustCompile(want).MatchString(audit) {
			t.Errorf("audit lacks %s:\n%s", want, audit)
		}
	}
	id := regexp.MustCompile(`id: (\S+)\n.*\n  state: live\n`).FindStringSubmatch(run(0, "agents"))
	if id == nil {
		t.Fatal("no live agent")
	}
	run(0, "agents", "drain", id[1])
	kept := s.StartAttempt("2", "2026-01-02T00:00:00+00:00")
	s.Eventually("a task that waits for an agent", func() bool { return strings.Contains(run(0, "queues"), "ready: 1 (") })
	if shown := run(0, "agents", "show", id[1]); !strings.Contains(shown, "state: drained\n") {
		t.Errorf("agent = %s", shown)
	}
	run(0, "agents", "undrain", id[1])
	if status := s.Wait(kept); status != "success" {
		t.Errorf("the attempt ended with %s", status)
	}
	if queues := run(0, "queues"); !strings.Contains(queues, "name: default\n  ready: 0\n  running: 0\n  agents: 1\n  slots: unlimited\n") {
		t.Errorf("queues = %s", queues)
	}
}
