package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	trowel "github.com/trowel-project/trowel"
)

const (
	// The locks end with the transaction. lockLimits is their first key. The second one is the schema, as
	// all schemas of a database share one space of keys.
	sqlShareLimitsPostgres  = `SELECT version, lowest, since FROM share_claims()`
	sqlPoolVersion          = `SELECT version, lowest, since FROM pool_version, writer`
	sqlExpectLimitsPostgres = `SELECT 1 FROM pool_version, writer WHERE version = CAST($1 AS BIGINT) AND lowest <= CAST($2 AS INTEGER)`
	sqlChangePools          = `UPDATE pool_version SET version = version + 1`
	sqlLockLimitsPostgres   = `SELECT pg_advisory_xact_lock($1, hashtext(current_schema()))`
	sqlLockSharedPostgres   = `SELECT pg_advisory_xact_lock_shared(CAST($1 AS INTEGER), hashtext(current_schema()))`

	sqlSelectUses = `SELECT u.name, u.used FROM limit_use u`
	sqlListUses   = sqlSelectUses + ` WHERE u.used <> 0`
	sqlAddUse     = `UPDATE limit_use SET used = used + $2 WHERE name = $1`
	// One statement changes many counters.
	sqlAddUsesPostgres = `UPDATE limit_use SET used = used + v.change FROM unnest(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) AS v (name, change)
WHERE limit_use.name = v.name`
	sqlDeleteUses = `DELETE FROM limit_use WHERE used = 0`
	sqlCountHolds = `SELECT holds, sum(CASE WHEN state = 4 THEN 1 ELSE 0 END), count(*) FROM task WHERE begun AND (state = 4 OR holds IS NOT NULL)
GROUP BY holds` // also of planned tasks, which hold places under concurrency limits
	sqlFindDefaultPool = `SELECT id FROM pool WHERE project_id IS NULL AND name = $1 AND slots <> $2`
)

// lockLimits is the key of ShareLimits and LockLimits.
const lockLimits = 0x74726f77 // "trow"

func (t *tx) ShareLimits(ctx context.Context) (version int64, writers trowel.Writers, err error) {
	query := sqlShareLimitsPostgres
	if t.dialect.OneWriter { // there is nobody to keep away
		query = sqlPoolVersion
	}
	if err := t.row(ctx, query, nil, &version, &writers.Lowest, &writers.Since); err != nil {
		return 0, trowel.Writers{}, fmt.Errorf("share the limits: %w", err)
	}
	return version, writers, nil
}

func (t *tx) CheckLimitsVersion(ctx context.Context, version int64) error {
	changed := fmt.Errorf("%w: the limits have changed", trowel.ErrConflict)
	if t.dialect.Pipe == nil {
		now, writers, err := t.ShareLimits(ctx)
		if err == nil && (now != version || writers.Check() != nil) {
			err = t.fail(ctx, changed)
		}
		return err
	}
	// What share_claims does, without the cost of a function. The second statement sees what was committed before the lock.
	lock := pipedStatement{table: "pool_version", columns: "key INTEGER", one: sqlLockSharedPostgres}
	err := t.send(ctx, lock, 1, func(v *values, _ int) { v.number(lockLimits) }, nil)
	if err == nil {
		check := pipedStatement{table: "pool_version", columns: "version BIGINT, generation INTEGER", one: sqlExpectLimitsPostgres}
		err = t.send(ctx, check, 1, func(v *values, _ int) {
			v.number(version)
			v.number(trowel.Generation)
		}, func(int64) error { return changed })
	}
	if err != nil {
		return fmt.Errorf("share the limits as they were known: %w", err)
	}
	return nil
}

func (t *tx) LockLimits(ctx context.Context) error {
	if t.dialect.OneWriter {
		return nil
	}
	var nothing any
	if err := t.row(ctx, sqlLockLimitsPostgres, []any{lockLimits}, &nothing); err != nil {
		return fmt.Errorf("lock the limits: %w", err)
	}
	return nil
}

func (t *tx) LockCounters(ctx context.Context, names []string) (map[string]int, error) {
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	uses := make(map[string]int, len(sorted))
	for missing := sorted; len(missing) > 0; {
		if err := t.selectUses(ctx, missing, uses); err != nil {
			return nil, fmt.Errorf("lock counters of limits: %w", err)
		}
		missing = slices.DeleteFunc(slices.Clone(missing), func(name string) bool {
			_, ok := uses[name]
			return ok
		})
		insert := bulk{table: "limit_use", columns: "name TEXT, used BIGINT", unique: "name"}
		err := t.bulk(ctx, insert, len(missing), func(v *values, i int) {
			v.name(missing[i])
			v.number(0)
		})
		if err != nil {
			return nil, fmt.Errorf("insert counters of limits: %w", err)
		}
	}
	return uses, nil
}

// selectUses locks those of the counters that are stored and adds them to uses.
func (t *tx) selectUses(ctx context.Context, names []string, uses map[string]int) error {
	for some := range slices.Chunk(names, lockedAtOnce) {
		err := t.uses(ctx, lockUses(len(some))+t.dialect.LockRows, paddedTexts(some), uses)
		if err != nil {
			return err
		}
	}
	return nil
}

// lockUses returns a statement with places for n names or more.
func lockUses(n int) string {
	return sqlSelectUses + ` WHERE u.name IN (` + manyPlaces(n) + `) ORDER BY u.name`
}

func (t *tx) uses(ctx context.Context, query string, args []any, uses map[string]int) error {
	return t.rows(ctx, query, args, func(scan func(...any) error) error {
		var name string
		var used int
		err := scan(&name, &used)
		uses[name] = used
		return err
	})
}

func (t *tx) AddToCounters(ctx context.Context, changes map[string]int) error {
	var names, emptied []string
	var by []int64
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if changes[name] == 0 {
			continue
		}
		names, by = append(names, name), append(by, int64(changes[name]))
		if changes[name] < 0 && trowel.KindOfCounter(name).Unbounded() {
			emptied = append(emptied, name)
		}
	}
	changed, err := t.addUses(ctx, names, by)
	if err == nil && changed != int64(len(names)) {
		err = fmt.Errorf("%d of %d are stored: %w", changed, len(names), trowel.ErrConflict)
	}
	if err != nil {
		return fmt.Errorf("change counters of limits: %w", err)
	}
	for some := range slices.Chunk(emptied, lockedAtOnce) {
		if _, err := t.exec(ctx, deleteUses(len(some)), paddedTexts(some)...); err != nil {
			return fmt.Errorf("delete counters of limits: %w", err)
		}
	}
	return nil
}

// deleteUses returns a statement with places for n names or more.
func deleteUses(n int) string { return sqlDeleteUses + ` AND name IN (` + manyPlaces(n) + `)` }

func (t *tx) addUses(ctx context.Context, names []string, by []int64) (changed int64, err error) {
	switch {
	case len(names) == 0:
		return 0, nil
	case t.dialect.Pipe != nil && len(names) > 1:
		return t.exec(ctx, sqlAddUsesPostgres, names, by)
	}
	for i, name := range names {
		rows, err := t.exec(ctx, sqlAddUse, name, by[i])
		if err != nil {
			return 0, err
		}
		changed += rows
	}
	return changed, nil
}

func (t *tx) ListCounters(ctx context.Context) (map[string]int, error) {
	uses := map[string]int{}
	if err := t.uses(ctx, sqlListUses, nil, uses); err != nil {
		return nil, fmt.Errorf("list counters of limits: %w", err)
	}
	return uses, nil
}

func (t *tx) CountAcquired(ctx context.Context) (map[string]int, error) {
	uses, err := t.countHolds(ctx)
	if err != nil {
		return nil, fmt.Errorf("recount what tasks hold: %w", err)
	}
	return uses, nil
}

func (t *tx) countHolds(ctx context.Context) (map[string]int, error) {
	var limited trowel.Pool
	err := t.rows(ctx, sqlFindDefaultPool, []any{trowel.DefaultPool, trowel.Unlimited}, func(scan func(...any) error) error { return scan(&limited.ID) })
	if err != nil {
		return nil, err
	}
	uses := map[string]int{}
	err = t.rows(ctx, sqlCountHolds, nil, func(scan func(...any) error) error {
		var text sql.NullString
		var running, tasks int
		if err := scan(&text, &running, &tasks); err != nil {
			return err
		}
		var held trowel.Acquired
		if err := readJSON(text, &held); err != nil {
			return err
		}
		if limited.ID != 0 && !held.HasPool() {
			uses[limited.Counter()] += running
		}
		for name, n := range held {
			uses[name] += n * tasks
		}
		return nil
	})
	maps.DeleteFunc(uses, func(_ string, n int) bool { return n == 0 })
	return uses, err
}

func (t *tx) RecountCounters(ctx context.Context) (map[string]int, error) {
	if _, err := t.exec(ctx, sqlChangePools); err != nil {
		return nil, fmt.Errorf("raise the version of pools: %w", err)
	}
	want, err := t.CountAcquired(ctx)
	if err != nil {
		return nil, err
	}
	wrong, err := t.ListCounters(ctx)
	if err != nil {
		return nil, err
	}
	for name, used := range wrong {
		wrong[name] = -used
	}
	for name, used := range want {
		wrong[name] += used
	}
	maps.DeleteFunc(wrong, func(_ string, n int) bool { return n == 0 })
	if len(wrong) == 0 {
		return wrong, nil
	}
	if _, err := t.LockCounters(ctx, slices.Collect(maps.Keys(wrong))); err != nil {
		return nil, err
	}
	return wrong, t.AddToCounters(ctx, wrong)
}
