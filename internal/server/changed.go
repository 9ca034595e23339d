package server

import (
	"log/slog"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/telemetry"
)

// What people change is told to the log, so that an operator finds out who has done it. Attempts tell of
// themselves.

// changed has the facts of such a line: project, others, and who it was.
func (c *call) changed(project string, others ...any) []any {
	return append(append([]any{slog.String(telemetry.KeyProject, project)}, others...), slog.String("actor", c.caller.Name))
}

// changedSchedule is changed for a schedule.
func logSchedule(c *call, w *trowel.ScheduledWorkflow) []any {
	return c.changed(w.Definition.Project.Name, slog.String(telemetry.KeyWorkflow, w.Schedule.Workflow),
		slog.Time("next_session_time", w.Schedule.NextSessionAt), slog.Time("next_run_time", w.Schedule.NextRunAt))
}
