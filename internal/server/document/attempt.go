package document

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// Attempt returns the document of an attempt.
func Attempt(s *trowel.AttemptSummary) api.Attempt {
	a := &s.Attempt
	workflow := api.ID(a.WorkflowID)
	shape := api.Attempt{
		Status: a.Flags.Status(), ID: api.ID(a.ID), Index: a.Index, Project: IDName(s.Project),
		Workflow:  api.NameOptID{Name: s.Session.Workflow, ID: api.OptID(workflow)},
		SessionID: api.ID(s.Session.ID), SessionUUID: s.Session.UUID, SessionTime: OffsetTime(s.Session.Time, a.Zone),
		Done: a.Flags&trowel.AttemptDone != 0, Success: a.Flags&trowel.AttemptSuccess != 0,
		CancelRequested: a.Flags&trowel.AttemptCancelRequested != 0,
		Params:          Object(a.Params), CreatedAt: api.Instant{Time: a.CreatedAt}, FinishedAt: api.OptInstant(a.FinishedAt),
	}
	if a.Name != "" {
		shape.RetryAttemptName = &a.Name
	}
	return shape
}

// Task returns the document of a task. It has no masked values.
func Task(t *trowel.Task) api.Task {
	shape := api.Task{
		ID: api.ID(t.ID), FullName: t.FullName, ParentID: api.OptID(api.ID(t.ParentID)), Config: configOf(t), IsGroup: t.Group,
		State: State(t.State), CancelRequested: t.Flags&trowel.TaskCancelRequested != 0,
		ExportParams: Object(t.Masked.Hide(trowel.AreaExport, param.Merged(t.Export, t.Result.Export))),
		StoreParams:  Object(t.Masked.Hide(trowel.AreaStore, t.Result.Store)), StateParams: Object(t.Masked.Hide(trowel.AreaState, t.StateParams)),
		UpdatedAt: api.Instant{Time: t.UpdatedAt}, RetryAt: api.OptInstant(t.RetryAt), StartedAt: api.OptInstant(t.StartedAt),
		Error: Object(t.Error),
	}
	if t.Group {
		shape.StartedAt = nil
	}
	for _, up := range t.Upstreams {
		shape.Upstreams = append(shape.Upstreams, api.ID(up))
	}
	return shape
}

// configOf returns a task's own keys, and its _export unless that is empty (server 2.3).
func configOf(t *trowel.Task) *param.Map {
	config := Object(t.Local).Clone()
	if t.Export.Len() > 0 {
		config.Set("_export", t.Masked.Hide(trowel.AreaExport, t.Export))
	}
	return config
}

// State returns Digdag's name of a state (design, section 8). The tasks of a state of a later version have not ended, as
// far as this one knows.
func State(s trowel.TaskState) string {
	switch s {
	case trowel.TaskSkipped:
		return trowel.TaskSuccess.String()
	case trowel.TaskDeferred, trowel.TaskAwaitingInput:
		return trowel.TaskRetryWaiting.String()
	case trowel.TaskBlocked, trowel.TaskReady, trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting, trowel.TaskRunning,
		trowel.TaskPlanned, trowel.TaskGroupError, trowel.TaskSuccess, trowel.TaskError, trowel.TaskCanceled:
		return s.String()
	}
	return trowel.TaskRunning.String()
}

// OffsetTime shows a time in a zone, or in UTC if the zone does not exist any more.
func OffsetTime(at time.Time, zone string) api.OffsetTime {
	known, err := schedule.ParseZone(zone)
	if err != nil {
		known = schedule.UTC()
	}
	return api.OffsetTime{Time: at.In(known.Location)}
}
