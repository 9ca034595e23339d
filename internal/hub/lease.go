package hub

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
)

// leaseShape is a lease as an agent gets it, with only what its try needs.
func leaseShape(l *trowel.Lease) api.AgentLease {
	s := l.Context
	zone := ""
	if l.Zone != nil {
		zone = l.Zone.String()
	}
	return api.AgentLease{
		TaskID: int64(l.TaskID), AttemptID: int64(l.AttemptID), Try: l.Try, FullName: l.FullName,
		ProjectID: int64(s.Project.ID), Project: s.Project.Name, RevisionID: int64(s.Revision.ID), Revision: s.Revision.Name,
		Archive: api.AgentArchive{
			Type: s.Revision.Archive.Type, Key: s.Revision.Archive.Key, MD5: s.Revision.Archive.MD5, SizeBytes: s.Revision.Archive.SizeBytes,
		},
		WorkflowID: int64(s.Workflow.ID), Workflow: s.Workflow.Name,
		SessionID: int64(s.Session.ID), SessionTime: micros(s.Session.Time), SessionUUID: s.Session.UUID,
		Attempt: api.AgentAttempt{Name: l.AttemptName, CreatedAt: micros(l.AttemptCreatedAt)},
		Zone:    zone, Scope: l.Scope, Local: l.Local, State: l.StateParams, RetryCount: l.RetryCount, StartedAt: micros(l.StartedAt),
		Job: l.Job, Cancel: l.Cancel, Limits: limitsShape(l.Limits),
	}
}

// limitsShape is limits as they are sent; nil for none.
func limitsShape(l *trowel.CommandLimits) *api.CommandLimits {
	if l == nil {
		return nil
	}
	shape := api.CommandLimits(*l)
	return &shape
}

// micros is an instant as it is sent; 0 for the zero instant.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}
