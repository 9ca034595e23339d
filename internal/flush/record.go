package flush

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// record keeps what the audit is to tell of an event that changed an attempt, beside its moves.
func (w *write) record(ev *event, a *attempt) {
	if ev.record == nil {
		return
	}
	r, s := *ev.record, a.Setting() // a copy: the transaction may be tried again
	r.At, r.ObjectKind, r.ObjectID = w.at, "attempt", strconv.FormatInt(int64(a.id), 10)
	r.Object, r.ProjectID, r.Workflow, r.AttemptID = s.Project.Name+"/"+s.Session.Workflow, s.Project.ID, s.Session.Workflow, a.id
	w.records = append(w.records, &r)
}

// lose deletes an agent whose lease has ended: from here on its tries are free. The audit says so, and how
// many they are; those whose reports this or another server is about to write may still end with them. Of
// several servers that find the same agent lost one writes that.
func (f *Flusher) lose(ctx context.Context, tx trowel.Tx, a *trowel.Agent, now time.Time) error {
	// An update that changes nothing has others wait for this transaction, and is in vain after theirs.
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
	f.opts.Log.WarnContext(ctx, "agent lost", slog.String("agent", a.Name), slog.String("id", a.ID), slog.Int("tries", len(tries)))
	return tx.InsertRecords(ctx, &trowel.Record{
		At: now, ActorKind: trowel.ActorServer, Actor: "engine", Source: trowel.SourceServer, Action: trowel.ActionAgentLost,
		ObjectKind: "agent", ObjectID: a.ID, Object: a.Name, After: param.Of("tries", len(tries)),
	})
}
