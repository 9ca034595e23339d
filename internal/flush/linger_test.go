package flush

import (
	"testing"
	"time"
)

// Only tasks that mostly end at once make the flusher wait, and not for long.
func TestLinger(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	for _, row := range []struct {
		name        string
		given, ends int
		after       time.Duration
		want        bool
	}{
		{"all end at once", 4, 4, 0, true},
		{"half of them", 4, 2, maxLinger, true},
		{"fewer", 4, 1, 0, false},
		{"later", 4, 4, maxLinger + time.Microsecond, false},
		{"there was none", 0, 4, 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var l linger
			l.gave(row.given, begin, time.Second)
			for range row.ends {
				l.ended(begin.Add(row.after))
			}
			l.gave(4, time.Now(), time.Second)
			if l.worth != row.want {
				t.Errorf("waits for the next ones: %v, want %v", l.worth, row.want)
			}
			l.wait() // returns although nobody ends
		})
	}
}
