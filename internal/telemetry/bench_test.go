package telemetry

import "testing"

// The flusher observes three values for each try, so this must be fast enough for 60,000 a second.
func BenchmarkObserve(b *testing.B) {
	m := New()
	for b.Loop() {
		m.Observe(TryDuration, 0.2)
	}
}

func BenchmarkAdd(b *testing.B) {
	m := New()
	for b.Loop() {
		m.Add(Tries, 1, "success")
	}
}
