package cmd

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/terminal"
)

var clockPattern = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d))?$`)

// ParseClock reads a date, or a date and time, as if it were in UTC. A day past the end of its month is
// the last one, and 24:00:00 is the next midnight (server 1.9.2).
func ParseClock(text string) (time.Time, bool) {
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

// WarnOfDay warns people on a terminal if an option names a day that its month does not have, such as 2026-02-30. The
// warning says which day is used.
func WarnOfDay(c *Call, option string) {
	text := c.Args.Text(option)
	clock, ok := ParseClock(text)
	if !ok || !c.Env.Terminals.Stderr || text[:len(time.DateOnly)] == clock.Format(time.DateOnly) || strings.HasSuffix(text, " 24:00:00") {
		return
	}
	terminal.Say(c.Env.Stderr, "warning: %s %s: there is no such day, it is taken for %s\n", option, text, clock.Format(time.DateOnly))
}
