package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	agentColumns = `id, name, version, slots, host, queues, labels, is_remote, server_id, token_id, started_at, seen_at, lease_ends, drained_at, rest_reason, limits`

	sqlPutAgent = `INSERT INTO agent (` + agentColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, version = excluded.version, slots = excluded.slots, host = excluded.host,
queues = excluded.queues, labels = excluded.labels, is_remote = excluded.is_remote, server_id = excluded.server_id, token_id = excluded.token_id,
started_at = excluded.started_at, seen_at = excluded.seen_at, lease_ends = excluded.lease_ends, drained_at = excluded.drained_at,
rest_reason = excluded.rest_reason, limits = excluded.limits`
	sqlRenewLeases = `UPDATE agent SET seen_at = $1, lease_ends = $2`
	sqlSelectIDs   = `SELECT g.id FROM agent g`
	sqlDeleteAgent = `DELETE FROM agent WHERE id = $1`
	sqlDrainAgent  = `UPDATE agent SET drained_at = $2 WHERE id = $1`
	sqlRestAgent   = `UPDATE agent SET rest_reason = $2 WHERE id = $1`
	sqlListAgents  = `SELECT ` + agentColumns + ` FROM agent ORDER BY id`
	sqlFindAgent   = `SELECT ` + agentColumns + ` FROM agent WHERE id = $1`
	sqlListOrphans = `SELECT t.attempt_id, t.id, t.try, coalesce(t.agent_id, '') FROM task t LEFT JOIN agent g ON g.id = t.agent_id
WHERE t.begun AND t.state = 4 AND (g.id IS NULL OR g.lease_ends <= $1) ORDER BY t.id LIMIT $2`
)

func (t *tx) PutAgent(ctx context.Context, a *trowel.Agent) error {
	_, err := t.exec(ctx, sqlPutAgent, a.ID, a.Name, a.Version, a.Slots, a.Host, names(a.Queues), names(a.Labels), a.Remote, a.ServerID, number(a.Token),
		micros(a.StartedAt), micros(a.SeenAt), micros(a.LeaseEnds), micros(a.DrainedAt), text(a.SuspendReason), keptLimits(&a.Limits))
	if err != nil {
		return fmt.Errorf("put agent %q: %w", a.ID, err)
	}
	return nil
}

func (t *tx) RenewLeases(ctx context.Context, agents []string, at, ends time.Time) ([]string, error) {
	if len(agents) == 0 {
		return nil, nil
	}
	query := renewLeases(len(agents), t.dialect.LockRows)
	renewed, err := t.texts(ctx, query, append([]any{micros(at), micros(ends)}, paddedTexts(agents)...))
	if err != nil {
		return nil, fmt.Errorf("renew leases: %w", err)
	}
	slices.Sort(renewed)
	return renewed, nil
}

// renewLeases returns a statement with places for n agents or more. Where rows are locked it locks them in the
// order of their ids, so that servers do not run into a deadlock.
func renewLeases(n int, lockRows string) string {
	if lockRows == "" {
		return sqlRenewLeases + ` WHERE id IN ` + list(3, n) + ` RETURNING id`
	}
	return sqlRenewLeases + ` WHERE id IN (` + selectAgents(3, n) + ` ORDER BY g.id` + lockRows + `) RETURNING id`
}

func selectAgents(first, n int) string { return sqlSelectIDs + ` WHERE g.id IN ` + list(first, n) }

func (t *tx) LockAgents(ctx context.Context, ids []string, server string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	held, err := t.texts(ctx, holdAgents(len(ids))+t.dialect.LockShared, append([]any{server}, paddedTexts(ids)...))
	if err != nil {
		return nil, fmt.Errorf("hold agents: %w", err)
	}
	return held, nil
}

// holdAgents returns a statement with places for n agents or more.
func holdAgents(n int) string {
	return selectAgents(2, n) + ` AND g.server_id = $1 AND g.drained_at IS NULL ORDER BY g.id`
}

func (t *tx) texts(ctx context.Context, query string, args []any) ([]string, error) {
	var list []string
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		list = append(list, text)
		return err
	})
	return list, err
}

func (t *tx) DrainAgent(ctx context.Context, id string, at time.Time) error {
	if err := mustChange(t.exec(ctx, sqlDrainAgent, id, micros(at))); err != nil {
		return fmt.Errorf("drain agent %q: %w", id, err)
	}
	return nil
}

func (t *tx) SuspendAgent(ctx context.Context, id, reason string) error {
	if err := mustChange(t.exec(ctx, sqlRestAgent, id, text(reason))); err != nil {
		return fmt.Errorf("let agent %q rest: %w", id, err)
	}
	return nil
}

func (t *tx) DeleteAgent(ctx context.Context, id string) error {
	if _, err := t.exec(ctx, sqlDeleteAgent, id); err != nil {
		return fmt.Errorf("delete agent %q: %w", id, err)
	}
	return nil
}

func (t *tx) ListAgents(ctx context.Context) ([]*trowel.Agent, error) {
	list, err := t.agents(ctx, sqlListAgents)
	if err != nil {
		return nil, fmt.Errorf("list agents: %w", err)
	}
	return list, nil
}

func (t *tx) FindAgent(ctx context.Context, id string) (*trowel.Agent, error) {
	a, err := first(t.agents(ctx, sqlFindAgent, id))
	if err != nil {
		return nil, fmt.Errorf("find agent %q: %w", id, err)
	}
	return a, nil
}

func (t *tx) agents(ctx context.Context, query string, args ...any) ([]*trowel.Agent, error) {
	var list []*trowel.Agent
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		a := &trowel.Agent{}
		var queues, labels, limits sql.NullString
		var token, started, seen, ends, drained sql.NullInt64
		err := scan(&a.ID, &a.Name, &a.Version, &a.Slots, &a.Host, &queues, &labels, &a.Remote, &a.ServerID, &token, &started, &seen, &ends, &drained, &a.SuspendReason, &limits)
		if err != nil {
			return err
		}
		a.Token = trowel.TokenID(token.Int64)
		a.StartedAt, a.SeenAt, a.LeaseEnds, a.DrainedAt = instant(started), instant(seen), instant(ends), instant(drained)
		list = append(list, a)
		return errors.Join(readJSON(queues, &a.Queues), readJSON(labels, &a.Labels), readJSON(limits, &a.Limits))
	})
	return list, err
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
