package scheduler

import (
	"context"
	"strconv"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// acting is the record of an action on a schedule.
func acting(by trowel.AuditRecord, verb string) trowel.AuditRecord {
	by.Action = "schedule." + verb
	return by
}

// record writes the record of a change of a schedule, unless nobody is named.
func record(ctx context.Context, tx trowel.Tx, w *trowel.ScheduledWorkflow, by trowel.AuditRecord, before, after *param.Map) error {
	if by.ActorKind == "" {
		return nil
	}
	row := &w.Schedule
	by.ObjectKind, by.ObjectID, by.Object = "schedule", strconv.FormatInt(int64(row.ID), 10), w.Definition.Project.Name+"/"+row.Workflow
	by.ProjectID, by.Workflow, by.Before, by.After = row.ProjectID, row.Workflow, before, after
	return tx.InsertRecords(ctx, &by)
}

// timesText is what a record says about a schedule.
func timesText(s *trowel.Schedule) *param.Map {
	return param.Of(
		"enabled", s.DisabledAt.IsZero(), "nextSessionTime", s.NextSessionAt.UTC().Format(time.RFC3339), "nextRunTime", s.NextRunAt.UTC().Format(time.RFC3339),
	)
}
