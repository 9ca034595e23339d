package remotecmd

import (
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/terminal"
)

// followLines shows an attempt without a terminal: on standard output a line for each task that begins, waits or ends,
// and on standard error why tasks failed.
type followLines struct {
	call   *cmd.Call
	states map[api.ID]string // as they were shown last
	names  map[api.ID]string // of tasks with an operator
}

// Begin implements followView.
func (l *followLines) Begin(a *api.Attempt) {
	terminal.Say(l.call.Env.Stdout, "Following %s\n", attemptTitle(a))
}

// Tasks implements followView.
func (l *followLines) Tasks(_ *api.Attempt, tasks []api.Task) {
	l.names = make(map[api.ID]string, len(tasks))
	for i := range tasks {
		if t := &tasks[i]; !t.IsGroup {
			l.names[t.ID] = t.FullName
			l.tell(t.ID, t.State)
		}
	}
}

// Changed implements followView.
func (l *followLines) Changed(rows []api.TaskChange) (stale bool) {
	for i := range rows {
		if _, known := l.states[rows[i].ID]; !known && l.names[rows[i].ID] == "" {
			stale = true // it may be a group, which is not shown
			continue
		}
		l.tell(rows[i].ID, rows[i].State)
	}
	return stale
}

// tell writes the state of a task if it has changed. A task that is done stays done.
func (l *followLines) tell(id api.ID, state string) {
	before := l.states[id]
	if before == state || before != "" && !goesOn(before) {
		return
	}
	l.states[id] = state
	switch state {
	case "blocked", "ready", "planned":
		return
	}
	terminal.Say(l.call.Env.Stdout, "%s %s: %s\n", l.call.Env.Now().Format(cmd.ClockFormat), l.names[id], state)
}

// Note implements followView.
func (l *followLines) Note(text string) { terminal.Say(l.call.Env.Stderr, "%s\n", text) }

// End implements followView.
func (l *followLines) End(a *api.Attempt, tasks []api.Task, facts taskFacts) {
	end := followedEnd(l.call, a, tasks, facts)
	terminal.Say(l.call.Env.Stdout, "Attempt %s: %s after %s\n", a.ID, end.Status, end.After())
	for i := range end.Failed {
		failed := &end.Failed[i]
		terminal.Say(l.call.Env.Stderr, "error: %s: %s\n", failed.Name, failed.Message)
		if failed.Where != "" {
			terminal.Say(l.call.Env.Stderr, "  at %s\n", failed.Where)
		}
		if failed.Fix != "" {
			terminal.Say(l.call.Env.Stderr, "  fix: %s\n", terminal.Clean(failed.Fix))
		}
		for _, line := range failed.LastLines {
			terminal.Say(l.call.Env.Stderr, "  | %s\n", terminal.Clean(line))
		}
	}
	if end.Resume != "" {
		terminal.Say(l.call.Env.Stderr, "log: %s\nresume: %s\n", cmd.ServerCommand(l.call, "log", a.ID.String()), end.Resume)
	}
}

// Leave implements followView.
func (l *followLines) Leave() {}
