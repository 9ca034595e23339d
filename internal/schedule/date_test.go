package schedule

import (
	"strings"
	"testing"
)

func TestParseDate(t *testing.T) {
	t.Parallel()
	for _, date := range []string{"2024-02-29", "2000-02-29", "2024-12-31", "0000-01-01", "9999-12-31"} {
		got, err := parseDate(date)
		if err != nil || got.Format("2006-01-02T15:04:05Z07:00") != date+"T00:00:00Z" {
			t.Errorf("parseDate(%s) = %v, %v; want its midnight", date, got, err)
		}
	}
}

func TestParseDateRefuses(t *testing.T) { // S12
	t.Parallel()
	tests := []struct{ date, reason string }{
		{"2022-04-31", ": Invalid date 'APRIL 31'"},
		{"2023-02-30", ": Invalid date 'FEBRUARY 30'"},
		{"2023-02-29", ": Invalid date 'February 29' as '2023' is not a leap year"},
		{"1900-02-29", ": Invalid date 'February 29' as '1900' is not a leap year"},
		{"2024-13-45", ": Invalid value for MonthOfYear (valid values 1 - 12): 13"},
		{"2024-00-10", ": Invalid value for MonthOfYear (valid values 1 - 12): 0"},
		{"2024-01-32", ": Invalid value for DayOfMonth (valid values 1 - 28/31): 32"},
		{"2024-01-00", ": Invalid value for DayOfMonth (valid values 1 - 28/31): 0"},
		{"2024/01/01", " at index 4"},
		{"2024", " at index 4"},
		{"2024-1-1", " at index 5"},
		{"2024-", " at index 5"},
		{"2024-01", " at index 7"},
		{"2024-01-1", " at index 8"},
		{"", " at index 0"},
		{" 2024-01-01", " at index 0"},
		{"20240101", " at index 0"},
		{"12345-01-01", " at index 0"},
		{"２０２４-01-01", " at index 0"},
		{"2024-01-01T00:00:00", ", unparsed text found at index 10"},
	}
	for _, test := range tests {
		_, err := parseDate(test.date)
		want := "java.time.format.DateTimeParseException: Text '" + test.date + "' could not be parsed" + test.reason
		if message(err) != want {
			t.Errorf("parseDate(%s): error = %v\nwant %s", test.date, err, want)
		}
	}
}

func TestParseDateCutsLongText(t *testing.T) {
	t.Parallel()
	_, err := parseDate("2024-01-01" + strings.Repeat("é", 80))
	want := "java.time.format.DateTimeParseException: Text '2024-01-01" + strings.Repeat("é", 54) +
		"...' could not be parsed, unparsed text found at index 10"
	if message(err) != want {
		t.Errorf("parseDate: error = %v\nwant %s", err, want)
	}
}
