package schedule

import "time"

// A wall is what a clock on the wall shows, without a zone: the seconds since 1970-01-01 00:00:00 on
// that clock. It is a moment only together with a Zone.
type wall int64

// wallOf returns date and time of t in its own location, in whole seconds.
func wallOf(t time.Time) wall {
	_, offset := t.Zone()
	return wall(t.Unix() + int64(offset))
}

// wallAt returns what a clock in the location shows at an instant in Unix seconds.
func wallAt(unix int64, location *time.Location) wall {
	return wall(unix + offsetAt(unix, location))
}

// FirstOccurrence returns the moment at which a clock in the zone shows the date and time that clock
// shows in its own location. Fractions of a second are dropped. A time that the zone skips is
// moved forward by the length of the gap. If the zone has a time twice, it is the first one. Digdag reads
// dates and times from people this way (server 1.9.2), and also start and end of schedules.
func (z Zone) FirstOccurrence(clock time.Time) time.Time {
	first, _ := z.occurrences(wallOf(clock))
	return time.Unix(first, 0).In(z.Location)
}

// SecondOccurrence is FirstOccurrence, but if the zone has a time twice, it is the second one.
// Cron patterns are read this way (language S16).
func (z Zone) SecondOccurrence(clock time.Time) time.Time {
	_, second := z.occurrences(wallOf(clock))
	return time.Unix(second, 0).In(z.Location)
}

// reach is more than the distance of any zone from UTC, in seconds. It is so short that the clock of a zone is
// never set twice within two of it. The shortest time between was four days, in Freetown in 1939.
const reach = 24 * 3600

// occurrences returns the first and the last instant in Unix seconds at which a clock in the zone
// shows w. They are equal unless the zone's clock is set back over w. If it is set forward over w,
// both are w by the clock before.
//
// The offsets well before and well after w show whether the clock is set near it. It does not use the bounds of
// periods from time.Time.ZoneBounds, which are wrong at the end of leap years.
func (z Zone) occurrences(w wall) (first, last int64) {
	before := offsetAt(int64(w)-reach, z.Location)
	after := offsetAt(int64(w)+reach, z.Location)
	first, last = int64(w)-before, int64(w)-after
	if before == after {
		return first, last
	}
	holdsFirst := offsetAt(first, z.Location) == before
	holdsLast := offsetAt(last, z.Location) == after
	switch {
	case holdsFirst && holdsLast: // the clock is set back over w
		return first, last
	case holdsLast:
		return last, last
	default: // before the clock is set, or in the gap
		return first, first
	}
}

// offsetAt returns the seconds by which a clock in the location is ahead of UTC at an instant.
func offsetAt(unix int64, location *time.Location) int64 {
	_, offset := time.Unix(unix, 0).In(location).Zone()
	return int64(offset)
}
