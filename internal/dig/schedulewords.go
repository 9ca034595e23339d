package dig

import (
	"regexp"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Digdag's texts about schedules.
var (
	clockFormText  = regexp.MustCompile(`^(\w+>):? scheduler requires \S+ format: (.*)$`)
	unusedSchedule = regexp.MustCompile(`^Parameter '([^']*)' is not used at schedule\.(?: *> Did you mean '\[(.*)\]'\?)?$`)
	badCronName    = regexp.MustCompile(`^invalid cron pattern .*: (month|weekday): '([^']*)' is no value$`)
)

// clockForms are the commands of schedule kinds: what they are, and one that is right.
//
//nolint:gochecknoglobals // a table that never changes
var clockForms = map[string][2]string{
	"hourly>":  {"minutes and seconds past the hour", "30:00"},
	"daily>":   {"a time of day", "07:00:00"},
	"weekly>":  {"a weekday and a time of day", "Mon,07:00:00"},
	"monthly>": {"a day of the month and a time of day", "1,07:00:00"},
}

// scheduleInOwnWords says what Digdag's text about a schedule says; empty if the text is about something else.
func scheduleInOwnWords(message string) string {
	if m := clockFormText.FindStringSubmatch(message); m != nil && clockForms[m[1]][0] != "" {
		return "'" + m[1] + "' must be " + clockForms[m[1]][0] + ", but is " + m[2]
	}
	if m := unusedSchedule.FindStringSubmatch(message); m != nil {
		if strings.HasSuffix(m[1], ">") {
			return "a schedule has one kind, and '" + m[1] + "' is another beside it"
		}
		return "no schedule has the option '" + m[1] + "'"
	}
	return ""
}

// scheduleMend says how to mend what a schedule was refused or warned of for; empty if it is not about one.
func scheduleMend(message string) string {
	if m := clockFormText.FindStringSubmatch(message); m != nil && clockForms[m[1]][1] != "" {
		return "write it as in `" + m[1] + `: "` + clockForms[m[1]][1] + "\"`"
	}
	if m := unusedSchedule.FindStringSubmatch(message); m != nil {
		if strings.HasSuffix(m[1], ">") {
			return "remove one of them, or write a second workflow"
		}
		if m[2] != "" {
			return didYouMean(strings.Split(m[2], ", "))
		}
		return "remove it; a schedule has skip_on_overtime, skip_delayed_by, start and end"
	}
	if m := badCronName.FindStringSubmatch(message); m != nil {
		names := map[string]string{
			"month":   "jan feb mar apr may jun jul aug sep oct nov dec",
			"weekday": "sun mon tue wed thu fri sat",
		}
		if near := param.Similar(strings.ToLower(m[2]), strings.Fields(names[m[1]])); len(near) > 0 {
			return didYouMean(near)
		}
		return "use a number, *, or one of " + names[m[1]]
	}
	if strings.HasPrefix(message, "invalid cron pattern ") {
		return "write minute, hour, day of month, month and weekday, as in `\"0 7 * * mon-fri\"`"
	}
	return ""
}
