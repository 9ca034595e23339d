package schedule

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf16"
)

// parseDate reads a date as YYYY-MM-DD and returns its midnight in UTC, which stands for no zone here. The
// message of its error is that of Digdag's date library (language S12).
func parseDate(text string) (time.Time, error) {
	year, rest, ok := cutDigits(text, 4)
	if !ok || rest != "" && isDigit(rest[0]) {
		return time.Time{}, dateError(text, " at index 0")
	}
	month, rest, err := datePart(text, rest)
	if err != nil {
		return time.Time{}, err
	}
	day, rest, err := datePart(text, rest)
	if err != nil {
		return time.Time{}, err
	}
	if rest != "" {
		return time.Time{}, dateError(text, fmt.Sprintf(", unparsed text found at index %d", len(text)-len(rest)))
	}
	if reason := notInCalendar(year, time.Month(month), day); reason != "" {
		return time.Time{}, dateError(text, ": "+reason)
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC), nil
}

// datePart reads a hyphen and two digits from the rest of a text.
func datePart(text, rest string) (n int, after string, err error) {
	digits, found := strings.CutPrefix(rest, "-")
	if !found {
		return 0, "", dateError(text, fmt.Sprintf(" at index %d", len(text)-len(rest)))
	}
	n, after, ok := cutDigits(digits, 2)
	if !ok {
		return 0, "", dateError(text, fmt.Sprintf(" at index %d", len(text)-len(digits)))
	}
	return n, after, nil
}

// cutDigits reads exactly count digits at the start of a text.
func cutDigits(text string, count int) (n int, rest string, ok bool) {
	if len(text) < count {
		return 0, "", false
	}
	for i := range count {
		if !isDigit(text[i]) {
			return 0, "", false
		}
		n = n*10 + int(text[i]-'0')
	}
	return n, text[count:], true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// notInCalendar says why a date does not exist, or "".
func notInCalendar(year int, month time.Month, day int) string {
	switch {
	case month < time.January || month > time.December:
		return fmt.Sprintf("Invalid value for MonthOfYear (valid values 1 - 12): %d", month)
	case day < 1 || day > 31:
		return fmt.Sprintf("Invalid value for DayOfMonth (valid values 1 - 28/31): %d", day)
	case int64(day) <= daysIn(year, month):
		return ""
	case month == time.February && day == 29:
		return fmt.Sprintf("Invalid date 'February 29' as '%d' is not a leap year", year)
	default:
		return fmt.Sprintf("Invalid date '%s %d'", strings.ToUpper(month.String()), day)
	}
}

// dateError is Digdag's text for a date that cannot be read: class, text and reason (language S12).
func dateError(text, reason string) error {
	const longest = 64 // in UTF-16 units
	if units := utf16.Encode([]rune(text)); len(units) > longest {
		text = string(utf16.Decode(units[:longest])) + "..."
	}
	return fmt.Errorf("java.time.format.DateTimeParseException: Text '%s' could not be parsed%s", text, reason)
}
