package template

import "math"

// The arithmetic of ECMA-262 with days and times, in doubles. Fields may be out of their ranges, and
// NaN or an infinity in one makes everything NaN.

// fields are the parts of a time, local or UTC.
type fields struct {
	year, month, day                      float64 // month from 0, day from 1
	hours, minutes, seconds, milliseconds float64
}

// split takes a time apart. It must not be NaN.
func split(t float64) fields {
	days := math.Floor(t / msPerDay)
	inDay := t - days*msPerDay
	year, month, day := civil(int64(days))
	return fields{
		year: float64(year), month: float64(month), day: float64(day),
		hours:        math.Floor(inDay / msPerHour),
		minutes:      math.Floor(math.Mod(inDay, msPerHour) / msPerMinute),
		seconds:      math.Floor(math.Mod(inDay, msPerMinute) / msPerSecond),
		milliseconds: math.Mod(inDay, msPerSecond),
	}
}

// time puts the pieces together.
func (f fields) time() float64 {
	days := dayNumber(f.year, f.month, f.day)
	inDay := whole(f.hours)*msPerHour + whole(f.minutes)*msPerMinute + whole(f.seconds)*msPerSecond + whole(f.milliseconds)
	t := days*msPerDay + inDay
	if math.IsInf(t, 0) {
		return math.NaN()
	}
	return t
}

// clip returns a time as dates store it: whole milliseconds within 100,000,000 days of 1970, or NaN.
func clip(t float64) float64 {
	if math.IsNaN(t) || math.Abs(t) > maxInstant {
		return math.NaN()
	}
	return math.Trunc(t) + 0
}

// whole removes the fraction. Infinities become NaN.
func whole(f float64) float64 {
	if math.IsInf(f, 0) {
		return math.NaN()
	}
	return math.Trunc(f)
}

// dayNumber returns the number of days between 1970 and a day.
func dayNumber(year, month, day float64) float64 {
	year, month, day = whole(year), whole(month), whole(day)
	year += math.Floor(month / 12)
	month -= math.Floor(month/12) * 12
	const farthest = 400_000 // in years; dates cannot be farther away
	if math.IsNaN(year+month+day) || math.Abs(year) > farthest {
		return math.NaN()
	}
	return float64(daysBefore(int64(year), int64(month))) + day - 1
}

// Here years begin in March, so that a leap day is the last day.
const (
	daysPerEra   = 146097 // 400 years
	yearsPerEra  = 400
	daysTo1970   = 719468 // from the first of March of the year 0
	daysPer5     = 153    // months from March on
	monthsToYear = 12
)

// daysBefore returns the number of days from 1970 to the first of a month. Months count from 0.
func daysBefore(year, month int64) int64 {
	if month < 2 {
		year--
	}
	era := floorDiv(year, yearsPerEra)
	inEra := year - era*yearsPerEra
	inYear := (daysPer5*((month+10)%monthsToYear) + 2) / 5
	return era*daysPerEra + inEra*365 + inEra/4 - inEra/100 + inYear - daysTo1970
}

// civil returns the date of a number of days since 1970. The month counts from 0.
func civil(days int64) (year, month, day int64) {
	days += daysTo1970
	era := floorDiv(days, daysPerEra)
	inEra := days - era*daysPerEra
	yearOfEra := (inEra - inEra/1460 + inEra/36524 - inEra/146096) / 365
	inYear := inEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	fromMarch := (5*inYear + 2) / daysPer5
	day = inYear - (daysPer5*fromMarch+2)/5 + 1
	month = (fromMarch + 2) % monthsToYear
	year = yearOfEra + era*yearsPerEra
	if month < 2 {
		year++
	}
	return year, month, day
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// weekday returns the weekday of a time. Sunday is 0.
func weekday(t float64) float64 {
	day := math.Mod(math.Floor(t/msPerDay)+4, 7)
	if day < 0 {
		day += 7
	}
	return day
}
