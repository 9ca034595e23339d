package schedule

import (
	"math/bits"
	"time"
)

const (
	secondsPerMinute = 60
	minutesPerHour   = 60
	secondsPerDay    = 24 * minutesPerHour * secondsPerMinute
	daysPerWeek      = 7
)

// next returns the first match after the minute that contains an instant, both in Unix seconds
// (language S16). If the following minute matches in the zone, it is that minute. Otherwise it is
// the next local date and time that matches. A gap of the zone moves it forward, and if the zone has it
// twice, the second time counts. The result is always later than the instant.
func (c cron) next(unix int64, zone Zone) int64 {
	_, second := divFloor(int64(wallAt(unix, zone.Location)), secondsPerMinute)
	following := unix - second + secondsPerMinute
	local := wallAt(following, zone.Location)
	for _, fields := range c {
		if fields.match(local) {
			return following
		}
	}
	_, soonest := zone.occurrences(c[0].nextLocal(local))
	for _, fields := range c[1:] {
		_, instant := zone.occurrences(fields.nextLocal(local))
		soonest = min(soonest, instant)
	}
	return soonest
}

// match reports whether the minute of a local date and time matches.
func (f cronFields) match(local wall) bool {
	day, second := divFloor(int64(local), secondsPerDay)
	minute := second / secondsPerMinute
	return f.hours&(1<<(minute/minutesPerHour)) != 0 &&
		f.minutes&(1<<(minute%minutesPerHour)) != 0 &&
		f.matchDay(day)
}

// matchDay reports whether a day, counted from 1970-01-01, matches.
func (f cronFields) matchDay(day int64) bool {
	year, month, date := dateOf(day)
	return f.datesIn(year, month, day-date+1)&(1<<date) != 0
}

// nextLocal returns the first local date and time that matches, from the minute of the given one on.
func (f cronFields) nextLocal(from wall) wall {
	day, second := divFloor(int64(from), secondsPerDay)
	if f.matchDay(day) {
		if minute, ok := f.nextMinute(second / secondsPerMinute); ok {
			return wall(day*secondsPerDay + minute*secondsPerMinute)
		}
	}
	day = f.nextDay(day + 1)
	return wall(day*secondsPerDay + f.firstMinute()*secondsPerMinute)
}

// firstMinute returns the first minute of a day that matches.
func (f cronFields) firstMinute() int64 { return lowest(f.hours)*minutesPerHour + lowest(f.minutes) }

// nextMinute returns the first minute of a day that matches, from the given one on.
func (f cronFields) nextMinute(from int64) (minute int64, ok bool) {
	hour := from / minutesPerHour
	if f.hours&(1<<hour) != 0 {
		if rest := f.minutes >> (from % minutesPerHour); rest != 0 {
			return from + lowest(rest), true
		}
	}
	rest := f.hours >> (hour + 1)
	if rest == 0 {
		return 0, false
	}
	return (hour+1+lowest(rest))*minutesPerHour + lowest(f.minutes), true
}

// nextDay returns the first day that matches, from the given one on, both counted from 1970-01-01.
// It ends within 40 years, the longest time without a given weekday on February 29, as patterns
// that never match are refused.
func (f cronFields) nextDay(from int64) int64 {
	year, month, date := dateOf(from)
	first := from - date + 1 // of the month
	for {
		if dates := f.datesIn(year, month, first) >> date; dates != 0 {
			return first + date + lowest(dates) - 1
		}
		first += daysIn(year, month)
		date = 1
		if month++; month > time.December {
			year, month = year+1, time.January
		}
	}
}

// datesIn returns the dates of a month whose day and weekday match, as bits 1 to 31. The month is
// given with its first day, counted from 1970-01-01.
func (f cronFields) datesIn(year int, month time.Month, first int64) uint64 {
	if f.months&(1<<month) == 0 {
		return 0
	}
	const (
		week       = 1<<daysPerWeek - 1
		fiveWeeks  = 1 | 1<<7 | 1<<14 | 1<<21 | 1<<28
		ofFirstDay = int64(time.Thursday) // 1970-01-01
	)
	_, weekday := divFloor(first+ofFirstDay, daysPerWeek)
	weekdays := f.weekdays & week
	fromFirst := (weekdays | weekdays<<daysPerWeek) >> weekday & week
	return f.datesOf(daysIn(year, month)) & (fromFirst * fiveWeeks << 1)
}

// datesOf returns the dates that match in a month of that many days, as bits 1 to 31, whatever its
// weekdays.
func (f cronFields) datesOf(days int64) uint64 {
	dates := f.days & (2<<days - 1)
	if f.days&(1<<lastDay) != 0 {
		dates |= 1 << days
	}
	return dates
}

func lowest(set uint64) int64 { return int64(bits.TrailingZeros64(set)) }

// dateOf returns the date of a day counted from 1970-01-01.
func dateOf(day int64) (year int, month time.Month, date int64) {
	year, month, dayOfMonth := time.Unix(day*secondsPerDay, 0).UTC().Date()
	return year, month, int64(dayOfMonth)
}

func daysIn(year int, month time.Month) int64 {
	return int64(time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day())
}

// divFloor divides by a positive number, rounding down. The remainder is never negative.
func divFloor(n, by int64) (quotient, rest int64) {
	quotient, rest = n/by, n%by
	if rest < 0 {
		quotient, rest = quotient-1, rest+by
	}
	return quotient, rest
}
