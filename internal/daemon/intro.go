package daemon

import (
	"context"
	"log/slog"

	"github.com/trowel-project/trowel/internal/database"
	"github.com/trowel-project/trowel/internal/telemetry"
	"github.com/trowel-project/trowel/internal/version"
)

// introduce logs what a server is and where it keeps things, for operators who read an old
// log.
func (p *serverProcess) introduce(ctx context.Context) error {
	s := p.settings
	p.log.InfoContext(ctx, "server opened", slog.String("version", version.Number), slog.String("database", database.Place(&s.Database)),
		slog.String("archives", s.Archives.Type), slog.String("task_logs", s.Logs.Type), slog.String("tmpdir", p.tempDir()),
		slog.String(telemetry.KeyAgent, p.agentName()), slog.Bool("runs_tasks", runsTasks(s)), slog.String("commands_as", commandUserName(p.local.user)),
		slog.Bool("moves_tasks", s.Engine.Enabled), slog.Bool("runs_schedules", s.Schedule.Enabled))
	warnOfReach(ctx, p.local)
	return nil
}
