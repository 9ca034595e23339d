package server

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// V1Options are what the handlers work with.
type V1Options struct {
	Launcher         Launcher
	Killer           Killer
	Archives         *Archives
	Crypter          *secret.Crypter
	Logs             *tasklog.Reader // nil if no output is kept
	Events           *Events
	SchedulesChanged func(one *trowel.Schedule) // called after the times of a schedule have changed; with nil for any number of them
	Versions         Versions
	Pushes           Pushes
	MaxAttempts      int // running ones, for backfills
	MaxSessionsPage  int
	MaxAttemptsPage  int
}
