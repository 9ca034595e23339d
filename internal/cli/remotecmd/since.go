package remotecmd

import (
	"strconv"
	"time"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/param"
)

// sinceForms lists the forms of --since, for error messages.
const sinceForms = `write a length of time back from now, as in 12h or 7d, today, yesterday, "HH:mm", "yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss", with a zone as in +0900 or without, or UNIX seconds`

// leastSeconds is the smallest number that counts as UNIX seconds; it is in 1973. Shorter numbers are probably a year, a
// date without hyphens or a duration without its unit, and would list everything.
const leastSeconds = 100_000_000

// sinceTime returns the time that --since means. Times and dates without a zone are in the zone of now.
func sinceTime(text string, now time.Time) (time.Time, bool) {
	midnight := func(days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, 0, 0, 0, 0, now.Location())
	}
	switch text {
	case "today":
		return midnight(0), true
	case "yesterday":
		return midnight(-1), true
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Unix(seconds, 0), seconds >= leastSeconds
	}
	if length, err := param.ParseDuration(text); err == nil {
		return now.Add(-length), length > 0
	}
	if at, err := time.Parse("15:04", text); err == nil {
		at = time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), 0, 0, now.Location())
		if at.After(now) { // of last evening
			at = at.AddDate(0, 0, -1)
		}
		return at, true
	}
	for _, layout := range []string{cmd.ClockFormat, time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02"} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// sinceOption reads --since; zero if it is not given.
func sinceOption(c *cmd.Call) (time.Time, error) {
	text := c.Args.Text("--since")
	if text == "" {
		return time.Time{}, nil
	}
	at, ok := sinceTime(text, c.Env.Now())
	if !ok {
		return at, c.UsageError("--since makes no sense: "+strconv.Quote(text)).Hinting("%s", sinceForms)
	}
	return at, nil
}
