package schedule

import "time"

// SinceHour returns how long the hour of an instant has lasted on a clock in the zone. Where the
// clock is set back, an instant of the second pass stays in the second pass: the hour has the offset of the instant,
// unless its beginning has another one, as in Java's ZonedDateTime.truncatedTo.
func (z Zone) SinceHour(at time.Time) time.Duration {
	clock := at.In(z.Location)
	since := time.Duration(clock.Minute())*time.Minute + time.Duration(clock.Second())*time.Second + time.Duration(clock.Nanosecond())
	start := at.Add(-since)
	if offsetAt(start.Unix(), z.Location) == offsetAt(at.Unix(), z.Location) {
		return since
	}
	begin := z.FirstOccurrence(time.Date(clock.Year(), clock.Month(), clock.Day(), clock.Hour(), 0, 0, 0, time.UTC))
	return at.Sub(begin)
}
