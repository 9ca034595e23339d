package store

import (
	"context"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlFindWriters = `SELECT lowest, since FROM writer`
	// writerMigration is the first schema that has the table.
	writerMigration = 8
)

func (t *tx) FindWriters(ctx context.Context) (trowel.Writers, error) {
	var w trowel.Writers
	if err := t.row(ctx, sqlFindWriters, nil, &w.Lowest, &w.Since); err != nil {
		return w, fmt.Errorf("find who may write: %w", err)
	}
	return w, nil
}

// checkWriters refuses a database in which this build may not write, by its migrations.
func checkWriters(ctx context.Context, db Database, applied int) error {
	if applied < writerMigration {
		return nil
	}
	rows, err := db.QueryContext(ctx, sqlFindWriters)
	if err != nil {
		return fmt.Errorf("find who may write: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var w trowel.Writers
		if err := rows.Scan(&w.Lowest, &w.Since); err != nil {
			return fmt.Errorf("find who may write: %w", err)
		}
		if err := w.Check(); err != nil {
			return err
		}
	}
	return rows.Err()
}
