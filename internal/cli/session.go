package cli

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/schedule"
	"github.com/trowel-project/trowel/internal/statusdir"
	"github.com/trowel-project/trowel/internal/terminal"
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
			return time.Time{}, &complaint{text: sessionNoSchedule}
		}
		return s.schedule.Last(s.now).Session, nil
	case "last":
		return s.last(ctx)
	}
	clock, ok := parseClock(text)
	if !ok {
		return time.Time{}, clockError("--session", text, fmt.Sprintf(sessionFormat, text)+" (config)", "daily", "hourly", "schedule", "last")
	}
	return s.zone.FirstOccurrence(clock), nil
}

func (s *sessionChoice) midnight() time.Time {
	now := s.now.In(s.zone.Location)
	return s.zone.FirstOccurrence(time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC))
}

// last takes up the newest session that has kept tasks of the workflow, or begins a new one.
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

var clockPattern = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d))?$`)

// parseClock reads a date, or a date and time, as a clock in UTC. A day past the end of its month is
// the last one, and 24:00:00 is the next midnight (server 1.9.2).
func parseClock(text string) (time.Time, bool) {
	m := clockPattern.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, false
	}
	var n [6]int
	for i, part := range m[1:] {
		n[i], _ = strconv.Atoi(part) // digits only, or empty for 0
	}
	year, month, day, hour, minute, second := n[0], n[1], n[2], n[3], n[4], n[5]
	midnight := hour == 24 && minute == 0 && second == 0
	if month < 1 || month > 12 || day < 1 || day > 31 || (hour > 23 && !midnight) || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	endOfMonth := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return time.Date(year, time.Month(month), min(day, endOfMonth), hour, minute, second, 0, time.UTC), true
}

// warnOfDay tells people on a terminal which day counts where an option names one that its month has not, as
// 2026-02-30.
func warnOfDay(c *call, option string) {
	text := c.args.text(option)
	clock, ok := parseClock(text)
	if !ok || !c.env.Terminals.Stderr || text[:len(time.DateOnly)] == clock.Format(time.DateOnly) || strings.HasSuffix(text, " 24:00:00") {
		return
	}
	terminal.Say(c.env.Stderr, "warning: %s %s: there is no such day, it is taken for %s\n", option, text, clock.Format(time.DateOnly))
}
