package cmd

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/textutil"
)

// This file explains what is wrong with a session time that somebody typed.

// Patterns that match the beginning of what was meant as a time.
var (
	clockWithT      = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d`)
	clockWithZone   = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d.`)
	clockNoSeconds  = regexp.MustCompile(`^\d{4}-\d\d-\d\d +\d\d?(:\d\d?)?$`)
	clockShort      = regexp.MustCompile(`^\d+[-/.]\d+[-/.]\d+( \d+:\d+:\d+)?$`)
	clockBeginDigit = regexp.MustCompile(`^\d`)
)

// ClockError returns the complaint about an option whose value is not a date, not a date and time, and not one of its
// words. digdag is the text that is shown without a terminal.
func ClockError(option, value, digdag string, words ...string) *ComplaintError {
	forms := append(slices.Clone(words), `"yyyy-MM-dd"`, `"yyyy-MM-dd HH:mm:ss"`)
	fault := clockFault(value, words)
	return &ComplaintError{
		Text: digdag,
		own:  fmt.Sprintf("%s %s: %s", option, strconv.Quote(value), fault),
		Hint: fmt.Sprintf("%s takes %s", option, textutil.CommaList(forms)), fault: fault,
	}
}

// clockFault explains what is wrong with a value that ParseClock refuses.
func clockFault(value string, words []string) string {
	if m := clockPattern.FindStringSubmatch(value); m != nil {
		return clockRange(m[2:])
	}
	switch {
	case strings.TrimSpace(value) == "":
		return "it is empty"
	case clockWithT.MatchString(value):
		return "a blank stands between date and time, not a T, and no zone follows"
	case clockWithZone.MatchString(value):
		return "nothing follows the seconds; the time is in the zone of the workflow"
	case clockNoSeconds.MatchString(value):
		return "hours, minutes and seconds are all needed, with two digits each"
	case clockShort.MatchString(value):
		return "it needs four digits of the year and two of all else, with hyphens and colons, the year first"
	case clockBeginDigit.MatchString(value):
		return "it is no date"
	}
	near := NearWord(value, words)
	if value == "today" && slices.Contains(words, "daily") {
		near = "daily"
	}
	if near != "" {
		return fmt.Sprintf("there is no such word; did you mean %q?", near)
	}
	return "there is no such word"
}

// clockRange names the first part that is out of range. The parts are month, day, hour, minute and second, each in
// digits; the last three may be empty.
func clockRange(parts []string) string {
	for i, part := range []struct {
		name        string
		least, most int
	}{{"month", 1, 12}, {"day", 1, 31}, {"hour", 0, 23}, {"minute", 0, 59}, {"second", 0, 59}} {
		if n, err := strconv.Atoi(parts[i]); err == nil && (n < part.least || n > part.most) {
			return fmt.Sprintf("there is no %s %s: %ss are %02d to %02d", part.name, parts[i], part.name, part.least, part.most)
		}
	}
	return "it is no date"
}
