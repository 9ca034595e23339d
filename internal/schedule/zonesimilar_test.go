package schedule_test

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/schedule"
)

func TestSimilarZones(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Asia/Tokio": "Asia/Tokyo", "asia/tokyo": "Asia/Tokyo", "Tokyo": "Asia/Tokyo", "New York": "America/New_York",
		"America/NewYork": "America/New_York", "PST": "America/Los_Angeles", "jst": "Asia/Tokyo", "Europe/Berln": "Europe/Berlin",
		"Nowhere/Atall": "", "": "", "+25:00": "", "xx": "",
	} {
		got := schedule.SimilarZones(name)
		if strings.Join(got, " ") != want {
			t.Errorf("SimilarZones(%q) = %q, want %q", name, got, want)
		}
		for _, zone := range got {
			if _, err := schedule.ParseZone(zone); err != nil {
				t.Errorf("SimilarZones(%q) offers %q: %v", name, zone, err)
			}
		}
	}
}
