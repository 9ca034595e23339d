package textutil

import (
	"strconv"
	"time"
)

// Duration is a length of time for people, in at most six characters: 0.3s, 32s, 4m05s, 3h20m, 2d07h.
func Duration(d time.Duration) string {
	seconds := int(d / time.Second)
	switch {
	case d < 10*time.Second:
		return strconv.FormatFloat(float64(max(d, 0)/(100*time.Millisecond))/10, 'f', 1, 64) + "s"
	case seconds < 60:
		return strconv.Itoa(seconds) + "s"
	case seconds < 60*60:
		return twoUnits(seconds, 60, "m", "s")
	case seconds < 24*60*60:
		return twoUnits(seconds/60, 60, "h", "m")
	default:
		return twoUnits(seconds/60/60, 24, "d", "h")
	}
}

// Seconds is durationText of a length that is known in whole seconds: of such there are no tenths.
func Seconds(d time.Duration) string {
	switch {
	case d < time.Second:
		return "<1s"
	case d < 10*time.Second:
		return strconv.Itoa(int(d/time.Second)) + "s"
	}
	return Duration(d)
}

// Span is the length between two instants. Servers tell many in whole seconds.
func Span(from, to time.Time) string {
	if from.Nanosecond() == 0 || to.Nanosecond() == 0 {
		return Seconds(to.Sub(from))
	}
	return Duration(to.Sub(from))
}

func twoUnits(n, per int, large, small string) string {
	rest := strconv.Itoa(n % per)
	if len(rest) < 2 {
		rest = "0" + rest
	}
	return strconv.Itoa(n/per) + large + rest + small
}

// Until is the time until an instant in whole seconds, rounded up.
func Until(d time.Duration) string {
	d = max((d + time.Second - 1).Truncate(time.Second), 0)
	if d < 10*time.Second {
		return strconv.Itoa(int(d/time.Second)) + "s"
	}
	return Duration(d)
}
