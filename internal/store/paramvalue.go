package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlPutParamValue = `INSERT INTO param_value (key, value, updated_at) VALUES ($1, $2, $3)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`
	sqlFindParamValue    = `SELECT value, updated_at FROM param_value WHERE key = $1 AND updated_at >= $2`
	sqlDeleteParamValues = `DELETE FROM param_value WHERE key IN (SELECT key FROM param_value WHERE updated_at < $1 LIMIT $2)`
)

func (t *tx) PutParamValues(ctx context.Context, list []trowel.ParamValue) error {
	// All writers use one order, so that they do not run into a deadlock. The last value of a key stays the last.
	sorted := slices.SortedStableFunc(slices.Values(list), func(a, b trowel.ParamValue) int { return strings.Compare(a.Key, b.Key) })
	for _, v := range sorted {
		if _, err := t.exec(ctx, sqlPutParamValue, v.Key, v.Value, micros(v.UpdatedAt)); err != nil {
			return fmt.Errorf("put value %q: %w", v.Key, err)
		}
	}
	return nil
}

func (t *tx) ListParamValues(ctx context.Context, keys []string, since time.Time) ([]trowel.ParamValue, error) {
	var list []trowel.ParamValue
	for _, key := range keys {
		v := trowel.ParamValue{Key: key}
		var updated sql.NullInt64
		err := t.row(ctx, sqlFindParamValue, []any{key, micros(since)}, &v.Value, &updated)
		if errors.Is(err, trowel.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("find value %q: %w", key, err)
		}
		v.UpdatedAt = instant(updated)
		list = append(list, v)
	}
	return list, nil
}

func (t *tx) DeleteParamValues(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := t.exec(ctx, sqlDeleteParamValues, micros(before), limit)
	if err != nil {
		return 0, fmt.Errorf("delete old values: %w", err)
	}
	return int(n), nil
}
