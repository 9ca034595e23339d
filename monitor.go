package trowel

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Monitor is the SLA of one attempt: when it is due, its tasks are added (language 6.8).
type Monitor struct {
	AttemptID AttemptID
	DueAt     time.Time
	Config    *param.Map // the sla: block
}

// Delayed is an attempt of a backfill that waits for the session before it (language S40).
type Delayed struct {
	AttemptID AttemptID
	// DependsOn is the session whose attempts must have ended first; zero for the first one.
	DependsOn SessionID
	// NextRunAt is when it may be tried next.
	NextRunAt time.Time
}

// MonitorTx is the part of a transaction about what attempts wait for.
type MonitorTx interface {
	InsertMonitor(ctx context.Context, m *Monitor) error
	// FindMonitor returns the monitor of an attempt; ErrNotFound if there is none or it has fired.
	FindMonitor(ctx context.Context, id AttemptID) (*Monitor, error)
	// ListMonitors returns the monitors of attempts, as far as there are some.
	ListMonitors(ctx context.Context, ids []AttemptID) ([]Monitor, error)
	// DeleteMonitor deletes a monitor that has fired, or whose attempt has ended.
	DeleteMonitor(ctx context.Context, id AttemptID) error

	InsertDelayed(ctx context.Context, d *Delayed) error
	// FindDelayed returns what an attempt waits for; ErrNotFound if it does not.
	FindDelayed(ctx context.Context, id AttemptID) (*Delayed, error)
	DeleteDelayed(ctx context.Context, id AttemptID) error
	// ListReadyDelayed returns up to limit waiting attempts whose NextRunAt is not later than now and
	// whose DependsOn has no unfinished attempt, in the order of their ids.
	ListReadyDelayed(ctx context.Context, now time.Time, limit int) ([]Delayed, error)

	// InsertResumed keeps the tasks of an earlier attempt whose success counts in a new one, for tasks
	// that are yet to be generated (language X69).
	InsertResumed(ctx context.Context, attempt AttemptID, tasks []*Task) error
	ListResumed(ctx context.Context, attempt AttemptID) ([]*Task, error)
	DeleteResumed(ctx context.Context, attempt AttemptID) error
}
