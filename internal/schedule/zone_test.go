package schedule

import (
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

func TestParseZone(t *testing.T) { // L43
	t.Parallel()
	tests := []struct {
		name, id string
		offset   int // in seconds, on 2024-01-15
	}{
		{"", "UTC", 0},
		{" \t", "UTC", 0},
		{" Asia/Tokyo ", "Asia/Tokyo", 9 * 3600},
		{"UTC", "UTC", 0},
		{"GMT", "GMT", 0},
		{"UT", "UT", 0},
		{"Z", "Z", 0},
		{"+9", "+09:00", 9 * 3600},
		{"+0900", "+09:00", 9 * 3600},
		{"+09:00", "+09:00", 9 * 3600},
		{"-08", "-08:00", -8 * 3600},
		{"-0330", "-03:30", -(3*3600 + 1800)},
		{"+09:00:30", "+09:00:30", 9*3600 + 30},
		{"-090030", "-09:00:30", -(9*3600 + 30)},
		{"+18", "+18:00", 18 * 3600},
		{"-18:00", "-18:00", -18 * 3600},
		{"+0", "Z", 0},
		{"-00:00", "Z", 0},
		{"UTC+09:00", "UTC+09:00", 9 * 3600},
		{"GMT+9", "GMT+09:00", 9 * 3600},
		{"UT-0130", "UT-01:30", -5400},
		{"GMT+0", "GMT", 0},
		{"UTC-00:00", "UTC", 0},
		{"America/Los_Angeles", "America/Los_Angeles", -8 * 3600},
		{"America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires", -3 * 3600},
		{"Etc/GMT+9", "Etc/GMT+9", -9 * 3600},
		{"PST8PDT", "PST8PDT", -8 * 3600},
		{"EST5EDT", "EST5EDT", -5 * 3600},
		{"Japan", "Japan", 9 * 3600},
		{"US/Pacific", "US/Pacific", -8 * 3600},
		{"GMT0", "GMT0", 0},
		{"Zulu", "Zulu", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			z, err := ParseZone(test.name)
			if err != nil {
				t.Fatalf("ParseZone: %v", err)
			}
			_, offset := time.Date(2024, 1, 15, 0, 0, 0, 0, z.Location).Zone()
			if z.ID != test.id || offset != test.offset {
				t.Errorf("ParseZone = %s at %d s, want %s at %d s", z.ID, offset, test.id, test.offset)
			}
		})
	}
}

func TestParseZoneRefuses(t *testing.T) { // L43
	t.Parallel()
	names := "JST PST EST MST HST ROC CEST utc gmt z zulu asia/tokyo ASIA/TOKYO Asia/tokyo japan Europe/Atlantis " +
		"+9:00 +09:0 +09-00 +19 +18:01 -18:00:01 +09:60 +0960 +09:00:60 9 + - +x ++9 +Z +１ UTC+ UTC+9:00 GMT+19 UTCZ UTC0 UT0 UTCx " +
		"Local Factory posixrules localtime posix/UTC right/UTC Asia Asia/ /Asia/Tokyo Asia//Tokyo ../UTC Asia/../UTC " +
		`Asia/./Tokyo Asia\Tokyo Asia/Tokyo/ SystemV/PST8 Asia/Tokyo,Asia/Seoul Asia/Kyoto!`
	for _, name := range append(strings.Fields(names), "Asia/Tokyo Asia/Seoul", "Asia\x00/Tokyo", "Asia/To\u212ayo", "\u212aST") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if z, err := ParseZone(name); err == nil {
				t.Errorf("ParseZone(%q) = %s, want an error", name, z.ID)
			}
		})
	}
}

func TestParseZoneHints(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, want string }{
		{"asia/tokyo", `unknown time zone "asia/tokyo": did you mean Asia/Tokyo?`},
		{"JST", `unknown time zone "JST": use a region such as Asia/Tokyo or an offset such as +09:00`},
		{"Asia/Kyoto", `unknown time zone "Asia/Kyoto": use a region such as Asia/Tokyo or an offset such as +09:00`},
		{"+9:00", `unknown time zone "+9:00": use a region such as Asia/Tokyo or an offset such as +09:00`},
	}
	for _, test := range tests {
		if _, err := ParseZone(test.name); message(err) != test.want {
			t.Errorf("ParseZone(%s): error = %v, want %s", test.name, err, test.want)
		}
	}
}

// Each listed name must be one of the database that comes with Go.
func TestListedZones(t *testing.T) {
	t.Parallel()
	names := strings.Fields(zoneNames)
	if len(names) < 590 {
		t.Errorf("%d names are listed, want 590 or more", len(names))
	}
	for _, name := range names {
		if z, err := ParseZone(name); err != nil || z.ID != name {
			t.Errorf("ParseZone(%s) = %s, %v", name, z.ID, err)
		}
	}
}

func TestZoneOf(t *testing.T) { // L43, L44
	t.Parallel()
	wrong := func(sample string) string {
		return "Expected [reference type, class com.google.common.base.Optional<java.time.ZoneId>" +
			"<[simple type, class java.time.ZoneId]>] for key 'timezone' but got " + sample
	}
	tests := []struct {
		value param.Value
		id    string
		err   string
	}{
		{nil, "UTC", ""},
		{"", "UTC", ""},
		{"Asia/Tokyo", "Asia/Tokyo", ""},
		{int64(-8), "-08:00", ""},
		{int64(9), "", wrong(`9 (number)`)},
		{true, "", wrong(`true (boolean)`)},
		{param.List{"UTC"}, "", wrong(`["UTC"] (array)`)},
		{"Europe/Atlantis", "", wrong(`"Europe/Atlantis" (string)`)},
		{"EST", "", wrong(`"EST" (string)`)},
	}
	for _, test := range tests {
		z, err := ZoneOf(test.value)
		if z.ID != test.id || message(err) != test.err {
			t.Errorf("ZoneOf(%v) = %q, %v; want %q, %q", test.value, z.ID, err, test.id, test.err)
		}
	}
}

func TestOccurrences(t *testing.T) { // server 1.9.2, language S16
	t.Parallel()
	tests := []struct{ name, zone, clock, first, second string }{
		{"plain", "America/Los_Angeles", "2024-07-01T12:00:00Z", "2024-07-01T12:00:00-07:00", "2024-07-01T12:00:00-07:00"},
		{"gap", "America/Los_Angeles", "2024-03-10T02:30:00Z", "2024-03-10T03:30:00-07:00", "2024-03-10T03:30:00-07:00"},
		{"before the gap", "America/Los_Angeles", "2024-03-10T01:59:59Z", "2024-03-10T01:59:59-08:00", "2024-03-10T01:59:59-08:00"},
		{"after the gap", "America/Los_Angeles", "2024-03-10T03:00:00Z", "2024-03-10T03:00:00-07:00", "2024-03-10T03:00:00-07:00"},
		{"overlap", "America/Los_Angeles", "2024-11-03T01:30:00Z", "2024-11-03T01:30:00-07:00", "2024-11-03T01:30:00-08:00"},
		{"start of the overlap", "America/Los_Angeles", "2024-11-03T01:00:00Z", "2024-11-03T01:00:00-07:00", "2024-11-03T01:00:00-08:00"},
		{"after the overlap", "America/Los_Angeles", "2024-11-03T02:00:00Z", "2024-11-03T02:00:00-08:00", "2024-11-03T02:00:00-08:00"},
		{"gap of a day", "Pacific/Apia", "2011-12-30T12:00:00Z", "2011-12-31T12:00:00+14:00", "2011-12-31T12:00:00+14:00"},
		{"overlap without summer time", "Europe/Moscow", "2014-10-26T01:30:00Z", "2014-10-26T01:30:00+04:00", "2014-10-26T01:30:00+03:00"},
		{"fixed offset", "+09:00", "2024-03-10T02:30:00Z", "2024-03-10T02:30:00+09:00", "2024-03-10T02:30:00+09:00"},
		{"the clock's own location does not count", "Asia/Tokyo", "2024-03-10T02:30:00.9-05:00", "2024-03-10T02:30:00+09:00", "2024-03-10T02:30:00+09:00"},
		{"end of a leap year", "Europe/London", "2040-12-31T23:00:00Z", "2040-12-31T23:00:00+00:00", "2040-12-31T23:00:00+00:00"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			z, clock := zone(t, test.zone), at(t, test.clock)
			if got := text(z.FirstOccurrence(clock)); got != test.first {
				t.Errorf("FirstOccurrence = %s, want %s", got, test.first)
			}
			if got := text(z.SecondOccurrence(clock)); got != test.second {
				t.Errorf("SecondOccurrence = %s, want %s", got, test.second)
			}
		})
	}
}
