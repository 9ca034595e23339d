package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlPutAgent = `INSERT INTO agent (id, name, version, slots, started_at, seen_at, lease_ends) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, version = excluded.version, slots = excluded.slots, started_at = excluded.started_at,
seen_at = excluded.seen_at, lease_ends = excluded.lease_ends`
	sqlRenewLease  = `UPDATE agent SET seen_at = $2, lease_ends = $3 WHERE id = $1 AND lease_ends > $2`
	sqlDeleteAgent = `DELETE FROM agent WHERE id = $1`
	sqlListAgents  = `SELECT id, name, version, slots, started_at, seen_at, lease_ends FROM agent ORDER BY id`
	sqlListOrphans = `SELECT t.attempt_id, t.id, t.try, coalesce(t.agent_id, '') FROM task t LEFT JOIN agent g ON g.id = t.agent_id
WHERE t.state = 4 AND (g.id IS NULL OR g.lease_ends <= $1) ORDER BY t.id LIMIT $2`
)

func (t *tx) PutAgent(ctx context.Context, a *trowel.Agent) error {
	_, err := t.exec(ctx, sqlPutAgent, a.ID, a.Name, a.Version, a.Slots, micros(a.StartedAt), micros(a.SeenAt), micros(a.LeaseEnds))
	if err != nil {
		return fmt.Errorf("put agent %q: %w", a.ID, err)
	}
	return nil
}

func (t *tx) RenewLeases(ctx context.Context, agents []string, at, ends time.Time) ([]string, error) {
	var renewed []string
	for _, id := range slices.Sorted(slices.Values(agents)) { // one order for all, so that nobody is in a deadlock
		rows, err := t.exec(ctx, sqlRenewLease, id, micros(at), micros(ends))
		if err != nil {
			return nil, fmt.Errorf("renew the lease of agent %q: %w", id, err)
		}
		if rows == 1 {
			renewed = append(renewed, id)
		}
	}
	return renewed, nil
}

func (t *tx) DeleteAgent(ctx context.Context, id string) error {
	if _, err := t.exec(ctx, sqlDeleteAgent, id); err != nil {
		return fmt.Errorf("delete agent %q: %w", id, err)
	}
	return nil
}

func (t *tx) ListAgents(ctx context.Context) ([]*trowel.Agent, error) {
	var list []*trowel.Agent
	err := t.rows(ctx, sqlListAgents, nil, func(scan func(...any) error) error {
		a := &trowel.Agent{}
		var started, seen, ends sql.NullInt64
		err := scan(&a.ID, &a.Name, &a.Version, &a.Slots, &started, &seen, &ends)
		a.StartedAt, a.SeenAt, a.LeaseEnds = instant(started), instant(seen), instant(ends)
		list = append(list, a)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list agents: %w", err)
	}
	return list, nil
}

func (t *tx) ListOrphans(ctx context.Context, now time.Time, limit int) ([]trowel.Orphan, error) {
	var list []trowel.Orphan
	err := t.rows(ctx, sqlListOrphans, []any{micros(now), limit}, func(scan func(...any) error) error {
		var o trowel.Orphan
		err := scan(&o.AttemptID, &o.TaskID, &o.Try, &o.AgentID)
		list = append(list, o)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list tasks of lost agents: %w", err)
	}
	return list, nil
}
