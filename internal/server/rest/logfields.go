package rest

import (
	"log/slog"

	"github.com/trowel-project/trowel/internal/telemetry"
)

// LogFields are the attributes of a log line about a change: the project, others, and who made it. Attempts have log
// lines of their own.
func (c *Call) LogFields(project string, others ...any) []any {
	return append(append([]any{slog.String(telemetry.KeyProject, project)}, others...), slog.String("actor", c.Caller.Name))
}
