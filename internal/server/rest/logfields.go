package rest

import (
	"log/slog"

	"github.com/trowel-project/trowel/internal/telemetry"
)

// What people change is told to the log, so that an operator finds out who has done it. Attempts tell of
// themselves.

// LogFields has the facts of such a line: project, others, and who it was.
func (c *Call) LogFields(project string, others ...any) []any {
	return append(append([]any{slog.String(telemetry.KeyProject, project)}, others...), slog.String("actor", c.Caller.Name))
}
