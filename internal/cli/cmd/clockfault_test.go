package cmd

import "testing"

// TestClockFault checks what people read about a time that they mistyped.
func TestClockFault(t *testing.T) {
	t.Parallel()
	words := []string{"daily", "hourly", "last"}
	for value, want := range map[string]string{
		"2026-13-45":                "there is no month 13: months are 01 to 12",
		"2026-00-10":                "there is no month 00: months are 01 to 12",
		"2026-12-45":                "there is no day 45: days are 01 to 31",
		"2026-12-24 25:00:00":       "there is no hour 25: hours are 00 to 23",
		"2026-12-24 10:61:00":       "there is no minute 61: minutes are 00 to 59",
		"2026-12-24 10:00:60":       "there is no second 60: seconds are 00 to 59",
		"2026-12-24T10:00:00":       "a blank stands between date and time, not a T, and no zone follows",
		"2026-12-24 10:00:00 +0900": "nothing follows the seconds; the time is in the zone of the workflow",
		"2026-12-24 10:00":          "hours, minutes and seconds are all needed, with two digits each",
		"2026-1-2":                  "it needs four digits of the year and two of all else, with hyphens and colons, the year first",
		"24.12.2026":                "it needs four digits of the year and two of all else, with hyphens and colons, the year first",
		"20261224":                  "it is no date",
		"today":                     `there is no such word; did you mean "daily"?`,
		"yesterday":                 "there is no such word",
		"dayly":                     `there is no such word; did you mean "daily"?`,
		"":                          "it is empty",
	} {
		if got := clockFault(value, words); got != want {
			t.Errorf("clockFault(%q) = %q, want %q", value, got, want)
		}
	}
	if got := clockFault("2026-12-24 24:00:01", nil); got != "there is no hour 24: hours are 00 to 23" {
		t.Errorf("clockFault(24:00:01) = %q", got)
	}
}
