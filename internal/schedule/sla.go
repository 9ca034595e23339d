package schedule

import (
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Texts of language S43.
const (
	slaEither   = "SLA must be specified using either the 'time' or 'duration' option"
	slaTime     = "SLA time option needs to be HH:MM or HH:MM:SS format: Optional.of(%s)"
	slaDuration = "SLA duration option needs to be HH:MM or HH:MM:SS format: Optional.absent()"
)

// SLA is the block sla: when an attempt is late, and what to do then (language 6.8).
type SLA struct {
	// ByClock is set if Clock is a time of day. Otherwise it is a duration.
	ByClock bool
	Clock   time.Duration // since midnight, or since the attempt's reference time; not limited to a day
	Alert   bool          // send a notification
	Fail    bool          // add a task that fails
	Tasks   *param.Map    // the rest of the block: the body of the task ^sla
}

// ParseSLA reads the block sla. The error is a *param.Error with Digdag's text. alert and fail that
// are not booleans count as their defaults (language S48).
func ParseSLA(config *param.Map) (*SLA, error) {
	r := param.NewReader(config)
	at, byClock, err := r.OptString("time")
	if err != nil {
		return nil, err
	}
	length, byDuration, err := r.OptString("duration")
	if err != nil {
		return nil, err
	}
	if byClock == byDuration {
		return nil, param.Errorf(slaEither)
	}
	sla := &SLA{ByClock: byClock, Alert: true, Tasks: config.Clone()}
	var ok bool
	if byClock {
		if sla.Clock, ok = parseHours(at); !ok {
			return nil, param.Errorf(slaTime, at)
		}
	} else if sla.Clock, ok = parseHours(length); !ok {
		return nil, param.Errorf(slaDuration)
	}
	if alert, err := r.BoolOr("alert", true); err == nil {
		sla.Alert = alert
	}
	if fail, err := r.BoolOr("fail", false); err == nil {
		sla.Fail = fail
	}
	for _, key := range []string{"time", "duration", "alert", "fail"} {
		sla.Tasks.Delete(key)
	}
	return sla, nil
}

// parseHours reads HH:MM or HH:MM:SS. The parts are any integers (language S43).
func parseHours(text string) (time.Duration, bool) {
	parts := strings.Split(text, ":")
	if len(parts) != 2 && len(parts) != 3 {
		return 0, false
	}
	var sum time.Duration
	for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
		if i == len(parts) {
			break
		}
		n, err := strconv.ParseInt(parts[i], 10, 32)
		if err != nil {
			return 0, false
		}
		sum += time.Duration(n) * unit
	}
	return sum, true
}

// Due returns when an attempt with this reference time is late (language S44): after the duration,
// or when a clock in the zone shows the time of day on the local date of the reference
// time, or 24 hours later if that is before the reference time.
func (s *SLA) Due(reference time.Time, zone Zone) time.Time {
	if !s.ByClock {
		return reference.Add(s.Clock)
	}
	local := reference.In(zone.Location)
	midnight := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	due := zone.FirstOccurrence(midnight.Add(s.Clock))
	if due.Before(reference) {
		due = due.Add(24 * time.Hour)
	}
	return due
}
