package telemetry

import "testing"

// The flusher observes three times for each try, so one of these is 20,000 times three a second.
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
