package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// Every field of a record comes back as it was, and records are selected by each.
func testRecords(t *testing.T, db trowel.Store) {
	full := &trowel.AuditRecord{
		At: at(10), ActorKind: trowel.ActorUser, Actor: "somebody", Source: "rest", Action: "pool.create", ObjectKind: "pool", ObjectID: "7",
		Object: "etl", ProjectID: 3, Workflow: "w", AttemptID: 5, Before: rich(), After: rich(), Note: "b\u00e4",
	}
	bare := &trowel.AuditRecord{At: at(11), ActorKind: trowel.ActorServer, Action: "pool"}
	other := &trowel.AuditRecord{At: at(12), ActorKind: trowel.ActorToken, Actor: "other", Source: "cli", Action: "pools.delete", ProjectID: 3, Workflow: "x"}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.InsertRecords(ctx), tx.InsertRecords(ctx, full, bare), tx.InsertRecords(ctx, other))
	})
	if full.ID == 0 || bare.ID <= full.ID || other.ID <= bare.ID {
		t.Errorf("ids of records are %d, %d, %d, want growing ones", full.ID, bare.ID, other.ID)
	}
	for _, row := range []struct {
		name   string
		filter trowel.RecordFilter
		want   []*trowel.AuditRecord
	}{
		{"all", trowel.RecordFilter{}, []*trowel.AuditRecord{other, bare, full}},
		{"actor", trowel.RecordFilter{Actor: "other"}, []*trowel.AuditRecord{other}},
		{"action", trowel.RecordFilter{Action: "pool.create"}, []*trowel.AuditRecord{full}},
		{"action with all below", trowel.RecordFilter{Action: "pool"}, []*trowel.AuditRecord{bare, full}},
		{"source", trowel.RecordFilter{Source: "rest"}, []*trowel.AuditRecord{full}},
		{"project", trowel.RecordFilter{ProjectID: 3}, []*trowel.AuditRecord{other, full}},
		{"workflow", trowel.RecordFilter{ProjectID: 3, Workflow: "w"}, []*trowel.AuditRecord{full}},
		{"attempt", trowel.RecordFilter{AttemptID: 5}, []*trowel.AuditRecord{full}},
		{"instants", trowel.RecordFilter{From: at(11), To: at(12)}, []*trowel.AuditRecord{bare}},
		{"before", trowel.RecordFilter{Before: other.ID}, []*trowel.AuditRecord{bare, full}},
	} {
		for limit := 1; limit <= 3; limit++ {
			row.filter.Limit = limit
			view(t, db, func(ctx context.Context, tx trowel.Tx) error {
				got, err := tx.ListRecords(ctx, row.filter)
				equal(t, "records by "+row.name, got, slices.Clone(row.want)[:min(limit, len(row.want))])
				return err
			})
		}
	}
}
