package dig

import (
	"regexp"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// Texts of Digdag that name Java classes, or that do not say what they are about.
var (
	wrongTypeText  = regexp.MustCompile(`^Expected (.+?) for key '([^']*)' but got (.*) \((\w+)\)$`)
	requiredText   = regexp.MustCompile(`^Parameter '([^']*)' is required but not set$`)
	dateText       = regexp.MustCompile(`java\.time\.format\.DateTimeParseException: Text '(.*)' could not be parsed(?:: (.*)|[ ,].*)?`)
	foundCode      = regexp.MustCompile(`found (.)\(\d+\)`) // a character with its number
	optionalOfText = regexp.MustCompile(`Optional\.of\((.*)\)`)
)

// inOwnWords rewords Digdag's text, without Java classes. Findings are for people. The error itself keeps the text that
// programs match on.
func inOwnWords(message string) string {
	if m := wrongTypeText.FindStringSubmatch(message); m != nil {
		wanted, key, got := m[1], m[2], m[3]
		if key == keyTimezone && strings.Contains(wanted, "ZoneId") {
			return "there is no time zone " + got
		}
		return "'" + key + "' must be " + ownType(wanted) + ", but is " + got
	}
	if m := requiredText.FindStringSubmatch(message); m != nil {
		return "the key '" + m[1] + "' is missing"
	}
	if got, found := strings.CutPrefix(message, "Invalid _retry format:"); found {
		return "'_retry' must be a number of retries, or an object with a limit, but is " + got
	}
	if kind, found := strings.CutPrefix(message, "Unknown scheduler type: "); found {
		return "there is no kind of schedule " + kind + ">"
	}
	if words := scheduleInOwnWords(message); words != "" {
		return words
	}
	if got, found := strings.CutPrefix(message, "Expected object to load Config but got "); found {
		if got == "null" {
			return "the file is empty"
		}
		return "a .dig file must hold keys with values, but this one holds " + got
	}
	message = dateText.ReplaceAllStringFunc(message, func(text string) string {
		if m := dateText.FindStringSubmatch(text); m[2] != "" {
			return strings.TrimSuffix(m[2], ")")
		}
		return "not a date such as 2026-01-31"
	})
	message = strings.TrimSuffix(message, ": Optional.absent()")
	return optionalOfText.ReplaceAllString(message, "$1")
}

// taskInOwnWords rewords Digdag's text about the keys of a task, without the whole task in it. key is
// the wrong one.
func taskInOwnWords(message, key string) string {
	task, _, found := strings.Cut(message, " contains invalid keys: ")
	if found && key != "" {
		return "'" + key + "' means nothing on the group " + task
	}
	head, body, found := strings.Cut(message, ": {")
	if !found || !strings.HasPrefix(head, "A task can't have ") {
		return message
	}
	object, err := param.Parse("{" + body)
	keys, ok := object.(*param.Map)
	if err != nil || !ok {
		return message
	}
	operators := slices.DeleteFunc(keys.Keys(), func(key string) bool { return !isOperatorKey(key) })
	if strings.HasPrefix(head, "A task can't have subtasks") {
		return "a task with an operator can't have subtasks: " + strings.Join(operators, ", ")
	}
	return "a task can't have more than one operator: " + strings.Join(operators, ", ")
}

// ownType returns the name of a type that Digdag's text wants, in Trowel's words.
func ownType(wanted string) string {
	switch {
	case strings.HasPrefix(wanted, "integer"), strings.Contains(wanted, "<int>"), strings.Contains(wanted, "java.lang.Integer"),
		strings.Contains(wanted, "java.lang.Long"):
		return "a whole number"
	case wanted == "'true' or 'false'", strings.Contains(wanted, "java.lang.Boolean"):
		return "true or false"
	case strings.HasPrefix(wanted, "array"):
		return "a list"
	case strings.HasPrefix(wanted, "object"), strings.Contains(wanted, ".Config>"):
		return wantedObject
	case strings.Contains(wanted, "DurationParam"):
		return "a length of time, such as 1h 30m"
	case strings.Contains(wanted, "ZoneId"):
		return "a time zone"
	case strings.Contains(wanted, "Instant"):
		return wantedInstant
	case strings.HasPrefix(wanted, "string"), strings.Contains(wanted, "java.lang.String"):
		return "a text"
	}
	return wanted
}

// zoneHint suggests time zones with similar names.
func zoneHint(message string) string {
	_, name, _ := strings.Cut(message, `"`)
	name, _, _ = strings.Cut(name, `"`)
	if near := schedule.SimilarZones(name); len(near) > 0 {
		return didYouMean(near)
	}
	return "use a name such as Asia/Tokyo or America/New_York, or an offset such as +09:00"
}
