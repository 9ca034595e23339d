package trowel_test

import (
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// A counter is deleted at zero unless its kind is known to have few keys.
func TestUnboundedCounters(t *testing.T) {
	t.Parallel()
	pool := trowel.Pool{ID: 3}
	for name, want := range map[string]bool{
		pool.Counter(): false, "tasks": false, "tasks:1/etl:x": false, trowel.CounterAdmission.Counter("1/etl"): false,
		"concurrency:site:k:1": true, "concurrency:a7:k": true, "new:1": true, "": true, "poolside:1": true,
	} {
		if got := trowel.KindOfCounter(name).Unbounded(); got != want {
			t.Errorf("KindOfCounter(%q).Unbounded() = %v, want %v", name, got, want)
		}
	}
}
