package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// everyPool stands for all pools. Its rows count the samples.
const everyPool = trowel.PoolID(0)

const (
	sqlMarkSample = `INSERT INTO pool_history (pool_id, at, samples, sampled_at, slots, used, most_used, waiting, most_waiting)
VALUES ($1, $2, 1, $3, 0, 0, 0, 0, 0)
ON CONFLICT (pool_id, at) DO UPDATE SET samples = pool_history.samples + 1, sampled_at = excluded.sampled_at
WHERE pool_history.sampled_at <= $4`
	sqlAddSample = `INSERT INTO pool_history (pool_id, at, samples, sampled_at, slots, used, most_used, waiting, most_waiting)
VALUES ($1, $2, 1, $3, $4, $5, $6, $7, $8)
ON CONFLICT (pool_id, at) DO UPDATE SET samples = pool_history.samples + 1, sampled_at = excluded.sampled_at, slots = excluded.slots,
used = pool_history.used + excluded.used, waiting = pool_history.waiting + excluded.waiting,
most_used = CASE WHEN excluded.most_used > pool_history.most_used THEN excluded.most_used ELSE pool_history.most_used END,
most_waiting = CASE WHEN excluded.most_waiting > pool_history.most_waiting THEN excluded.most_waiting ELSE pool_history.most_waiting END`
	sqlFindSample = `SELECT sampled_at FROM pool_history WHERE pool_id = $1 ORDER BY at DESC LIMIT 1`
	sqlListUse    = `SELECT at, samples, slots, used, most_used, waiting, most_waiting FROM pool_history WHERE pool_id = $1 AND at >= $2 ORDER BY at`
	sqlDeleteUse  = `DELETE FROM pool_history WHERE at < $1`

	sqlInsertHandOffs = `INSERT INTO hand_off (at, queue, counts) VALUES ($1, $2, $3)`
	sqlListHandOffs   = `SELECT at, queue, counts FROM hand_off WHERE at >= $1`
	sqlDeleteHandOffs = `DELETE FROM hand_off WHERE at < $1`
)

func (t *tx) AddPoolUsage(ctx context.Context, at time.Time, apart time.Duration, uses []trowel.PoolUsage) (bool, error) {
	step := micros(at.Truncate(trowel.UsageStep))
	marked, err := t.exec(ctx, sqlMarkSample, everyPool, step, micros(at), micros(at.Add(-apart)))
	if err != nil {
		return false, fmt.Errorf("count a sample of pools: %w", err)
	}
	if marked == 0 {
		return false, nil
	}
	for _, u := range slices.SortedFunc(slices.Values(uses), func(a, b trowel.PoolUsage) int { return cmp.Compare(a.Pool, b.Pool) }) {
		_, err := t.exec(ctx, sqlAddSample, u.Pool, step, micros(at), u.Slots, u.Used, u.Used, u.Waiting, u.Waiting)
		if err != nil {
			return false, fmt.Errorf("add a sample of pool %d: %w", u.Pool, err)
		}
	}
	return true, nil
}

func (t *tx) ListPoolUsage(ctx context.Context, pool trowel.PoolID, since time.Time) ([]trowel.PoolUsage, error) {
	steps, err := t.poolUses(ctx, everyPool, since)
	if err != nil {
		return nil, err
	}
	found, err := t.poolUses(ctx, pool, since)
	byStep := make(map[int64]*trowel.PoolUsage, len(found))
	for i := range found {
		byStep[found[i].At.UnixMicro()] = &found[i]
	}
	for i := range steps {
		samples := steps[i].Samples
		if u := byStep[steps[i].At.UnixMicro()]; u != nil {
			steps[i] = *u
		}
		steps[i].Pool, steps[i].Samples = pool, samples
	}
	return steps, err
}

func (t *tx) poolUses(ctx context.Context, pool trowel.PoolID, since time.Time) ([]trowel.PoolUsage, error) {
	var list []trowel.PoolUsage
	err := t.rows(ctx, sqlListUse, []any{pool, micros(since)}, func(scan func(...any) error) error {
		u := trowel.PoolUsage{Pool: pool}
		var at int64
		err := scan(&at, &u.Samples, &u.Slots, &u.Used, &u.MostUsed, &u.Waiting, &u.MostWaiting)
		u.At = time.UnixMicro(at).UTC()
		list = append(list, u)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the use of pool %d: %w", pool, err)
	}
	return list, nil
}

func (t *tx) FindPoolSample(ctx context.Context) (at time.Time, err error) {
	err = t.rows(ctx, sqlFindSample, []any{everyPool}, func(scan func(...any) error) error {
		var us int64
		err := scan(&us)
		at = time.UnixMicro(us).UTC()
		return err
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("find the last sample of pools: %w", err)
	}
	return at, nil
}

func (t *tx) InsertHandOffs(ctx context.Context, list []trowel.HandOffs) error {
	for i := range list {
		pairs := make([][2]int, 0, len(list[i].Counts))
		for _, class := range slices.Sorted(maps.Keys(list[i].Counts)) {
			pairs = append(pairs, [2]int{class, list[i].Counts[class]})
		}
		if _, err := t.exec(ctx, sqlInsertHandOffs, micros(list[i].At), list[i].Queue, mustJSON(pairs)); err != nil {
			return fmt.Errorf("insert hand-offs: %w", err)
		}
	}
	return nil
}

func (t *tx) ListHandOffs(ctx context.Context, since time.Time) ([]trowel.HandOffs, error) {
	var list []trowel.HandOffs
	err := t.rows(ctx, sqlListHandOffs, []any{micros(since)}, func(scan func(...any) error) error {
		var at int64
		var counts string
		var row trowel.HandOffs
		if err := scan(&at, &row.Queue, &counts); err != nil {
			return err
		}
		var pairs [][2]int
		err := json.Unmarshal([]byte(counts), &pairs)
		row.At, row.Counts = time.UnixMicro(at).UTC(), make(map[int]int, len(pairs))
		for _, p := range pairs {
			row.Counts[p[0]] = p[1]
		}
		list = append(list, row)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list hand-offs: %w", err)
	}
	return list, nil
}

func (t *tx) DeleteUsage(ctx context.Context, uses, handOffs time.Time) error {
	if _, err := t.exec(ctx, sqlDeleteUse, micros(uses)); err != nil {
		return fmt.Errorf("delete old uses of pools: %w", err)
	}
	if _, err := t.exec(ctx, sqlDeleteHandOffs, micros(handOffs)); err != nil {
		return fmt.Errorf("delete old hand-offs: %w", err)
	}
	return nil
}
