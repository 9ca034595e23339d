package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/store/digdag"
)

// hintAtDigdag logs that the database also has Digdag's tables, which are left alone, as long as there are no
// projects.
func hintAtDigdag(ctx context.Context, db *store.DB, log *slog.Logger) {
	present, err := digdag.Present(ctx, db)
	if err != nil || !present {
		return
	}
	err = db.View(ctx, func(tx trowel.Tx) error {
		projects, err := tx.ListProjects(ctx, trowel.ProjectFilter{Limit: 1})
		if err == nil && len(projects) == 0 {
			logging.Print(ctx, log, slog.LevelWarn, digdag.Hint)
		}
		return err
	})
	if err != nil {
		log.WarnContext(ctx, "projects not listed", slog.Any("error", err))
	}
}

// warnOfH2 warns that the folder has a database of Digdag, which is not read, so that the server does not silently begin
// with nothing (docs/migrate-from-digdag.md). Digdag's files are called digdag in the folder of --database, and like
// database.path otherwise.
func warnOfH2(ctx context.Context, d *config.Database, log *slog.Logger) {
	if _, err := os.Lstat(d.File); err == nil {
		return // Trowel has used this folder already
	}
	dir := filepath.Dir(d.File)
	for _, h2 := range []string{filepath.Join(dir, "digdag.mv.db"), dir + ".mv.db"} {
		if _, err := os.Lstat(h2); err == nil {
			log.WarnContext(ctx, "Digdag's H2 database is not read, the server begins with an empty one: push the projects again",
				slog.String("h2", h2), slog.String("database", d.File))
		}
	}
}
