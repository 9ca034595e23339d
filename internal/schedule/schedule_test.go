package schedule

import (
	"errors"
	"testing"
	"time"
	_ "time/tzdata" // the rules of zones where none are installed

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/param"
)

func config(tb testing.TB, json string) *param.Map {
	tb.Helper()
	m, err := param.ParseMap(json)
	if err != nil {
		tb.Fatalf("ParseMap(%s): %v", json, err)
	}
	return m
}

func zone(tb testing.TB, name string) Zone {
	tb.Helper()
	z, err := ParseZone(name)
	if err != nil {
		tb.Fatalf("ParseZone(%s): %v", name, err)
	}
	return z
}

func parse(tb testing.TB, json, zoneName string) *Schedule {
	tb.Helper()
	s, err := Parse(config(tb, json), zone(tb, zoneName))
	if err != nil {
		tb.Fatalf("Parse(%s): %v", json, err)
	}
	return s
}

func at(tb testing.TB, text string) time.Time {
	tb.Helper()
	instant, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		tb.Fatal(err)
	}
	return instant
}

// text writes a time with its offset, which is never Z, as sessions are shown.
func text(instant time.Time) string { return instant.Format("2006-01-02T15:04:05-07:00") }

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const stringType = "[reference type, class com.google.common.base.Optional<java.lang.String><[simple type, class java.lang.String]>]"
	tests := []struct{ block, want string }{
		// S1, S4
		{`{}`, `Schedule config requires 'type>: at' parameter: {}`},
		{`{"start":"2024-01-01"}`, `Schedule config requires 'type>: at' parameter: {"start":"2024-01-01"}`},
		{`{"daily>":null}`, `Parameter 'daily>' is required but null`},
		{`{"_type":null}`, `Parameter '_type' is required but null`},
		{`{"dayly>":"07:00:00"}`, `Unknown scheduler type: dayly`},
		{`{"_type":"daily>","_command":"07:00:00"}`, `Unknown scheduler type: daily>`},
		{`{"hourly>":"30:00","_type":"none"}`, `Unknown scheduler type: none`},
		{`{"daily>":"seven"}`, `daily> scheduler requires hh:mm:ss format: seven`},
		{`{"daily>":"07:00"}`, `daily> scheduler requires hh:mm:ss format: 07:00`},
		{`{"daily>":"07:00:0x"}`, `daily> scheduler requires hh:mm:ss format: 07:00:0x`},
		{`{"daily>":" 07:00:00"}`, `daily> scheduler requires hh:mm:ss format:  07:00:00`},
		{`{"daily>":7}`, `daily> scheduler requires hh:mm:ss format: 7`},
		{`{"hourly>":"00:30:00"}`, `hourly>: scheduler requires mm:ss format: 00:30:00`},
		{`{"hourly>":"x:30"}`, `hourly>: scheduler requires mm:ss format: x:30`},
		{`{"weekly>":"07:00:00"}`, `weekly>: scheduler requires day,hh:mm:ss format: 07:00:00`},
		{`{"weekly>":"Foo,07:00:00"}`, `weekly>: scheduler requires day,hh:mm:ss format: Foo,07:00:00`},
		{`{"weekly>":"9,07:00:00"}`, `weekly>: scheduler requires day,hh:mm:ss format: 9,07:00:00`},
		{`{"weekly>":"-1,07:00:00"}`, `weekly>: invalid day: -1`},
		{`{"weekly>":"Sun, 07:00"}`, `weekly> scheduler requires hh:mm:ss format: 07:00`},
		{`{"monthly>":"07:00:00"}`, `monthly>: scheduler requires day,hh:mm:ss format: 07:00:00`},
		{`{"monthly>":"L,07:00:00"}`, `monthly>: scheduler requires day,hh:mm:ss format: L,07:00:00`},
		{`{"monthly>":"1,07:00"}`, `monthly> scheduler requires hh:mm:ss format: 07:00`},
		{`{"monthly>":"1, 07:00:00"}`, `monthly> scheduler requires hh:mm:ss format:  07:00:00`},
		// Digdag answers these with 500 and no message. The texts are Trowel's.
		{`{"monthly>":"32,07:00:00"}`, `monthly>: invalid day: 32`},
		{`{"minutes_interval>":0}`, `minutes_interval> requires a number of minutes from 1: 0`},
		{`{"minutes_interval>":-5}`, `minutes_interval> requires a number of minutes from 1: -5`},
		{`{"seconds_interval>":0}`, `seconds_interval> requires a number of seconds from 1: 0`},
		{`{"cron>":"0 0 * *"}`, `invalid cron pattern '0 0 * *': want five fields: minute, hour, day of month, month, weekday`},
		{`{"cron>":"0 0 30 2 *"}`, `invalid cron pattern '0 0 30 2 *': it never matches: none of its months has such a day`},
		{`{"cron>":"0 0 * * *","delay":9000000000000}`, `delay is out of range: 9000000000000`},
		// L35
		{`{"daily>":["07:00:00"]}`, `Expected ` + stringType + ` for key '_command' but got ["07:00:00"] (array)`},
		{`{"cron>":{"a":1}}`, `Expected string type for key '_command' but got {"a":1} (object)`},
		{`{"minutes_interval>":"ten"}`, `Expected integer (int) type for key '_command' but got "ten" (string)`},
		{`{"cron>":"0 0 * * *","delay":"1m"}`, `Expected integer (long) type for key 'delay' but got "1m" (string)`},
		{`{"_type":"daily"}`, `Parameter 'at' is required but not set`},
		{`{"_type":"cron"}`, `Parameter '_command' is required but not set`},
		{`{"daily>":"10:00:00","start":["x"]}`, `Expected ` + stringType + ` for key 'start' but got ["x"] (array)`},
		// S12
		{`{"daily>":"10:00:00","end":"2022-04-31"}`, `Invalid end: 2022-04-31 (java.time.format.DateTimeParseException: Text '2022-04-31' could not be parsed: Invalid date 'APRIL 31')`},
		{`{"daily>":"10:00:00","start":"2024/01/01"}`, `Invalid start: 2024/01/01 (java.time.format.DateTimeParseException: Text '2024/01/01' could not be parsed at index 4)`},
		{`{"daily>":"10:00:00","start":20240101}`, `Invalid start: 20240101 (java.time.format.DateTimeParseException: Text '20240101' could not be parsed at index 0)`},
		{`{"daily>":"10:00:00","start":"2024-01-03","end":"2024-01-02"}`, `The schedule of end is earlier than start`},
		// of several faults, the one that Digdag meets first
		{`{"daily>":"seven","end":"x"}`, `Invalid end: x (java.time.format.DateTimeParseException: Text 'x' could not be parsed at index 0)`},
		{`{"weekly>":"Foo,07:00:00","end":"x"}`, `weekly>: scheduler requires day,hh:mm:ss format: Foo,07:00:00`},
		{`{"weekly>":"-1,7","end":"x"}`, `weekly>: invalid day: -1`},
		{`{"cron>":["x"],"end":"x"}`, `Invalid end: x (java.time.format.DateTimeParseException: Text 'x' could not be parsed at index 0)`},
		{`{"minutes_interval>":"x","delay":"x","end":"x"}`, `Expected integer (int) type for key '_command' but got "x" (string)`},
	}
	for _, test := range tests {
		t.Run(test.block, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(config(t, test.block), UTC())
			var fault *param.Error
			if !errors.As(err, &fault) {
				t.Fatalf("Parse: error = %v (%T), want a *param.Error", err, err)
			}
			if diff := cmp.Diff(test.want, fault.Message); diff != "" {
				t.Errorf("Parse: message (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseAccepts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, block string
		first       string // from 2024-02-07, a Wednesday
		run         string
	}{
		// S4: parts of any size and sign, colons at the end
		{"more than a day", `{"daily>":"25:00:00"}`, "2024-02-06T00:00:00+00:00", "2024-02-07T01:00:00+00:00"},
		{"before midnight", `{"daily>":"-1:00:00"}`, "2024-02-08T00:00:00+00:00", "2024-02-07T23:00:00+00:00"},
		{"signs", `{"daily>":"+1:-30:+0"}`, "2024-02-07T00:00:00+00:00", "2024-02-07T00:30:00+00:00"},
		{"stray colons", `{"hourly>":"15:00::"}`, "2024-02-07T00:00:00+00:00", "2024-02-07T00:15:00+00:00"},
		// S5
		{"weekday name", `{"weekly>":"sUn, 17:15:00 "}`, "2024-02-11T00:00:00+00:00", "2024-02-11T17:15:00+00:00"},
		{"weekday 7", `{"weekly>":"7,00:00:00"}`, "2024-02-11T00:00:00+00:00", "2024-02-11T00:00:00+00:00"},
		{"weekday range", `{"weekly>":"6-1,00:00:00"}`, "2024-02-10T00:00:00+00:00", "2024-02-10T00:00:00+00:00"},
		{"weekday step", `{"weekly>":"*/2,00:00:00"}`, "2024-02-08T00:00:00+00:00", "2024-02-08T00:00:00+00:00"},
		{"every weekday", `{"weekly>":"*,01:00:00"}`, "2024-02-07T00:00:00+00:00", "2024-02-07T01:00:00+00:00"},
		// S6
		{"day of month", `{"monthly>":"31,00:00:00"}`, "2024-03-31T00:00:00+00:00", "2024-03-31T00:00:00+00:00"},
		{"stray sign", `{"monthly>":"-9,00:00:00"}`, "2024-02-09T00:00:00+00:00", "2024-02-09T00:00:00+00:00"},
		// S7
		{"minutes", `{"minutes_interval>":"45","delay":30}`, "2024-02-07T00:00:00+00:00", "2024-02-07T00:00:30+00:00"},
		// S8: start and end are not even read
		{"seconds", `{"seconds_interval>":7,"end":"soon"}`, "2024-02-07T00:00:06+00:00", "2024-02-07T00:00:06+00:00"},
		// S9
		{"at", `{"_type":"daily","at":"03:00:00"}`, "2024-02-07T00:00:00+00:00", "2024-02-07T03:00:00+00:00"},
		{"command", `{"_type":"hourly","_command":"03:00","at":"x"}`, "2024-02-07T00:00:00+00:00", "2024-02-07T00:03:00+00:00"},
		{"first type key", `{"start":null,"daily>":"03:00:00","hourly>":"x"}`, "2024-02-07T00:00:00+00:00", "2024-02-07T03:00:00+00:00"},
		{"delay before", `{"cron>":"0 12 * * *","delay":-60}`, "2024-02-07T12:00:00+00:00", "2024-02-07T11:59:00+00:00"},
		{"one day", `{"daily>":"01:00:00","start":"2024-02-09","end":"2024-02-09"}`, "2024-02-09T00:00:00+00:00", "2024-02-09T01:00:00+00:00"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			first := parse(t, test.block, "UTC").First(at(t, "2024-02-07T00:00:00Z"))
			if text(first.Session) != test.first || text(first.Run) != test.run {
				t.Errorf("First = %s, run %s; want %s, run %s", text(first.Session), text(first.Run), test.first, test.run)
			}
		})
	}
}

func TestSkipOnOvertime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		value string
		want  bool
		err   string
	}{
		{`null`, false, ""},
		{`true`, true, ""},
		{`"true"`, true, ""},
		{`"false"`, false, ""},
		{`"7x"`, false, `Expected 'true' or 'false' for key 'skip_on_overtime' but got "7x" (string)`}, // S11
		{`"maybe"`, false, `Expected 'true' or 'false' for key 'skip_on_overtime' but got "maybe" (string)`},
	}
	for _, test := range tests {
		s := parse(t, `{"daily>":"10:00:00","skip_on_overtime":`+test.value+`}`, "UTC")
		got, err := s.SkipOnOvertime()
		if got != test.want || message(err) != test.err {
			t.Errorf("SkipOnOvertime of %s = %v, %v; want %v, %q", test.value, got, err, test.want, test.err)
		}
	}
	if got, err := parse(t, `{"daily>":"10:00:00"}`, "UTC").SkipOnOvertime(); got || err != nil {
		t.Errorf("SkipOnOvertime of no value = %v, %v; want false", got, err)
	}
}

func TestSkipDelayedBy(t *testing.T) {
	t.Parallel()
	wrong := func(sample string) string {
		return "Expected [reference type, class com.google.common.base.Optional<io.digdag.util.DurationParam>" +
			"<[simple type, class io.digdag.util.DurationParam]>] for key 'skip_delayed_by' but got " + sample
	}
	tests := []struct {
		value string
		want  time.Duration
		set   bool
		err   string
	}{
		{`null`, 0, false, ""},
		{`"2d"`, 48 * time.Hour, true, ""},
		{`"0s"`, 0, true, ""},
		{`"soon"`, 0, false, wrong(`"soon" (string)`)}, // S11
		{`"5 minutes"`, 0, false, wrong(`"5 minutes" (string)`)},
		{`10`, 0, false, wrong(`10 (number)`)},
	}
	for _, test := range tests {
		s := parse(t, `{"daily>":"10:00:00","skip_delayed_by":`+test.value+`}`, "UTC")
		got, set, err := s.SkipDelayedBy()
		if got != test.want || set != test.set || message(err) != test.err {
			t.Errorf("SkipDelayedBy of %s = %v, %v, %v; want %v, %v, %q", test.value, got, set, err, test.want, test.set, test.err)
		}
	}
	if _, set, err := parse(t, `{"daily>":"10:00:00"}`, "UTC").SkipDelayedBy(); set || err != nil {
		t.Errorf("SkipDelayedBy of no value: set = %v, %v; want false", set, err)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
