package remotecmd

import (
	"fmt"
	"strings"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/loopname"
	"github.com/trowel-project/trowel/internal/textutil"
)

// The tables of what runs: attempts, sessions and tasks.

// attemptTable returns the table of attempts, in the order of the list.
func attemptTable(v *listView, attempts []api.Attempt) *listTable {
	t := &listTable{painted: 1, columns: []listColumn{
		{title: "ID", right: true},
		{title: "STATUS"},
		{title: "WORKFLOW", least: 12},
		{title: "SESSION", drop: 2},
		{title: "STARTED", drop: 3},
		{title: "TOOK", right: true, drop: 1},
		{title: "NAME", least: 8, drop: 4},
	}}
	for i := range attempts {
		a := &attempts[i]
		status := tableStatus(a)
		t.rows = append(t.rows, listRow{ink: statusInk(status), cells: []string{
			a.ID.String(), status, a.Project.Name + "/" + a.Workflow.Name, v.clock(a.SessionTime.Time), v.clock(a.CreatedAt.Time),
			v.took(a.CreatedAt.Time, a.FinishedAt), optText(a.RetryAttemptName),
		}})
	}
	return t
}

// tableStatus returns the word that tables show for the state of an attempt.
func tableStatus(a *api.Attempt) string {
	status := attemptStatus(a)
	if status == "running" && a.CancelRequested {
		return "killing"
	}
	return status
}

// sessionTable returns the table of sessions with their last attempts.
func sessionTable(v *listView, sessions []api.Session) *listTable {
	t := &listTable{painted: 1, columns: []listColumn{
		{title: "ID", right: true},
		{title: "STATUS"},
		{title: "WORKFLOW", least: 12},
		{title: "SESSION", drop: 1},
		{title: "ATTEMPT", right: true, drop: 3},
		{title: "STARTED", drop: 4},
		{title: "TOOK", right: true, drop: 2},
	}}
	for i := range sessions {
		s := &sessions[i]
		status := sessionStatus(s.LastAttempt)
		if last := s.LastAttempt; last != nil { // Digdag has no word for killed sessions
			status = tableStatus(&api.Attempt{Done: last.Done, Success: last.Success, CancelRequested: last.CancelRequested})
		}
		cells := []string{s.ID.String(), status, s.Project.Name + "/" + s.Workflow.Name, v.clock(s.SessionTime.Time), "", "", ""}
		if last := s.LastAttempt; last != nil {
			copy(cells[4:], []string{last.ID.String(), v.clock(last.CreatedAt.Time), v.took(last.CreatedAt.Time, last.FinishedAt)})
		}
		t.rows = append(t.rows, listRow{ink: statusInk(status), cells: cells})
	}
	return t
}

// backfillTable returns the table of the sessions of a backfill. In a dry run they have no attempts.
func backfillTable(v *listView, attempts []api.Attempt, dryRun bool) *listTable {
	t := &listTable{columns: []listColumn{{title: "SESSION"}, {title: "WORKFLOW", least: 12}}}
	if !dryRun {
		t.columns = append(t.columns, listColumn{title: "ATTEMPT", right: true})
	}
	for i := range attempts {
		a := &attempts[i]
		cells := []string{v.clock(a.SessionTime.Time), a.Project.Name + "/" + a.Workflow.Name}
		if !dryRun {
			cells = append(cells, a.ID.String())
		}
		t.rows = append(t.rows, listRow{cells: cells})
	}
	return t
}

// taskTable returns the table of the tasks of an attempt. Below a failed task are its place and its error, below
// a waiting one the reason. Names of tasks in loops show the values of these.
func taskTable(v *listView, tasks []api.Task, names map[api.ID][]loopname.Part, reasons, places map[api.ID]string, outside map[api.ID]*api.TaskOutside) *listTable {
	t := &listTable{painted: 1, named: 2, columns: []listColumn{
		{title: "ID", right: true, drop: 2},
		{title: "STATE"},
		{title: "TASK", least: 16},
		{title: "STARTED", drop: 1},
		{title: "TOOK", right: true},
		{title: "PEAK", right: true, drop: 3},
	}}
	for i := range tasks {
		task := &tasks[i]
		row := listRow{ink: statusInk(task.State), note: reasons[task.ID], cells: []string{task.ID.String(), task.State, task.FullName, v.optClock(task.StartedAt), "", peakText(outside[task.ID])}}
		row.links = linkLines(outside[task.ID])
		if name := names[task.ID]; name != nil {
			row.name, row.cells[t.named] = name, loopname.Join(name, true, 0, "")
		}
		if task.StartedAt != nil {
			ended := &task.UpdatedAt
			if task.State == "running" {
				ended = nil
			}
			row.cells[4] = v.took(task.StartedAt.Time, ended)
		}
		if message := taskError(task); message != "" {
			row.note = message
			if place := places[task.ID]; place != "" {
				row.note = place + "  " + message
			}
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// taskError returns the first line of why a task failed; empty if it did not fail, or only because tasks in it did.
func taskError(task *api.Task) string {
	if task.State != "error" && task.State != "retry_waiting" || task.Error.Len() == 0 {
		return ""
	}
	message, _ := task.Error.Get("message")
	text, _ := message.(string)
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// errorHint says how to see why the first failed attempt failed; empty if none did.
func (v *listView) errorHint(attempts []api.Attempt) string {
	for i := range attempts {
		if attemptStatus(&attempts[i]) == "error" {
			return fmt.Sprintf("`%s` shows which tasks failed, and why.", v.hinted("tasks "+attempts[i].ID.String()))
		}
	}
	return ""
}

// tasksIn returns the tasks in a state; all if it is empty.
func tasksIn(tasks []api.Task, state string) []api.Task {
	if state == "" {
		return tasks
	}
	found := []api.Task{}
	for _, task := range tasks {
		if task.State == state {
			found = append(found, task)
		}
	}
	return found
}

// failureHint says how to see more of the first task that failed; empty if none did.
func (v *listView) failureHint(attempt api.ID, tasks []api.Task) string {
	for i := range tasks {
		if taskError(&tasks[i]) != "" {
			return fmt.Sprintf("`%s` shows what it wrote before it failed.", v.hinted(textutil.ShellLine("log", attempt.String(), tasks[i].FullName)))
		}
	}
	return ""
}
