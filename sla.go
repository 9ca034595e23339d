package trowel

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Monitor is the SLA of one attempt. When it is due, the tasks of its block are added to the attempt (language 6.8).
type Monitor struct {
	AttemptID AttemptID  // the attempt that should be done by then
	DueAt     time.Time  // when it fires unless the attempt has ended
	Config    *param.Map // the sla: block
}

// MonitorTx is the part of a transaction about SLAs.
type MonitorTx interface {
	// InsertMonitor stores the monitor of a new attempt.
	InsertMonitor(ctx context.Context, m *Monitor) error
	// FindMonitor returns the monitor of an attempt. It is an ErrNotFound if there is none or it has fired.
	FindMonitor(ctx context.Context, id AttemptID) (*Monitor, error)
	// ListMonitors returns the monitors of those attempts that have one.
	ListMonitors(ctx context.Context, ids []AttemptID) ([]Monitor, error)
	// DeleteMonitor deletes a monitor that has fired or whose attempt has ended.
	DeleteMonitor(ctx context.Context, id AttemptID) error
}
