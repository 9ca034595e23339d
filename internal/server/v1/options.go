package v1

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/server/download"
	"github.com/trowel-project/trowel/internal/server/events"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// Options are what the handlers need.
type Options struct {
	Launcher         Launcher
	Killer           Killer
	Archives         *download.Archives
	Crypter          *secret.Crypter
	Logs             *tasklog.Reader // nil if there are no task logs
	Events           *events.Feed
	SchedulesChanged func(one *trowel.Schedule) // called after a schedule has changed; with nil if any may have
	Versions         Versions
	Pushes           PushOptions
	MaxAttempts      int // largest number of running attempts, for backfills
	MaxSessionsPage  int
	MaxAttemptsPage  int
}
