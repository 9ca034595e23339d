package sqldb

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// interval is a length of time as PostgreSQL keeps it.
type interval struct {
	years, months, days, hours, minutes, seconds int64
	micros                                       int64
}

// intervalParts are what the server writes unless its IntervalStyle says otherwise, as "1 year 2 mons -3 days +04:05:06.7".
var intervalParts = regexp.MustCompile(
	`^(?:([+-]?\d+) years?)? ?(?:([+-]?\d+) mons?)? ?(?:([+-]?\d+) days?)? ?(?:([+-]?)(\d+):(\d+):(\d+)(?:\.(\d{1,6}))?)?$`)

func parseInterval(text string) (i interval, ok bool) {
	match := intervalParts.FindStringSubmatch(text)
	if match == nil || text == "" {
		return i, false
	}
	number := func(text string) int64 {
		n, _ := strconv.ParseInt(strings.TrimPrefix(text, "+"), 10, 64)
		return n
	}
	sign := int64(1)
	if match[4] == "-" {
		sign = -1
	}
	i = interval{
		years: number(match[1]), months: number(match[2]), days: number(match[3]),
		hours: sign * number(match[5]), minutes: sign * number(match[6]), seconds: sign * number(match[7]),
	}
	if match[8] != "" {
		i.micros = sign * number((match[8] + "000000")[:6])
	}
	return i, true
}

// total returns seconds and their fraction.
func (i interval) total() float64 { return float64(i.seconds) + float64(i.micros)/1e6 }

// intervalText returns the form of the JDBC driver.
func intervalText(text string) string {
	i, ok := parseInterval(text)
	if !ok {
		return text
	}
	return fmt.Sprintf("%d years %d mons %d days %d hours %d mins %s secs", i.years, i.months, i.days, i.hours, i.minutes, param.FloatText(i.total()))
}

// intervalValue returns what the JDBC driver's object has (operators 7.1).
func intervalValue(text string) param.Value {
	i, ok := parseInterval(text)
	if !ok {
		return text
	}
	return param.Of(
		"type", "interval", "value", intervalText(text), "null", true,
		"years", i.years, "months", i.months, "days", i.days, "hours", i.hours, "minutes", i.minutes, "seconds", i.total(),
		"wholeSeconds", i.seconds, "microSeconds", i.micros,
	)
}
