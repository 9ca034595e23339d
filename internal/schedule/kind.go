package schedule

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is a type of schedule.
type Kind struct {
	Name string // as in daily>
	Doc  string // what its command is, and when sessions are, in one line
	Form string // a regular expression of its command, which may be a number too; empty for any text
	read kind
}

// kind reads the command and the options of one type of schedule. The order is Digdag's, which
// decides which fault is reported. The delay is in seconds.
type kind func(*block) (times times, delay int64)

// Regular expressions of commands. Numbers may have any size and sign (language S4).
const (
	number      = `[-+]?[0-9]+`
	timeOfDay   = number + ":" + number + ":" + number + ":*"
	wholeNumber = `^[\x00-\x20]*[-+]?[0-9]+[\x00-\x20]*$`
)

// Kinds lists the types of schedules (language S2).
func Kinds() []Kind {
	return []Kind{
		{"hourly", "`MM:SS`: every full hour, run so much later", "^" + number + ":" + number + ":*$", hourly},
		{"daily", "`HH:MM:SS`: every midnight, run so much later", "^" + timeOfDay + "$", daily},
		{"weekly", "`DAY,HH:MM:SS`, as in `Mon,09:00:00`: midnight of that weekday, run so much later", `^[^,]+,[\x00-\x20]*` + timeOfDay + `[\x00-\x20]*$`, weekly},
		{"monthly", "`DAY,HH:MM:SS`, as in `1,09:00:00`: midnight of that day of the month, run so much later", "^" + number + "," + timeOfDay + "$", monthly},
		{"minutes_interval", "minutes: those of each hour that it divides", wholeNumber, minutesInterval},
		{"seconds_interval", "seconds: those of the clock that it divides", wholeNumber, secondsInterval},
		{"cron", "`MIN HOUR DAY MONTH WEEKDAY`: as the pattern says", "", cronPattern},
	}
}

// kindOf returns a type of schedule by its name.
func kindOf(name string) (kind, bool) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k.read, true
		}
	}
	return nil, false
}

func daily(b *block) (times, int64) {
	at := b.at()
	span := b.span()
	return b.cronTimes("0 0 * * *", b.timeOfDay("daily>", at), span)
}

func hourly(b *block) (times, int64) {
	at := b.at()
	span := b.span()
	parts, ok := clockParts(at, 2)
	if !ok {
		b.refuse("hourly>: scheduler requires mm:ss format: %s", at)
		return nil, 0
	}
	return b.cronTimes("0 * * * *", parts[0]*60+parts[1], span)
}

// weekly takes any weekday field of a pattern that has no comma (language S5).
func weekly(b *block) (times, int64) {
	const format = "weekly>: scheduler requires day,hh:mm:ss format: %s"
	at := b.at()
	day, clock, found := strings.Cut(at, ",")
	if !found {
		b.refuse(format, at)
	}
	day = trim(day)
	if n, err := strconv.ParseInt(day, 10, 32); err == nil && n < 0 {
		b.refuse("weekly>: invalid day: %s", day)
	}
	delay := b.timeOfDay("weekly>", trim(clock))
	pattern := "0 0 * * " + day
	if _, err := parseCron(pattern); err != nil {
		b.refuse(format, at)
	}
	return b.cronTimes(pattern, delay, b.span())
}

// monthly takes a number. A minus sign is ignored, as a stray separator of the pattern (S15).
func monthly(b *block) (times, int64) {
	at := b.at()
	text, clock, found := strings.Cut(at, ",")
	day, err := strconv.ParseInt(text, 10, 32)
	if !found || err != nil {
		b.refuse("monthly>: scheduler requires day,hh:mm:ss format: %s", at)
	}
	delay := b.timeOfDay("monthly>", clock)
	span := b.span()
	pattern := fmt.Sprintf("0 0 %d * *", day)
	if _, err := parseCron(pattern); err != nil {
		b.refuse("monthly>: invalid day: %d", day)
	}
	return b.cronTimes(pattern, delay, span)
}

// minutesInterval begins again every hour (language S7).
func minutesInterval(b *block) (times, int64) {
	minutes := b.number("minutes")
	delay := b.delay()
	return b.cronTimes(fmt.Sprintf("*/%d * * * *", minutes), delay, b.span())
}

func cronPattern(b *block) (times, int64) {
	span := b.span()
	pattern := b.text()
	return b.cronTimes(pattern, b.delay(), span)
}

// secondsInterval ignores start and end (language S8).
func secondsInterval(b *block) (times, int64) {
	seconds := b.number("seconds")
	return intervalTimes(seconds), b.delay()
}

func (b *block) cronTimes(pattern string, delay int64, span span) (times, int64) {
	cron, err := parseCron(pattern)
	if err != nil {
		b.refuse("%v", err)
		return nil, 0
	}
	return cronTimes{cron: cron, zone: b.zone, delay: delay, span: span}, delay
}

// timeOfDay reads hh:mm:ss as seconds. The parts may have any size and sign (language S4).
func (b *block) timeOfDay(kind, text string) int64 {
	parts, ok := clockParts(text, 3)
	if !ok {
		b.refuse("%s scheduler requires hh:mm:ss format: %s", kind, text)
		return 0
	}
	return parts[0]*3600 + parts[1]*60 + parts[2]
}

// clockParts reads a number of 32-bit integers between colons. Colons at the end are ignored.
func clockParts(text string, count int) (parts []int64, ok bool) {
	fields := strings.Split(strings.TrimRight(text, ":"), ":")
	if len(fields) != count {
		return nil, false
	}
	for _, field := range fields {
		n, err := strconv.ParseInt(field, 10, 32)
		if err != nil {
			return nil, false
		}
		parts = append(parts, n)
	}
	return parts, true
}
