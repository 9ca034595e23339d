package verify

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
)

// entry makes an entry from "attempt task try from to cause actor". "-" means nothing.
func entry(t *testing.T, text string) trowel.AuditEntry {
	t.Helper()
	words := strings.Fields(text)
	if len(words) != 7 {
		t.Fatalf("%q: want 7 words", text)
	}
	number := func(s string) int64 { return int64(strings.Index("0123456789", s)) }
	for i, w := range words {
		if w == "-" {
			words[i] = ""
		}
	}
	return trowel.AuditEntry{
		AttemptID: trowel.AttemptID(number(words[0])), TaskID: trowel.TaskID(number(words[1])), Try: int(number(words[2])),
		From: words[3], To: words[4], Cause: words[5], Actor: words[6],
	}
}

// twoAttempts returns a correct history. Attempt 1 has +a, which runs twice, and then +b. Attempt 2
// waits until attempt 1 has ended. Its +a runs again after its first agent was lost, and fails, so that its +b is
// not reached.
func twoAttempts(t *testing.T) *History {
	t.Helper()
	h := &History{Attempts: map[trowel.AttemptID]*Attempt{}}
	for id := trowel.AttemptID(1); id <= 2; id++ {
		a := &Attempt{ID: id, ProjectID: 1, Workflow: "w", Archived: true, Flags: trowel.AttemptDone}
		first := trowel.TaskID(3*id - 2)
		a.Tasks = []*trowel.Task{
			{ID: first, FullName: "+w", Group: true, State: trowel.TaskGroupError},
			{ID: first + 1, ParentID: first, FullName: "+w+a", State: trowel.TaskError, Try: 2},
			{ID: first + 2, ParentID: first, FullName: "+w+b", Upstreams: []trowel.TaskID{first + 1}},
		}
		h.Attempts[id] = a
	}
	one := h.Attempts[1]
	one.Flags |= trowel.AttemptSuccess
	for _, task := range one.Tasks {
		task.State = trowel.TaskSuccess
	}
	one.Tasks[2].Try = 1
	one.Tries = []trowel.Try{
		{TaskID: 2, Number: 1, FullName: "+w+a", AgentID: "x", Exit: trowel.ExitRetry},
		{TaskID: 2, Number: 2, FullName: "+w+a", AgentID: "x", Exit: trowel.ExitSuccess},
		{TaskID: 3, Number: 1, FullName: "+w+b", AgentID: "x", Exit: trowel.ExitSuccess},
	}
	h.Attempts[2].Tries = []trowel.Try{
		{TaskID: 5, Number: 1, FullName: "+w+a", AgentID: "x", Exit: trowel.ExitLost},
		{TaskID: 5, Number: 2, FullName: "+w+a", AgentID: "y", Exit: trowel.ExitError},
	}
	for i, lines := range [][]string{
		{"1 0 0 - running start me", "1 2 0 blocked ready unblock engine", "1 2 1 ready running claim x"},
		{"2 0 0 - running start me"},
		{"1 2 1 running retry_waiting retry x"},
		{"1 2 1 retry_waiting ready due engine", "1 2 2 ready running claim x"},
		{"1 2 2 running success success x", "1 3 0 blocked ready unblock engine", "1 3 1 ready running claim x"},
		{"1 3 1 running success success x", "1 1 0 planned success success engine", "1 0 0 running success end engine"},
		{"2 4 0 blocked planned unblock engine", "2 5 0 blocked ready unblock engine", "2 5 1 ready running claim x"},
		{"2 5 1 running ready release engine"},
		{"2 5 2 ready running claim y"},
		{"2 5 2 running error error y", "2 4 0 planned group_error group_error engine", "2 0 0 running error end engine"},
	} {
		c := Commit{At: time.Unix(int64(i), 0).UTC()}
		for _, line := range lines {
			c.Entries = append(c.Entries, entry(t, line))
		}
		h.Commits = append(h.Commits, c)
	}
	return h
}

// everything limits running tasks by name, begun tasks by name, and attempts.
func everything(limit int) []Bound {
	by := func(_ *Attempt, t *trowel.Task, _ string) (string, int) {
		return t.FullName[strings.LastIndexByte(t.FullName, '+'):], 1
	}
	return []Bound{
		{Name: "running", Max: limit, Term: WhileRunning, Takes: by},
		{Name: "begun", Max: limit, Term: UntilDone, Takes: by},
		{Name: "active", Max: limit, Term: WhileActive, Takes: func(a *Attempt, _ *trowel.Task, _ string) (string, int) { return a.Workflow, 1 }},
	}
}

func TestNothingIsWrong(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string(nil), Judge(twoAttempts(t), everything(1))); diff != "" {
		t.Error(diff)
	}
}

// triesOfOne returns a history of one task whose tries end as listed: "lost" with their agent, given "back", with a "poll",
// "failed", or lost and set "aside".
func triesOfOne(t *testing.T, ends string) *History {
	t.Helper()
	a := &Attempt{ID: 1, Tasks: []*trowel.Task{{ID: 2, FullName: "+w+a"}}}
	h := &History{Attempts: map[trowel.AttemptID]*Attempt{1: a}, Poison: 3}
	for i, end := range strings.Fields(ends) {
		exits := map[string]string{"poll": trowel.ExitPoll, "failed": trowel.ExitError, "lost": trowel.ExitLost, "back": trowel.ExitLost, "aside": trowel.ExitLost}
		moves := map[string]string{
			"poll": "retry_waiting retry x", "failed": "error error x", "lost": "ready release engine", "back": "ready release x", "aside": "error error engine",
		}
		number := string(rune('1' + i))
		h.Commits = append(h.Commits, Commit{Entries: []trowel.AuditEntry{
			entry(t, "1 2 "+number+" ready running claim x"), entry(t, "1 2 "+number+" running "+moves[end]),
		}})
		a.Tries = append(a.Tries, trowel.Try{TaskID: 2, Number: i + 1, AgentID: "x", Exit: exits[end]})
	}
	return h
}

// A task is set aside after a number of lost agents in a row: no sooner, no later, and not if an agent reported in
// between.
func TestPoison(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ ends, want string }{
		{"lost lost aside", ""},
		{"lost lost failed", ""},
		{"lost lost back lost lost aside", ""},
		{"lost lost poll lost lost aside", ""},
		{"lost aside", "attempt 1: +w+a is set aside after 2 lost agents in a row, of 3"},
		{"lost lost back aside", "attempt 1: +w+a is set aside after 1 lost agents in a row, of 3"},
		{"lost lost lost failed", "attempt 1: +w+a goes on after 3 lost agents in a row, of 3"},
	} {
		f := &findings{}
		f.poison(triesOfOne(t, row.ends))
		if got := strings.Join(f.list, "; "); got != row.want {
			t.Errorf("%s: %q, want %q", row.ends, got, row.want)
		}
	}
}

// A session of a backfill is accepted before it begins, and only before.
func TestBackfill(t *testing.T) {
	t.Parallel()
	h := twoAttempts(t)
	h.Commits[1].Entries = append(h.Commits[1].Entries, entry(t, "2 0 0 - running backfill me"))
	h.Commits[1].Entries[0].Cause = "backfill"
	if diff := cmp.Diff([]string(nil), Judge(h, nil)); diff != "" {
		t.Error(diff)
	}
	h.Commits[7].Entries = append(h.Commits[7].Entries, h.Commits[1].Entries[1])
	if diff := cmp.Diff([]string{"attempt 2 of w was started 2 times"}, Judge(h, nil)); diff != "" {
		t.Error(diff)
	}
}

func TestPlanted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		plant func(h *History)
		want  []string
	}{
		{"lost attempt", func(h *History) {
			h.Attempts[2].Flags = 0
			h.Commits[9].Entries = h.Commits[9].Entries[:2]
		}, []string{"attempt 2 of w has not ended"}},
		{"started twice", func(h *History) { h.again(1, 0) }, []string{"attempt 2 of w was started 2 times"}},
		{"ended twice", func(h *History) { h.again(9, 2) }, []string{"attempt 2 ends as error, and again as error"}},
		{"another end", func(h *History) { h.Attempts[1].Flags &^= trowel.AttemptSuccess }, []string{`attempt 1 of w is error, and the audit ends it as "success"`}},
		{"after the end", func(h *History) { h.Commits[9].Entries = append(h.Commits[9].Entries, h.take(3, 0)) }, []string{
			"attempt 1: +w+a goes to ready by due after the end of the attempt",
			"attempt 1: +w+a was retry_waiting, and goes from ready to running", "attempt 1: +w+a leaves success for ready",
			`attempt 1: +w+a is success, and the audit ends with "ready"`,
		}},
		{"tasks left", func(h *History) { h.Attempts[1].Live = 2 }, []string{"attempt 1 of w has ended, and has 2 live tasks"}},
		{"no archive", func(h *History) { h.Attempts[1].Archived = false }, []string{"attempt 1 of w has ended without an archive of its tasks"}},
		{"unknown move", func(h *History) { h.Commits[2].Entries[0].Cause = "due" }, []string{
			"attempt 1: +w+a goes from running to retry_waiting by due", `attempt 1: try 1 of +w+a ended as retry, and the audit has "due"`,
		}},
		{"out of a final state", func(h *History) { h.Commits[8].Entries = append(h.Commits[8].Entries, h.Commits[2].Entries[0]) }, []string{
			"attempt 1: +w+a goes to retry_waiting by retry after the end of the attempt",
			"attempt 1: +w+a leaves success for retry_waiting", `attempt 1: +w+a is success, and the audit ends with "retry_waiting"`,
			"attempt 1: try 1 of +w+a ends by retry, and does not run",
		}},
		{"archive and audit differ", func(h *History) { h.Attempts[1].Tasks[0].State = trowel.TaskCanceled }, []string{
			`attempt 1: +w is canceled, and the audit ends with "success"`,
		}},
		{"accepted twice", func(h *History) {
			a := h.Attempts[1]
			a.Tries = append(a.Tries, a.Tries[1])
		}, []string{"attempt 1: try 2 of +w+a has ended twice", "attempt 1: +w+a has succeeded 2 times"}},
		{"late result", func(h *History) { h.Attempts[2].Tries[0].Exit = trowel.ExitSuccess }, []string{
			`attempt 2: try 1 of +w+a ended as success, and the audit has "release"`,
		}},
		{"result of another agent", func(h *History) { h.Attempts[2].Tries[1].AgentID = "x" }, []string{"attempt 2: try 2 of +w+a was begun by y, and ended by x"}},
		{"lost try", func(h *History) { h.Attempts[1].Tries = h.Attempts[1].Tries[:2] }, []string{
			"attempt 1: +w+b is a success without a try", "attempt 1: try 1 of 1 of +w+b has no end",
		}},
		{"numbers of tries", func(h *History) {
			for _, e := range []*trowel.AuditEntry{&h.Commits[8].Entries[0], &h.Commits[9].Entries[0]} {
				e.Try = 3
			}
			h.Attempts[2].Tries[1].Number, h.Attempts[2].Tasks[1].Try = 3, 3
		}, []string{"attempt 2: try 3 of +w+a comes after try 1", "attempt 2: try 2 of 3 of +w+a has no end"}},
		{"not reached", func(h *History) { h.Attempts[2].Tasks[2].Upstreams = nil }, []string{"attempt 2 has ended, and +w+b was not reached although nothing held it"}},
		{"not done", func(h *History) { h.Attempts[2].Tasks[2].State = trowel.TaskReady }, []string{
			`attempt 2: +w+b is ready, and the audit ends with ""`, "attempt 2 has ended, but +w+b is ready",
		}},
		{"success over a failure", func(h *History) {
			h.Attempts[2].Tasks[0].State = trowel.TaskSuccess
			h.Commits[9].Entries[1] = trowel.AuditEntry{AttemptID: 2, TaskID: 4, From: "planned", To: "success", Cause: "success"}
		}, []string{
			"attempt 2: +w is a success, and its +w+a is error", "attempt 2 has ended, and +w+b was not reached although nothing held it",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := twoAttempts(t)
			c.plant(h)
			if diff := cmp.Diff(slices.Sorted(slices.Values(c.want)), slices.Sorted(slices.Values(Judge(h, nil)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// again appends a copy of an entry to its transaction.
func (h *History) again(commit, entry int) {
	c := &h.Commits[commit]
	c.Entries = append(c.Entries, c.Entries[entry])
}

// take removes an entry.
func (h *History) take(commit, entry int) trowel.AuditEntry {
	c := &h.Commits[commit]
	e := c.Entries[entry]
	c.Entries = slices.Delete(c.Entries, entry, entry+1)
	return e
}

// A limit that is exceeded for a single transaction is found, whichever it is.
func TestPlantedExcess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		plant func(h *History)
		want  []string
	}{
		{"claimed before it was given back", func(h *History) {
			h.Commits[6], h.Commits[5] = h.Commits[5], h.Commits[6]
			h.Commits[5], h.Commits[4] = h.Commits[4], h.Commits[5] // attempt 2 begins before +b of attempt 1
		}, []string{
			"active of w: 2 are taken at 1970-01-01 00:00:06 +0000 UTC, 1 are allowed: w +w of attempt 1, w +w of attempt 2",
			"begun of +a: 2 are taken at 1970-01-01 00:00:06 +0000 UTC, 1 are allowed: w +w+a of attempt 1, w +w+a of attempt 2",
			"running of +a: 2 are taken at 1970-01-01 00:00:06 +0000 UTC, 1 are allowed: w +w+a of attempt 1, w +w+a of attempt 2",
		}},
		{"claimed while another waits", func(h *History) {
			late := h.Commits[6]
			h.Commits = slices.Insert(slices.Delete(h.Commits, 6, 7), 3, late) // between retry and due of attempt 1
		}, []string{
			"active of w: 2 are taken at 1970-01-01 00:00:06 +0000 UTC, 1 are allowed: w +w of attempt 1, w +w of attempt 2",
			"begun of +a: 2 are taken at 1970-01-01 00:00:03 +0000 UTC, 1 are allowed: w +w+a of attempt 1, w +w+a of attempt 2",
			"begun of +a: 2 are taken at 1970-01-01 00:00:06 +0000 UTC, 1 are allowed: w +w+a of attempt 1, w +w+a of attempt 2",
			"running of +a: 2 are taken at 1970-01-01 00:00:03 +0000 UTC, 1 are allowed: w +w+a of attempt 1, w +w+a of attempt 2",
		}},
		{"never given back", func(h *History) { h.take(9, 0) }, []string{
			"begun: w +w+a has not given back what it has of +a", "running: w +w+a has not given back what it has of +a",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := twoAttempts(t)
			c.plant(h)
			f := &findings{}
			f.bounds(h, everything(1))
			if diff := cmp.Diff(c.want, slices.Sorted(slices.Values(f.list))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An agent has room for the next task when it has sent the report about one, and not before.
func TestSlots(t *testing.T) {
	t.Parallel()
	bound := Bound{Name: "slots", Max: 1, Works: true, Takes: func(_ *Attempt, _ *trowel.Task, agent string) (string, int) { return agent, 1 }}
	h := twoAttempts(t)
	h.Commits[6], h.Commits[5] = h.Commits[5], h.Commits[6] // attempt 2 begins before +b of attempt 1 is committed
	for ended, want := range map[int64][]string{
		6: nil,
		7: {"slots of x: 2 are taken at 1970-01-01 00:00:06 +0000 UTC, 1 are allowed: w +w+a of attempt 2, w +w+b of attempt 1"},
	} {
		h.Attempts[1].Tries[2].EndedAt = time.Unix(ended, 0)
		f := &findings{}
		f.bounds(h, []Bound{bound})
		if diff := cmp.Diff(want, f.list); diff != "" {
			t.Errorf("ended at %d: %s", ended, diff)
		}
	}
}
