package trowel

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// SLATimer is the SLA of one attempt. When it is due, the tasks of its block are added to the attempt (language 6.8).
type SLATimer struct {
	AttemptID AttemptID  // the attempt that should be done by then
	DueAt     time.Time  // when it fires unless the attempt has ended
	Config    *param.Map // the sla: block
}

// SLATx is the part of a transaction about SLAs.
type SLATx interface {
	// InsertSLATimer stores the monitor of a new attempt.
	InsertSLATimer(ctx context.Context, m *SLATimer) error
	// FindSLATimer returns the monitor of an attempt. It is an ErrNotFound if there is none or it has fired.
	FindSLATimer(ctx context.Context, id AttemptID) (*SLATimer, error)
	// ListSLATimers returns the monitors of those attempts that have one.
	ListSLATimers(ctx context.Context, ids []AttemptID) ([]SLATimer, error)
	// DeleteSLATimer deletes a monitor that has fired or whose attempt has ended.
	DeleteSLATimer(ctx context.Context, id AttemptID) error
}
