package cli

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/clitest"
)

const (
	whyChain = `"chain":[{"attempt":"4","task":{"id":"9","name":"+m+last"},"state":"blocked","reason":{"code":"upstream","text":"waits for +m+load (ready)","since":null}},` +
		`{"attempt":"4","task":{"id":"2","name":"+m+load"},"state":"ready","reason":{"code":"pool","text":"waits for a slot of pool ` + "`db`" + `","since":null,"pool":"db"}}]`
	whyTask = `{"code":"upstream","text":"waits for +m+load (ready)","since":"2024-01-01T00:00:00.500Z","attempt":"4","task":{"id":"9","name":"+m+last"},"place":"m.dig:4:1","state":"blocked",` +
		`"blockers":[],"next":{"at":null,"estimateAt":null},"reasons":[{"code":"upstream","text":"waits for +m+load (ready)","since":"2024-01-01T00:00:00.500Z","count":1}],` +
		whyChain + `,"offers":[{"action":"set_pool","label":"trowel pools set db 5","allowed":true},{"action":"kill_attempt","label":"trowel kill 3","allowed":false}]`
	whyShown = "+m+last: blocked\n  at m.dig:4:1\n  upstream: waits for +m+load (ready)  (since 2024-01-01 09:00:00 +0900)\n\n" +
		"What is behind it:\n  +m+load waits for a slot of pool `db`\n\n" +
		"What can be done:\n  trowel pools set db 5 -e SERVER\n  trowel kill 3 -e SERVER   (you are not allowed to)\n"
	whyRunning = `{"code":null,"text":"runs since now","since":null,"attempt":"4","task":{"id":"2","name":"+m+load"},"state":"running","blockers":[],` +
		`"next":{"at":null,"estimateAt":null},"reasons":[],"chain":[],"offers":[]}`
)

// TestWhyCommand checks what trowel why asks for and shows (control K818).
func TestWhyCommand(t *testing.T) {
	t.Parallel()
	byCode := `,"byCode":[{"code":"pool","arg":"db","count":12,"sample":{"id":"2","name":"+m+load"}},{"code":"children","arg":"","count":1,"sample":{"id":"1","name":"+m"}}]}`
	clitest.RunCases(t, commandLine(), []clitest.Case{
		{
			Name: "a task by its name", Args: "why 4 +last", Known: clitest.Answers{"GET attempts/4/why?task=%2Blast": whyTask + `,"byCode":[]}`},
			Stdout: whyShown, Asked: []string{"GET attempts/4/why?task=%2Blast"},
		},
		{
			Name: "a task by its id", Args: "why 4 9", Known: clitest.Answers{"GET attempts/4/tasks/9/why": whyTask + "}"},
			Stdout: whyShown, Asked: []string{"GET attempts/4/tasks/9/why"},
		},
		{
			Name: "for programs", Args: "why 4 9 --json", Known: clitest.Answers{"GET attempts/4/tasks/9/why": whyTask + "}"},
			Stdout: whyTask + "}\n", Asked: []string{"GET attempts/4/tasks/9/why"},
		},
		{
			Name: "an attempt", Args: "why 4", Known: clitest.Answers{"GET attempts/4/why": whyTask + byCode},
			Stdout: whyShown + "\nTasks that wait, by their first reason:\n      12  pool               db: +m+load and 11 more\n       1  children           +m\n",
			Asked:  []string{"GET attempts/4/why"},
		},
		{
			Name: "what a failed task wrote", Args: "why 4 9",
			Known: clitest.Answers{
				"GET attempts/4/tasks/9/why": strings.Replace(whyTask, `"state":"ready"`, `"state":"error"`, 1) + "}",
				"GET attempts/4/tasks/2":     `{"id":"2","tries":[{"try":1,"lastLines":["no \u001b[2Jroom"]}]}`,
			},
			Stdout: strings.Replace(whyShown, "pool `db`\n", "pool `db`\n    | no ^[[2Jroom\n", 1),
			Asked:  []string{"GET attempts/4/tasks/9/why", "GET attempts/4/tasks/2"},
		},
		{
			Name: "a task that runs", Args: "why 4 2", Known: clitest.Answers{"GET attempts/4/tasks/2/why": whyRunning},
			Stdout: "+m+load: running\n  runs since now\n", Asked: []string{"GET attempts/4/tasks/2/why"},
		},
		{
			Name: "a bad id", Args: "why x", Exit: 1,
			Stderr: "Usage: trowel why <attempt-id>                              why it does not run or end, what its tasks wait for\n...error: For input string: \"x\"\nan id is a number\n",
		},
	})
}

// TestTasksWithReasons checks that waiting tasks have one more line while the attempt goes on.
func TestTasksWithReasons(t *testing.T) {
	t.Parallel()
	task := func(id, name, state string) string {
		return `{"id":"` + id + `","fullName":"` + name + `","parentId":null,"config":{},"upstreams":[],"isGroup":false,"state":"` + state + `","cancelRequested":false,` +
			`"exportParams":{},"storeParams":{},"stateParams":{},"updatedAt":"2024-01-01T00:00:00Z","retryAt":null,"startedAt":null,"error":{}}`
	}
	shown := func(id, name, state string) string {
		return "   id: " + id + "\n   name: " + name + "\n   state: " + state + "\n   started: \n   updated: 2024-01-01 09:00:00 +0900\n" +
			"   config: {}\n   parent: null\n   upstreams: []\n   export params: {}\n   store params: {}\n   state params: {}\n"
	}
	reasons := `{"items":[{"task":{"id":"1","name":"+m"},"stateDetail":"planned","reason":{"code":"children","text":"waits for the tasks in it","since":null}}],"next":`
	clitest.RunCases(t, commandLine(), []clitest.Case{
		{
			Name: "an attempt that goes on", Args: "tasks 4",
			Known: clitest.Answers{
				"GET attempts/4/tasks":             `{"tasks":[` + task("1", "+m", "planned") + "," + task("2", "+m+a", "running") + `]}`,
				"GET attempts/4/reasons?limit=500": reasons + `null}`,
			},
			Stdout: shown("1", "+m", "planned") + "   reason: waits for the tasks in it\n\n" + shown("2", "+m+a", "running") + "\n2 entries.\n",
			Asked:  []string{"GET attempts/4/tasks", "GET attempts/4/outside", "GET attempts/4/reasons?limit=500"},
		},
		{
			Name: "an attempt that has ended", Args: "tasks 4",
			Known:  clitest.Answers{"GET attempts/4/tasks": `{"tasks":[` + task("1", "+m", "error") + "," + task("2", "+m+a", "blocked") + `]}`},
			Stdout: shown("1", "+m", "error") + "\n" + shown("2", "+m+a", "blocked") + "\n2 entries.\n", Asked: []string{"GET attempts/4/tasks", "GET attempts/4/outside"},
		},
		{
			Name: "a server that does not know", Args: "tasks 4",
			Known:  clitest.Answers{"GET attempts/4/tasks": `{"tasks":[` + task("1", "+m", "blocked") + `]}`},
			Stdout: shown("1", "+m", "blocked") + "\n1 entries.\n", Asked: []string{"GET attempts/4/tasks", "GET attempts/4/outside", "GET attempts/4/reasons?limit=500"},
		},
	})
}
