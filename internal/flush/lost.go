package flush

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
)

const (
	// releaseAtOnce is how many tasks of lost agents are released at a time.
	releaseAtOnce = 1000
	// afterOutage is how long no lease is judged after an outage of the store, during which none could be
	// renewed.
	afterOutage = 15 * time.Second
	// afterStart is how long no lease of a remote agent is judged after the start, as none could be renewed
	// while no server was there. Agents try to come back every second.
	afterStart = 3 * time.Second
)

// releaseLost deletes agents whose lease has ended, and releases the tasks of all agents that are gone
// (language X59a). It returns how long it is until the next lease ends.
func (rc *recoverer) releaseLost(ctx context.Context) (next time.Duration, err error) {
	for {
		var lost []trowel.Orphan
		err := rc.store.Update(ctx, func(tx trowel.Tx) (err error) {
			next, err = rc.deleteLost(ctx, tx)
			if err == nil {
				// Leases were judged just now: here only missing agents count.
				lost, err = tx.ListOrphans(ctx, time.Unix(0, 0), releaseAtOnce)
			}
			return err
		})
		if err != nil || len(lost) == 0 {
			return next, err
		}
		again := slices.Equal(lost, rc.lost) // tasks of attempts that are left alone stay as they are
		rc.lost = lost
		if !again {
			rc.log.WarnContext(ctx, fmt.Sprintf("%d task locks are expired. Tasks will be retried.", len(lost))) //nolint:sloglint // language X59a
		}
		for _, o := range lost {
			release := engine.Release{Task: o.TaskID, Try: o.Try, Lost: true, Poison: rc.poison}
			rc.inbox.submit(&releaseRequest{attempt: o.AttemptID, release: release})
		}
		if err := rc.inbox.do(ctx, newBarrier()); err != nil || again || len(lost) < releaseAtOnce {
			return next, err
		}
	}
}

// deleteLost deletes the agents whose lease has ended, and returns how long it is until the next lease ends.
// If the store is exclusive, all other servers are gone, and their agents with them.
func (rc *recoverer) deleteLost(ctx context.Context, tx trowel.Tx) (next time.Duration, err error) {
	agents, err := tx.ListAgents(ctx)
	if err != nil {
		return 0, err
	}
	now, next := rc.now(), rc.interval()
	for _, a := range agents {
		judgeAfter := rc.judgeAfter
		if start := rc.began.Add(afterStart); a.Remote && judgeAfter.Before(start) {
			judgeAfter = start
		}
		switch {
		case a.ID == rc.own.ID():
		case rc.exclusive && !a.Remote, !a.LeaseEnds.After(now) && !now.Before(judgeAfter):
			if err := rc.deleteAgent(ctx, tx, a, now); err != nil {
				return 0, err
			}
		case a.LeaseEnds.After(now):
			next = min(next, a.LeaseEnds.Sub(now))
		default:
			next = min(next, judgeAfter.Sub(now))
		}
	}
	return next, nil
}

// deleteAgent deletes an agent that is lost, so that its tries can be released. The audit records how many there
// are; some may still end with reports that are about to be written. If several servers find the same agent
// lost, only one of them records it.
func (rc *recoverer) deleteAgent(ctx context.Context, tx trowel.Tx, a *trowel.Agent, now time.Time) error {
	// This changes nothing, but locks the row: other servers wait here, and then find no row.
	there, err := tx.RenewLeases(ctx, []string{a.ID}, a.SeenAt, a.LeaseEnds)
	if err != nil || len(there) == 0 {
		return err
	}
	tries, err := tx.ListRunningOf(ctx, a.ID)
	if err != nil {
		return err
	}
	if err := tx.DeleteAgent(ctx, a.ID); err != nil {
		return err
	}
	rc.log.WarnContext(ctx, "agent lost", slog.String("agent", a.Name), slog.String("id", a.ID), slog.Int("tries", len(tries)))
	return tx.InsertRecords(ctx, &trowel.AuditRecord{
		At: now, ActorKind: trowel.ActorServer, Actor: "engine", Source: trowel.SourceServer, Action: trowel.ActionAgentLost,
		ObjectKind: "agent", ObjectID: a.ID, Object: a.Name, After: param.Of("tries", len(tries)),
	})
}
