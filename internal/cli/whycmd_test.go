package cli

import (
	"strings"
	"testing"
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

// TestWhyCommand holds what trowel why asks for and shows (control K818).
func TestWhyCommand(t *testing.T) {
	t.Parallel()
	byCode := `,"byCode":[{"code":"pool","arg":"db","count":12,"sample":{"id":"2","name":"+m+load"}},{"code":"children","arg":"","count":1,"sample":{"id":"1","name":"+m"}}]}`
	runRemoteCases(t, commandLine(), []remoteCase{
		{
			name: "a task by its name", args: "why 4 +last", known: answers{"GET attempts/4/why?task=%2Blast": whyTask + `,"byCode":[]}`},
			stdout: whyShown, asked: []string{"GET attempts/4/why?task=%2Blast"},
		},
		{
			name: "a task by its id", args: "why 4 9", known: answers{"GET attempts/4/tasks/9/why": whyTask + "}"},
			stdout: whyShown, asked: []string{"GET attempts/4/tasks/9/why"},
		},
		{
			name: "for programs", args: "why 4 9 --json", known: answers{"GET attempts/4/tasks/9/why": whyTask + "}"},
			stdout: whyTask + "}\n", asked: []string{"GET attempts/4/tasks/9/why"},
		},
		{
			name: "an attempt", args: "why 4", known: answers{"GET attempts/4/why": whyTask + byCode},
			stdout: whyShown + "\nTasks that wait, by their first reason:\n      12  pool               db: +m+load and 11 more\n       1  children           +m\n",
			asked:  []string{"GET attempts/4/why"},
		},
		{
			name: "what a failed task wrote", args: "why 4 9",
			known: answers{
				"GET attempts/4/tasks/9/why": strings.Replace(whyTask, `"state":"ready"`, `"state":"error"`, 1) + "}",
				"GET attempts/4/tasks/2":     `{"id":"2","tries":[{"try":1,"lastLines":["no \u001b[2Jroom"]}]}`,
			},
			stdout: strings.Replace(whyShown, "pool `db`\n", "pool `db`\n    | no ^[[2Jroom\n", 1),
			asked:  []string{"GET attempts/4/tasks/9/why", "GET attempts/4/tasks/2"},
		},
		{
			name: "a task that runs", args: "why 4 2", known: answers{"GET attempts/4/tasks/2/why": whyRunning},
			stdout: "+m+load: running\n  runs since now\n", asked: []string{"GET attempts/4/tasks/2/why"},
		},
		{
			name: "a bad id", args: "why x", exit: 1,
			stderr: "Usage: trowel why <attempt-id>           why it does not run or end, what its tasks wait for\n...error: For input string: \"x\"\nan id is a number\n",
		},
	})
}

// TestTasksWithReasons holds that tasks that wait have a further line while the attempt goes on.
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
	runRemoteCases(t, commandLine(), []remoteCase{
		{
			name: "an attempt that goes on", args: "tasks 4",
			known: answers{
				"GET attempts/4/tasks":             `{"tasks":[` + task("1", "+m", "planned") + "," + task("2", "+m+a", "running") + `]}`,
				"GET attempts/4/reasons?limit=500": reasons + `null}`,
			},
			stdout: shown("1", "+m", "planned") + "   reason: waits for the tasks in it\n\n" + shown("2", "+m+a", "running") + "\n2 entries.\n",
			asked:  []string{"GET attempts/4/tasks", "GET attempts/4/reasons?limit=500"},
		},
		{
			name: "an attempt that has ended", args: "tasks 4",
			known:  answers{"GET attempts/4/tasks": `{"tasks":[` + task("1", "+m", "error") + "," + task("2", "+m+a", "blocked") + `]}`},
			stdout: shown("1", "+m", "error") + "\n" + shown("2", "+m+a", "blocked") + "\n2 entries.\n", asked: []string{"GET attempts/4/tasks"},
		},
		{
			name: "a server that does not know", args: "tasks 4",
			known:  answers{"GET attempts/4/tasks": `{"tasks":[` + task("1", "+m", "blocked") + `]}`},
			stdout: shown("1", "+m", "blocked") + "\n1 entries.\n", asked: []string{"GET attempts/4/tasks", "GET attempts/4/reasons?limit=500"},
		},
	})
}
