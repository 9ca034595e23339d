package schedule_test

import (
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/schedule"
)

// The hour of an instant in the second pass of a clock that is set back is the second one.
func TestSinceHour(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, at, want string }{
		{"Europe/Berlin", "2024-10-27T00:30:15Z", "2024-10-27T02:00:00+02:00"}, // first pass
		{"Europe/Berlin", "2024-10-27T01:30:15Z", "2024-10-27T02:00:00+01:00"}, // second pass
		{"Europe/Berlin", "2024-10-27T02:30:15Z", "2024-10-27T03:00:00+01:00"},
		{"Europe/Berlin", "2024-03-31T01:30:00Z", "2024-03-31T03:00:00+02:00"},
		{"America/New_York", "2024-11-03T06:59:59Z", "2024-11-03T01:00:00-05:00"},
		{"Asia/Kolkata", "2024-01-01T00:10:00Z", "2024-01-01T05:00:00+05:30"},
		// The clock goes back from 02:00 to 01:30. 01:45 of the second pass belongs to 01:00, which exists once.
		{"Australia/Lord_Howe", "2024-04-06T15:15:00Z", "2024-04-07T01:00:00+11:00"},
		{"Australia/Lord_Howe", "2024-04-06T14:45:00Z", "2024-04-07T01:00:00+11:00"},
	} {
		zone, err := schedule.ParseZone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := at.Add(-zone.SinceHour(at)).In(zone.Location).Format(time.RFC3339); got != c.want {
			t.Errorf("hour of %s in %s = %s, want %s", c.at, c.zone, got, c.want)
		}
	}
}
