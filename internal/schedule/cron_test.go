package schedule

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func set(values ...int) (bits uint64) {
	for _, v := range values {
		bits |= 1 << v
	}
	return bits
}

func TestParseCron(t *testing.T) { // S14, S15
	t.Parallel()
	tests := []struct {
		name, pattern string
		field         func(cronFields) uint64
		want          uint64
	}{
		{"all minutes", "* * * * *", minutes, 1<<60 - 1},
		{"one", "5 * * * *", minutes, set(5)},
		{"list", "5,10,7 * * * *", minutes, set(5, 7, 10)},
		{"range", "8-11 * * * *", minutes, set(8, 9, 10, 11)},
		{"range of one", "8-8 * * * *", minutes, set(8)},
		{"range around", "* 22-2 * * *", hours, set(22, 23, 0, 1, 2)},
		{"step", "*/20 * * * *", minutes, set(0, 20, 40)},
		{"step of a range", "* 10-20/3 * * *", hours, set(10, 13, 16, 19)},
		{"step of a range around", "* 22-3/2 * * *", hours, set(22, 0, 2)},
		{"step of one value", "5/15 * * * *", minutes, set(5)},
		{"large step", "*/90 * * * *", minutes, set(0)},
		{"leading zeros and plus", "007,+8 * * * *", minutes, set(7, 8)},
		{"last day", "* * L * *", days, set(lastDay)},
		{"last day and another", "* * 1,l * *", days, set(1, lastDay)},
		{"range to the last day", "* * 29-L * *", days, set(29, 30, 31, lastDay)},
		{"range from the last day", "* * L-2 * *", days, set(1, 2)},
		{"month names", "* * * jan,FEB,dEc *", months, set(1, 2, 12)},
		{"month range around", "* * * nov-2 *", months, set(11, 12, 1, 2)},
		{"weekday names", "* * * * sun,MON,sAt", weekdays, set(0, 1, 6)},
		{"seven", "* * * * 7", weekdays, set(0)},
		{"to seven", "* * * * 5-7", weekdays, set(5, 6, 0)},
		{"zero to seven", "* * * * 0-7", weekdays, set(0)},
		{"one to seven", "* * * * 1-7", weekdays, set(1, 2, 3, 4, 5, 6, 0)},
		{"to Sunday", "* * * * SAT-sun", weekdays, set(6, 0)},
		{"weekdays around", "* * * * 6-1", weekdays, set(6, 0, 1)},
		{"step of weekdays", "* * * * */2", weekdays, set(0, 2, 4, 6)},
		{"step of weekdays counts seven", "* * * * 5-7/2", weekdays, set(5)},
		{"stray commas", ",1,,2, * * * *", minutes, set(1, 2)},
		{"stray hyphens", "-1 2- * * *", minutes, set(1)},
		{"stray slashes", "/1/ * * * *", minutes, set(1)},
		{"blanks and tabs", " \t1  \t * * * * ", minutes, set(1)},
		{"stray bar", "1 * * * *|", minutes, set(1)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			pattern, err := parseCron(test.pattern)
			if err != nil || len(pattern) != 1 {
				t.Fatalf("parseCron(%q) = %v, %v; want one alternative", test.pattern, pattern, err)
			}
			if got := test.field(pattern[0]); got != test.want {
				t.Errorf("parseCron(%q): field = %b, want %b", test.pattern, got, test.want)
			}
		})
	}
}

func minutes(f cronFields) uint64 { return f.minutes }
func hours(f cronFields) uint64   { return f.hours }
func days(f cronFields) uint64    { return f.days }
func months(f cronFields) uint64  { return f.months }

// weekdays leaves out the 7 that a range may have: no day has it.
func weekdays(f cronFields) uint64 { return f.weekdays &^ (1 << 7) }

func TestParseCronRefuses(t *testing.T) { // S15
	t.Parallel()
	tests := []struct{ pattern, want string }{
		{"", "want five fields: minute, hour, day of month, month, weekday"},
		{"|", "want five fields: minute, hour, day of month, month, weekday"},
		{"0 0 * * * *", "want five fields: minute, hour, day of month, month, weekday"},
		{"0 0 * * *|0 0 *", "want five fields: minute, hour, day of month, month, weekday"},
		{"@daily", "want five fields: minute, hour, day of month, month, weekday"},
		{"60 * * * *", "minute: 60 is not from 0 to 59"},
		{"* 24 * * *", "hour: 24 is not from 0 to 23"},
		{"* 32 * * *", "hour: 32 is not from 0 to 23"},
		{"* * 0 * *", "day of month: 0 is not from 1 to 31"},
		{"* * 32 * *", "day of month: 32 is not from 1 to 31"},
		{"* * * 13 *", "month: 13 is not from 1 to 12"},
		{"* * * * 8", "weekday: 8 is not from 0 to 7"},
		{"* * * * 1-8", "weekday: 8 is not from 0 to 7"},
		{"* * ? * *", "day of month: '?' is no value"},
		{"* * 15W * *", "day of month: '15W' is no value"},
		{"* * * * 5#3", "weekday: '5#3' is no value"},
		{"* * * january *", "month: 'january' is no value"},
		{"* * * * jan", "weekday: 'jan' is no value"},
		{"L * * * *", "minute: 'L' is no value"},
		{", * * * *", "minute: ',' has no value"},
		{"- * * * *", "minute: '-' is no range"},
		{"1-2-3 * * * *", "minute: '1-2-3' is no range"},
		{"*-3 * * * *", "minute: '*' is no value"},
		{"1/2/3 * * * *", "minute: '1/2/3' is no range with a step"},
		{"*/0 * * * *", "minute: '0' is no step"},
		{"*/-1 * * * *", "minute: '-1' is no step"},
		{"*/x * * * *", "minute: 'x' is no step"},
		{"99999999999999999999 * * * *", "minute: '99999999999999999999' is no value"},
		{"0 0 30 2 *", "it never matches: none of its months has such a day"},
		{"0 0 31 2,4,6,9,11 *", "it never matches: none of its months has such a day"},
		{"0 0 * * *|0 0 31 4 *", "it never matches: none of its months has such a day"},
	}
	for _, test := range tests {
		t.Run(test.pattern, func(t *testing.T) {
			t.Parallel()
			_, err := parseCron(test.pattern)
			want := "invalid cron pattern '" + test.pattern + "': " + test.want
			if diff := cmp.Diff(want, message(err)); diff != "" {
				t.Errorf("parseCron (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCronNext(t *testing.T) { // S15, S16
	t.Parallel()
	tests := []struct{ name, pattern, from, want string }{
		{"within the minute", "* * * * *", "2024-01-15T10:20:30Z", "2024-01-15T10:21:00Z"},
		{"strictly later", "20 10 * * *", "2024-01-15T10:20:00Z", "2024-01-16T10:20:00Z"},
		{"next hour", "5 * * * *", "2024-01-15T10:20:00Z", "2024-01-15T11:05:00Z"},
		{"next of the list", "5,25 * * * *", "2024-01-15T10:20:00Z", "2024-01-15T10:25:00Z"},
		{"next day", "5 9 * * *", "2024-01-15T10:20:00Z", "2024-01-16T09:05:00Z"},
		{"next year", "59 23 31 12 *", "2024-12-31T23:59:00Z", "2025-12-31T23:59:00Z"},
		{"Friday the 13th", "0 0 13 * fri", "2023-10-13T00:00:00Z", "2024-09-13T00:00:00Z"},
		{"months of 31 days", "0 0 31 * *", "2024-03-31T00:00:00Z", "2024-05-31T00:00:00Z"},
		{"last day", "0 0 L * *", "2023-02-01T00:00:00Z", "2023-02-28T00:00:00Z"},
		{"last day of a leap year", "0 0 L * *", "2024-02-01T00:00:00Z", "2024-02-29T00:00:00Z"},
		{"last Friday if it is the last day", "0 0 L * fri", "2024-01-01T00:00:00Z", "2024-05-31T00:00:00Z"},
		{"leap day", "0 0 29 2 *", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"leap day over 2100", "0 0 29 2 *", "2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"},
		{"leap day on a Sunday", "0 0 29 2 sun", "2004-02-29T00:00:00Z", "2032-02-29T00:00:00Z"},
		{"leap day on a Sunday over 2100", "0 0 29 2 sun", "2088-02-29T00:00:00Z", "2128-02-29T00:00:00Z"},
		{"first day after the days that February lacks", "0 0 1,31 * *", "2023-02-15T00:00:00Z", "2023-03-01T00:00:00Z"},
		{"every other day over a leap day", "0 0 */2 * *", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"},
		{"earlier of two", "0 0 * * mon|30 12 1 * *", "2024-01-29T00:00:00Z", "2024-02-01T12:30:00Z"},
		{"later of two", "30 12 1 * *|0 0 * * mon", "2024-02-01T12:30:00Z", "2024-02-05T00:00:00Z"},
		{"before 1970", "0 0 * * *", "1969-12-31T23:59:30Z", "1970-01-01T00:00:00Z"},
		{"long before 1970", "*/7 * * * thu", "1900-01-01T00:00:01Z", "1900-01-04T00:00:00Z"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			pattern, err := parseCron(test.pattern)
			if err != nil {
				t.Fatal(err)
			}
			got := time.Unix(pattern.next(at(t, test.from).Unix(), UTC()), 0).UTC().Format(time.RFC3339)
			if got != test.want {
				t.Errorf("next of %q after %s = %s, want %s", test.pattern, test.from, got, test.want)
			}
		})
	}
}

// The next match must be the one that is found by trying each minute.
func TestCronNextAgainstSearch(t *testing.T) {
	t.Parallel()
	for text := range strings.SplitSeq("0 0 1,15,L * *;*/7 3-5 * 2,3 *;59 23 * * 0;0 12 29-31 * 1-5;1 0-23/5 */3 * *", ";") {
		pattern, err := parseCron(text)
		if err != nil {
			t.Fatal(err)
		}
		from := at(t, "2023-12-30T21:13:00Z").Unix()
		for until := from + 100*secondsPerDay; from < until; {
			want := from + secondsPerMinute
			for !matchesPlainly(pattern[0], time.Unix(want, 0).UTC()) {
				want += secondsPerMinute
			}
			if got := pattern.next(from, UTC()); got != want {
				t.Fatalf("next of %q after %d = %d, want %d", text, from, got, want)
			}
			from = want
		}
	}
}

func matchesPlainly(f cronFields, at time.Time) bool {
	day := f.days&(1<<at.Day()) != 0 || f.days&(1<<lastDay) != 0 && at.AddDate(0, 0, 1).Day() == 1
	return day && f.minutes&(1<<at.Minute()) != 0 && f.hours&(1<<at.Hour()) != 0 &&
		f.months&(1<<at.Month()) != 0 && f.weekdays&(1<<at.Weekday()) != 0
}
