package schedule

import "testing"

// The bar: well below 20 µs for the next time of a daily schedule.
func BenchmarkNext(b *testing.B) {
	for _, bench := range []struct{ name, block string }{
		{"daily", `{"daily>":"10:00:00"}`},
		{"workdays", `{"cron>":"0 9 * * mon-fri"}`},
		{"every minute", `{"minutes_interval>":1}`},
		{"leap day on a Sunday", `{"cron>":"0 0 29 2 sun"}`},
	} {
		for _, zoneName := range []string{"UTC", "America/Los_Angeles"} {
			b.Run(bench.name+" "+zoneName, func(b *testing.B) {
				s := parse(b, bench.block, zoneName)
				session := at(b, "2026-06-15T00:00:00Z")
				b.ReportAllocs()
				for b.Loop() {
					s.Next(session)
				}
			})
		}
	}
}

// The longest periods that Last goes through twice are those of a pattern with a pause of half a year.
func BenchmarkLast(b *testing.B) {
	for _, bench := range []struct{ name, block, session string }{
		{"daily", `{"daily>":"10:00:00"}`, "2026-06-15T00:00:00Z"},
		{"minutes before a pause of half a year", `{"cron>":"* * * 1-6 *"}`, "2026-06-30T23:58:00Z"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s := parse(b, bench.block, "UTC")
			session := at(b, bench.session)
			for b.Loop() {
				s.Last(session)
			}
		})
	}
}

func BenchmarkParseZone(b *testing.B) {
	for b.Loop() {
		if _, err := ParseZone("America/Los_Angeles"); err != nil {
			b.Fatal(err)
		}
	}
}
