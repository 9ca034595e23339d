package v1

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
)

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
		ArchiveType: r.Archive.Type, ArchiveMD5: r.Archive.MD5, UserInfo: document.Object(r.UserInfo),
	}
}

func workflowOf(d *trowel.Definition) api.Workflow {
	return api.Workflow{
		ID: api.ID(d.Workflow.ID), Name: d.Workflow.Name, Project: document.IDName(d.Project),
		Revision: d.Revision.Name, Timezone: d.Workflow.Zone, Config: document.Object(d.Workflow.Definition),
	}
}

func scheduleOf(s *trowel.ScheduledWorkflow) api.Schedule {
	return api.Schedule{
		ID: api.ID(s.Schedule.ID), Project: document.IDName(s.Definition.Project),
		Workflow:         api.IDName{ID: api.ID(s.Definition.Workflow.ID), Name: s.Definition.Workflow.Name},
		NextRunTime:      api.Instant{Time: s.Schedule.NextRunAt},
		NextScheduleTime: document.OffsetTime(s.Schedule.NextSessionAt, s.Definition.Workflow.Zone),
		DisabledAt:       api.OptInstant(s.Schedule.DisabledAt),
	}
}

// summaryOf returns the document of a changed schedule. As in Digdag, updatedAt is the time of creation (server 2.3).
func summaryOf(s *trowel.ScheduledWorkflow) api.ScheduleSummary {
	plain := scheduleOf(s)
	created := api.Instant{Time: s.Schedule.CreatedAt}
	return api.ScheduleSummary{
		ID: plain.ID, Project: plain.Project, Workflow: plain.Workflow, NextRunTime: plain.NextRunTime,
		NextScheduleTime: plain.NextScheduleTime, CreatedAt: created, UpdatedAt: created, DisabledAt: plain.DisabledAt,
	}
}

func sessionOf(s *trowel.AttemptSummary) api.Session {
	a := document.Attempt(s)
	return api.Session{
		ID: a.SessionID, Project: a.Project, Workflow: a.Workflow, SessionUUID: a.SessionUUID, SessionTime: a.SessionTime,
		LastAttempt: &api.LastAttempt{
			ID: a.ID, RetryAttemptName: a.RetryAttemptName, Done: a.Done, Success: a.Success, CancelRequested: a.CancelRequested,
			Params: a.Params, CreatedAt: a.CreatedAt, FinishedAt: a.FinishedAt,
		},
	}
}
