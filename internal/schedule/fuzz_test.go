package schedule

import (
	"errors"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// fuzzZones have gaps and overlaps of all kinds.
var fuzzZones = []string{
	"UTC", "America/Los_Angeles", "America/Nuuk", "America/Sao_Paulo", "America/Havana", "Asia/Gaza", "Asia/Kolkata",
	"Africa/Casablanca", "Africa/Monrovia", "Australia/Lord_Howe", "Europe/Dublin", "Pacific/Apia", "+18:00", "-09:00:30",
}

// FuzzNext proves that the next session is later than the given time and the last one earlier, that the first one is
// not run before it, and that each of them exists.
func FuzzNext(f *testing.F) {
	f.Add("0 9 * * mon-fri", uint8(1), int64(1710000000), int64(0), int64(0))
	f.Add("30 2 * * *|15 3 * * *", uint8(2), int64(1711843200), int64(3600), int64(5))
	f.Add("* * 29 2 *", uint8(7), int64(2240000000), int64(-90000), int64(0))
	f.Add("*/7 22-2 L,13 * 5-7/2", uint8(11), int64(1325160000), int64(1), int64(1))
	f.Add("0 0 29 2 0", uint8(13), int64(-endOfSchedule), int64(0), int64(999999999))
	f.Add("* * * 1-6 *", uint8(3), int64(253402300799), int64(1<<40), int64(0))
	f.Fuzz(func(t *testing.T, pattern string, zoneIndex uint8, unix, delay, nanos int64) {
		if _, err := parseCron(pattern); err != nil {
			return
		}
		config := param.Of("cron>", pattern, "delay", delay, "start", "2024-03-09", "end", "2290-11-03")
		s, err := Parse(config, zone(t, fuzzZones[int(zoneIndex)%len(fuzzZones)]))
		if err != nil {
			if bounded(delay) == delay {
				t.Fatalf("Parse(%s): %v", param.JSON(config), err)
			}
			return
		}
		input := time.Unix(bounded(unix), max(nanos, 0)%1e9)
		if next := s.Next(input); !next.Session.After(input) && !next.Finished() {
			t.Errorf("Next(%s) = %s, want a later time", input.UTC(), next.Session.UTC())
		}
		if first := s.First(input); first.Run.Before(input) && !first.Finished() {
			t.Errorf("First(%s) is run at %s, want no earlier time", input.UTC(), first.Run.UTC())
		}
		if last := s.Last(input); !last.Session.Before(input) && !last.Finished() {
			t.Errorf("Last(%s) = %s, want an earlier time", input.UTC(), last.Session.UTC())
		}
	})
}

// FuzzParseZone proves that an accepted zone is also known by its normalised name, and that no name means
// the machine's own zone.
func FuzzParseZone(f *testing.F) {
	for _, name := range []string{"", "Asia/Tokyo", "+9", "-0330", "UTC+09:00:30", "GMT0", "EST", "Local", "../UTC", "Asia//Tokyo", "\u212aST"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		z, err := ParseZone(name)
		if err != nil {
			return
		}
		if z.ID == "" || z.Location == nil || z.Location == time.Local {
			t.Fatalf("ParseZone(%q) = %+v", name, z)
		}
		again, err := ParseZone(z.ID)
		if err != nil || again.ID != z.ID {
			t.Errorf("ParseZone(%q) = %q, %v; want what it is called itself", z.ID, again.ID, err)
		}
	})
}

// FuzzParse proves that a block is refused with a *param.Error, or has a next session.
func FuzzParse(f *testing.F) {
	f.Add(`{"daily>":"10:00:00","start":"2024-01-01","end":"2024-02-29","skip_on_overtime":true}`)
	f.Add(`{"weekly>":"mon|1 1 1 1 *,1:2:3","skip_delayed_by":"1h"}`)
	f.Add(`{"_type":"monthly","at":"-3,-1:99:+5","_command":null}`)
	f.Add(`{"minutes_interval>":45,"delay":"-7"}`)
	f.Add(`{"seconds_interval>":4294967297.5,"delay":-9223372036854775808}`)
	f.Fuzz(func(t *testing.T, json string) {
		config, err := param.ParseMap(json)
		if err != nil {
			return
		}
		s, err := Parse(config, UTC())
		if !fits(err) {
			t.Fatalf("Parse: error is a %T, want a *param.Error: %v", err, err)
		}
		if err != nil {
			return
		}
		now := time.Unix(1700000000, 0)
		if next := s.Next(now); !next.Session.After(now) {
			t.Errorf("Next = %s, want a later time", next.Session)
		}
		if _, err := s.SkipOnOvertime(); !fits(err) {
			t.Errorf("SkipOnOvertime: error is a %T, want a *param.Error: %v", err, err)
		}
		if _, _, err := s.SkipDelayedBy(); !fits(err) {
			t.Errorf("SkipDelayedBy: error is a %T, want a *param.Error: %v", err, err)
		}
	})
}

// fits reports whether there is no error or one of the right type.
func fits(err error) bool {
	var fault *param.Error
	return err == nil || errors.As(err, &fault)
}
