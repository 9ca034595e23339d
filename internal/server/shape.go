package server

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// Documents of package api, made of what the store has.

func projectOf(p trowel.Project, r trowel.Revision) api.Project {
	return api.Project{
		ID: api.ID(p.ID), Name: p.Name, Revision: r.Name,
		CreatedAt: api.Instant{Time: p.CreatedAt}, UpdatedAt: api.Instant{Time: r.CreatedAt},
		ArchiveType: r.Archive.Type, ArchiveMD5: r.Archive.MD5,
	}
}

func revisionOf(r *trowel.Revision) api.Revision {
	return api.Revision{
		Revision: r.Name, CreatedAt: api.Instant{Time: r.CreatedAt},
		ArchiveType: r.Archive.Type, ArchiveMD5: r.Archive.MD5, UserInfo: full(r.UserInfo),
	}
}

func workflowOf(d *trowel.Definition) api.Workflow {
	return api.Workflow{
		ID: api.ID(d.Workflow.ID), Name: d.Workflow.Name, Project: idName(d.Project),
		Revision: d.Revision.Name, Timezone: d.Workflow.Zone, Config: full(d.Workflow.Definition),
	}
}

func scheduleOf(s *trowel.ScheduledWorkflow) api.Schedule {
	return api.Schedule{
		ID: api.ID(s.Schedule.ID), Project: idName(s.Definition.Project),
		Workflow:         api.IDName{ID: api.ID(s.Definition.Workflow.ID), Name: s.Definition.Workflow.Name},
		NextRunTime:      api.Instant{Time: s.Schedule.NextRunAt},
		NextScheduleTime: offsetTime(s.Schedule.NextSessionAt, s.Definition.Workflow.Zone),
		DisabledAt:       api.OptInstant(s.Schedule.DisabledAt),
	}
}

// summaryOf shows a schedule that was changed. As with Digdag, updatedAt is the creation (server
// 2.3).
func summaryOf(s *trowel.ScheduledWorkflow) api.ScheduleSummary {
	plain := scheduleOf(s)
	created := api.Instant{Time: s.Schedule.CreatedAt}
	return api.ScheduleSummary{
		ID: plain.ID, Project: plain.Project, Workflow: plain.Workflow, NextRunTime: plain.NextRunTime,
		NextScheduleTime: plain.NextScheduleTime, CreatedAt: created, UpdatedAt: created, DisabledAt: plain.DisabledAt,
	}
}

func sessionOf(s *trowel.AttemptSummary) api.Session {
	a := attemptOf(s)
	return api.Session{
		ID: a.SessionID, Project: a.Project, Workflow: a.Workflow, SessionUUID: a.SessionUUID, SessionTime: a.SessionTime,
		LastAttempt: &api.LastAttempt{
			ID: a.ID, RetryAttemptName: a.RetryAttemptName, Done: a.Done, Success: a.Success, CancelRequested: a.CancelRequested,
			Params: a.Params, CreatedAt: a.CreatedAt, FinishedAt: a.FinishedAt,
		},
	}
}

func attemptOf(s *trowel.AttemptSummary) api.Attempt {
	a := &s.Attempt
	workflow := api.ID(a.WorkflowID)
	shape := api.Attempt{
		Status: a.Flags.Status(), ID: api.ID(a.ID), Index: a.Index, Project: idName(s.Project),
		Workflow:  api.NameOptID{Name: s.Session.Workflow, ID: api.OptID(workflow)},
		SessionID: api.ID(s.Session.ID), SessionUUID: s.Session.UUID, SessionTime: offsetTime(s.Session.Time, a.Zone),
		Done: a.Flags&trowel.AttemptDone != 0, Success: a.Flags&trowel.AttemptSuccess != 0,
		CancelRequested: a.Flags&trowel.AttemptCancelRequested != 0,
		Params:          full(a.Params), CreatedAt: api.Instant{Time: a.CreatedAt}, FinishedAt: api.OptInstant(a.FinishedAt),
	}
	if a.Name != "" {
		shape.RetryAttemptName = &a.Name
	}
	return shape
}

func taskOf(t *trowel.Task) api.Task {
	shape := api.Task{
		ID: api.ID(t.ID), FullName: t.FullName, ParentID: api.OptID(api.ID(t.ParentID)), Config: configOf(t), IsGroup: t.Group,
		State: stateOf(t.State), CancelRequested: t.Flags&trowel.TaskCancelRequested != 0,
		ExportParams: full(t.Masked.Hide(trowel.AreaExport, param.Merged(t.Export, t.Result.Export))),
		StoreParams:  full(t.Masked.Hide(trowel.AreaStore, t.Result.Store)), StateParams: full(t.Masked.Hide(trowel.AreaState, t.StateParams)),
		UpdatedAt: api.Instant{Time: t.UpdatedAt}, RetryAt: api.OptInstant(t.RetryAt), StartedAt: api.OptInstant(t.StartedAt),
		Error: full(t.Error),
	}
	if t.Group {
		shape.StartedAt = nil
	}
	for _, up := range t.Upstreams {
		shape.Upstreams = append(shape.Upstreams, api.ID(up))
	}
	return shape
}

// configOf is a task's own keys, with its _export if that is not empty (server 2.3).
func configOf(t *trowel.Task) *param.Map {
	config := full(t.Local).Clone()
	if t.Export.Len() > 0 {
		config.Set("_export", t.Masked.Hide(trowel.AreaExport, t.Export))
	}
	return config
}

// stateOf is Digdag's word for a state (design, section 8). A state of a later version is one in which the task has
// not ended, as far as is known.
func stateOf(s trowel.TaskState) string {
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

// offsetTime shows an instant in a zone. A zone that is unknown by now is UTC.
func offsetTime(at time.Time, zone string) api.OffsetTime {
	known, err := schedule.ParseZone(zone)
	if err != nil {
		known = schedule.UTC()
	}
	return api.OffsetTime{Time: at.In(known.Location)}
}

// full is an object that is never null.
func full(m *param.Map) *param.Map {
	if m == nil {
		return param.New()
	}
	return m
}

// listOf makes a document of each item.
func listOf[T, S any](items []T, shape func(T) S) api.List[S] {
	list := make(api.List[S], len(items))
	for i, item := range items {
		list[i] = shape(item)
	}
	return list
}
