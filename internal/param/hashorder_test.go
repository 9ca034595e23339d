package param_test

import (
	"slices"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
)

func TestHashOrder(t *testing.T) {
	t.Parallel()
	// The order of a HashMap of Java 17. The first pair was recorded from `check -p x=1 -p y.z=2`.
	for _, want := range [][]string{{"y.z", "x"}, {"a", "b", "c"}, {"Aa", "BB"}} {
		keys := slices.Sorted(slices.Values(want))
		if got := param.HashOrder(keys, param.HashMapSize(len(keys))); !slices.Equal(got, want) {
			t.Errorf("HashOrder(%q) = %q, want %q", keys, got, want)
		}
	}
	for n, want := range map[int]int{0: 16, 12: 16, 13: 32, 24: 32, 25: 64} {
		if got := param.HashMapSize(n); got != want {
			t.Errorf("HashMapSize(%d) = %d, want %d", n, got, want)
		}
	}
}
