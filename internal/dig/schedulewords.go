package dig

import (
	"regexp"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// Digdag's texts about schedules.
var (
	clockFormText  = regexp.MustCompile(`^(\w+>):? scheduler requires \S+ format: (.*)$`)
	unusedSchedule = regexp.MustCompile(`^Parameter '([^']*)' is not used at schedule\.(?: *> Did you mean '\[(.*)\]'\?)?$`)
	badSpan        = regexp.MustCompile(`^Invalid (start|end): (.*?) \(`)
	badDay         = regexp.MustCompile(`^(weekly>|monthly>): invalid day: (.*)$`)
	badCronName    = regexp.MustCompile(`^invalid cron pattern .*: (month|weekday): '([^']*)' is no value$`)
)

// cronWord matches a word instead of a cron pattern. cronWords says what such words mean.
//
//nolint:gochecknoglobals // a table that never changes
var (
	cronWord  = regexp.MustCompile(`^invalid cron pattern '(@\w+)':`)
	cronWords = map[string]string{
		"@hourly": "hourly>: 00:00", "@daily": "daily>: 00:00:00", "@midnight": "daily>: 00:00:00", "@weekly": "weekly>: Sun,00:00:00",
		"@monthly": "monthly>: 1,00:00:00", "@yearly": `cron>: "0 0 1 1 *"`, "@annually": `cron>: "0 0 1 1 *"`,
	}
)

// clockForms describes the commands of schedule kinds: what they are, and a correct one.
//
//nolint:gochecknoglobals // a table that never changes
var clockForms = map[string][2]string{
	"hourly>":  {"minutes and seconds past the hour", "30:00"},
	"daily>":   {"a time of day", "07:00:00"},
	"weekly>":  {"a weekday and a time of day", "Mon,07:00:00"},
	"monthly>": {"a day of the month and a time of day", "1,07:00:00"},
}

// scheduleInOwnWords rewords Digdag's text about a schedule. It is empty if the text is about something else.
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
	if m := badSpan.FindStringSubmatch(message); m != nil {
		return "'" + m[1] + "' must be a date, but is " + m[2]
	}
	if m := badDay.FindStringSubmatch(message); m != nil {
		return "'" + m[1] + "' has no day " + m[2]
	}
	if strings.HasPrefix(message, "Schedule config requires ") {
		return "the schedule names no kind"
	}
	if strings.HasPrefix(message, "The schedule of end ") {
		return "'end' is earlier than 'start'"
	}
	return ""
}

// scheduleCulprit returns the wrong key of a refused schedule, and the refusal with the name of that key.
func scheduleCulprit(block *param.Map, err *Error) (string, *Error) {
	key, _, _ := operatorOf(block)
	switch {
	case strings.HasPrefix(err.Message, "Invalid start: "), strings.HasPrefix(err.Message, "Invalid end: "):
		key, _, _ = strings.Cut(strings.TrimPrefix(err.Message, "Invalid "), ":")
	case strings.HasPrefix(err.Message, "The schedule of end "):
		key = "end"
	case strings.HasPrefix(err.Message, "Schedule config requires "):
		for other := range block.All() {
			if kind := other + ">"; slices.Contains(scheduleKinds(), kind) || len(param.Similar(kind, scheduleKinds())) > 0 {
				return other, err
			}
		}
	case strings.Contains(err.Message, "'_command'"):
		named := *err
		named.Message = strings.Replace(err.Message, "'_command'", "'"+key+"'", 1)
		return key, &named
	}
	return key, err
}

// scheduleKinds returns the keys that name kinds of schedules.
func scheduleKinds() []string {
	return []string{"daily>", "hourly>", "weekly>", "monthly>", "minutes_interval>", "cron>"}
}

// scheduleMend says how to mend a schedule that was refused or warned about. It is empty for other messages.
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
		values := map[string]string{
			"month":   schedule.CronMonths,
			"weekday": schedule.CronWeekdays,
		}
		word, names := strings.ToLower(m[2]), strings.Fields(values[m[1]])
		for _, name := range names {
			if strings.HasPrefix(word, name) {
				return didYouMean([]string{name})
			}
		}
		if near := param.Similar(word, names); len(near) > 0 {
			return didYouMean(near)
		}
		return "use a number, *, or one of " + values[m[1]]
	}
	if m := badSpan.FindStringSubmatch(message); m != nil {
		return "write year, month and day, as in `" + m[1] + ": 2026-01-31`"
	}
	if m := badDay.FindStringSubmatch(message); m != nil {
		if m[1] == "weekly>" {
			return "write a weekday, as in `weekly>: \"Mon,07:00:00\"`"
		}
		return "write a day from 1 to 31, as in `monthly>: \"1,07:00:00\"`"
	}
	if strings.Contains(message, "_interval> requires a number of ") {
		return "write a number from 1 on, as in `minutes_interval>: 30`"
	}
	if m := cronWord.FindStringSubmatch(message); m != nil && cronWords[m[1]] != "" {
		return "write `" + cronWords[m[1]] + "`"
	}
	if strings.HasPrefix(message, "invalid cron pattern ") && strings.Contains(message, "want five fields") {
		return "write minute, hour, day of month, month and weekday, without seconds or year, as in `\"0 7 * * mon-fri\"`"
	}
	if strings.HasPrefix(message, "invalid cron pattern ") {
		return "write minute, hour, day of month, month and weekday, as in `\"0 7 * * mon-fri\"`"
	}
	return ""
}
