package v1

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/server/download"
	"github.com/trowel-project/trowel/internal/server/events"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// Options are what the handlers work with.
type Options struct {
	Launcher         Launcher
	Killer           Killer
	Archives         *download.Archives
	Crypter          *secret.Crypter
	Logs             *tasklog.Reader // nil if no output is kept
	Events           *events.Feed
	SchedulesChanged func(one *trowel.Schedule) // called after the times of a schedule have changed; with nil for any number of them
	Versions         Versions
	Pushes           Pushes
	MaxAttempts      int // running ones, for backfills
	MaxSessionsPage  int
	MaxAttemptsPage  int
}
