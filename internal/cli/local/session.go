package local

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/schedule"
	"github.com/trowel-project/trowel/internal/statusdir"
)

// Texts of server 1.9.2.
const (
	sessionFormat     = `--session must be hourly, daily, last, "yyyy-MM-dd", or "yyyy-MM-dd HH:mm:SS" format: %s`
	sessionNoSchedule = "--session schedule is set but schedule is not set to this workflow."
)

// sessionChoice is what the session time of a run depends on.
type sessionChoice struct {
	zone     schedule.Zone
	schedule *schedule.Schedule // nil without one
	states   statusdir.Root
	workflow string
	now      time.Time
	log      *slog.Logger
}

// choose returns the session time that --session asks for (language A11, server 1.9.2).
func (s *sessionChoice) choose(ctx context.Context, text string) (time.Time, error) {
	now := s.now.In(s.zone.Location)
	switch text {
	case "hourly":
		return now.Add(-s.zone.SinceHour(now)), nil
	case "daily":
		return s.midnight(), nil
	case "schedule":
		if s.schedule == nil {
			return time.Time{}, &cmd.ComplaintError{Text: sessionNoSchedule}
		}
		return s.schedule.Last(s.now).Session, nil
	case "last":
		return s.last(ctx)
	}
	clock, ok := cmd.ParseClock(text)
	if !ok {
		return time.Time{}, cmd.ClockError("--session", text, fmt.Sprintf(sessionFormat, text)+" (config)", "daily", "hourly", "schedule", "last")
	}
	return s.zone.FirstOccurrence(clock), nil
}

func (s *sessionChoice) midnight() time.Time {
	now := s.now.In(s.zone.Location)
	return s.zone.FirstOccurrence(time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC))
}

// last returns the newest session that has kept tasks of the workflow, or begins a new one.
func (s *sessionChoice) last(ctx context.Context) (time.Time, error) {
	last, found, err := s.states.Newest(s.workflow, s.zone)
	switch {
	case err != nil:
		return time.Time{}, err
	case found:
		logging.Print(ctx, s.log, slog.LevelWarn, "Reusing the last session time "+last.Format(trowel.SessionTimeLayout)+".")
		return last, nil
	case s.schedule != nil:
		at := s.schedule.Last(s.now).Session
		logging.Print(ctx, s.log, slog.LevelWarn, runview.NewSessionText+at.Format(trowel.SessionTimeLayout)+" based on schedule.")
		return at, nil
	}
	at := s.midnight()
	logging.Print(ctx, s.log, slog.LevelWarn, runview.NewSessionText+at.Format(trowel.SessionTimeLayout)+".")
	return at, nil
}
