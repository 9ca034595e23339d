package template

import (
	"math"
	"time"
)

// Instants are milliseconds since 1970 UTC. Local times are the milliseconds at which a clock in UTC would show the
// same time. NaN is not a date.

const (
	msPerSecond = 1000
	msPerMinute = 60 * msPerSecond
	msPerHour   = 60 * msPerMinute
	msPerDay    = 24 * msPerHour
	maxInstant  = 8.64e15
)

// offsetAt returns the offset of a zone from UTC at an instant, in milliseconds.
func offsetAt(zone *time.Location, instant float64) float64 {
	_, seconds := instantIn(zone, instant).Zone()
	return float64(seconds) * msPerSecond
}

func instantIn(zone *time.Location, instant float64) time.Time {
	return time.UnixMilli(int64(math.Floor(instant))).In(zone)
}

// toLocal returns the local time of an instant.
func toLocal(zone *time.Location, instant float64) float64 {
	if math.IsNaN(instant) {
		return instant
	}
	return instant + offsetAt(zone, instant)
}

// toInstant returns the instant of a local time. A local time that a clock change skips or repeats is
// converted with the offset after the change (language T22a).
func toInstant(zone *time.Location, local float64) float64 {
	if math.IsNaN(local) || math.Abs(local) > maxInstant+msPerDay {
		return math.NaN()
	}
	// Whatever the offset, the relevant change is within a day of the local time taken as UTC.
	_, end := instantIn(zone, local-msPerDay).ZoneBounds()
	for !end.IsZero() && float64(end.UnixMilli()) <= local+msPerDay {
		change := float64(end.UnixMilli())
		before, after := offsetAt(zone, change-1), offsetAt(zone, change)
		if local < change+min(before, after) {
			return local - before
		}
		if local < change+max(before, after) {
			return local - after
		}
		_, end = end.ZoneBounds()
	}
	return local - offsetAt(zone, local+msPerDay)
}
