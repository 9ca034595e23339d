package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/trowel-project/trowel/internal/config"
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
		slog.String(telemetry.KeyAgent, p.agentName()), slog.Bool("runs_tasks", p.runsTasks()), slog.String("commands_as", commandUserName(p.commandUser)),
		slog.Bool("moves_tasks", s.Engine.Enabled), slog.Bool("runs_schedules", s.Schedule.Enabled))
	p.warnOfReach(ctx)
	return nil
}

// warnOfH2 warns that the folder has a database of Digdag, which is not read, so that the server does not silently begin
// with nothing (docs/migrate-from-digdag.md). Digdag's files are called digdag in the folder of --database, and like
// database.path otherwise.
func (p *serverProcess) warnOfH2(ctx context.Context, d *config.Database) {
	if _, err := os.Lstat(d.File); err == nil {
		return // Trowel has used this folder already
	}
	dir := filepath.Dir(d.File)
	for _, h2 := range []string{filepath.Join(dir, "digdag.mv.db"), dir + ".mv.db"} {
		if _, err := os.Lstat(h2); err == nil {
			p.log.WarnContext(ctx, "Digdag's H2 database is not read, the server begins with an empty one: push the projects again",
				slog.String("h2", h2), slog.String("database", d.File))
		}
	}
}
