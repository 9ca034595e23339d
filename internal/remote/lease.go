package remote

import (
	"fmt"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/schedule"
)

// leaseOf reads a lease.
func (l *Link) leaseOf(id string, s *api.AgentLease) (*trowel.Lease, error) {
	zone, err := l.zones.find(s.Zone)
	if err != nil {
		return nil, fmt.Errorf("read the lease of task %d: %w", s.TaskID, err)
	}
	lease := &trowel.Lease{
		TaskID: trowel.TaskID(s.TaskID), AttemptID: trowel.AttemptID(s.AttemptID), Try: s.Try, AgentID: id, FullName: s.FullName,
		Context: &trowel.AttemptContext{
			Project: trowel.Project{ID: trowel.ProjectID(s.ProjectID), Name: s.Project},
			Revision: trowel.Revision{
				ID: trowel.RevisionID(s.RevisionID), ProjectID: trowel.ProjectID(s.ProjectID), Name: s.Revision,
				Archive: trowel.Archive{Type: s.Archive.Type, Key: s.Archive.Key, MD5: s.Archive.MD5, SizeBytes: s.Archive.SizeBytes},
			},
			Workflow: trowel.Workflow{ID: trowel.WorkflowID(s.WorkflowID), RevisionID: trowel.RevisionID(s.RevisionID), Name: s.Workflow, Zone: s.Zone},
			Session: trowel.Session{
				ID: trowel.SessionID(s.SessionID), ProjectID: trowel.ProjectID(s.ProjectID), Workflow: s.Workflow,
				Time: instant(s.SessionTime), UUID: s.SessionUUID,
			},
		},
		AttemptName: s.Attempt.Name, AttemptCreatedAt: instant(s.Attempt.CreatedAt), Zone: zone,
		Scope: s.Scope, Local: s.Local, StateParams: s.State, RetryCount: s.RetryCount, StartedAt: instant(s.StartedAt),
		Job: s.Job, Cancel: s.Cancel,
	}
	if s.Limits != nil {
		limits := trowel.CommandLimits(*s.Limits)
		lease.Limits = &limits
	}
	return lease, nil
}

// instant is an instant as it is sent; 0 for none.
func instant(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// zones caches time zones. The zero value is ready for use.
type zones struct {
	mu    sync.Mutex
	known map[string]*time.Location
}

// find returns a zone by name; nil for the empty name.
func (z *zones) find(name string) (*time.Location, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // a lease without a zone
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if zone := z.known[name]; zone != nil {
		return zone, nil
	}
	zone, err := schedule.ParseZone(name)
	if err != nil {
		return nil, err
	}
	if z.known == nil {
		z.known = map[string]*time.Location{}
	}
	z.known[name] = zone.Location
	return zone.Location, nil
}
