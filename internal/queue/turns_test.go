package queue_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/trowel-project/trowel/internal/queue"
)

// Turns behave like a plain list.
func TestTurns(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var turns queue.Turns[int]
		var want []int
		for range 300 {
			s := rng.IntN(12)
			if rng.IntN(2) == 0 {
				turns.Add(s)
				if !slices.Contains(want, s) {
					want = append(want, s)
				}
			} else {
				turns.Remove(s)
				want = slices.DeleteFunc(want, func(other int) bool { return other == s })
			}
			n := rng.IntN(14)
			if got := turns.First(n); !slices.Equal(got, want[:min(n, len(want))]) || turns.Len() != len(want) {
				t.Fatalf("seed %d: First(%d) = %v of %d, want the beginning of %v", seed, n, got, turns.Len(), want)
			}
		}
	}
}
