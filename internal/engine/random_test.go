package engine_test

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/engine/model"
	"github.com/trowel-project/trowel/internal/param"
)

var (
	rounds = flag.Int("engine.rounds", 0, "how many random cases are played against the model; 0 is as many as two seconds allow")
	seed   = flag.Uint64("engine.seed", 1, "the first of them")
)

// TestRandomCases drives task tree and model with the same random workflows, outcomes, orders of
// events, kills, late and doubled reports, and with crashes between any two events.
func TestRandomCases(t *testing.T) {
	t.Parallel()
	playRandom(t, func(k model.Case, order uint64) (*drive, error) { return play(k, order, newMemory()) })
}

// TestRandomResumes resumes random cases, whether they have ended or still run, with the same
// workflow or with another revision of it (language 3.14).
func TestRandomResumes(t *testing.T) {
	t.Parallel()
	playRandom(t, playResumed)
}

// casePlayer plays a case with an order of events.
type casePlayer func(k model.Case, order uint64) (*drive, error)

func playRandom(t *testing.T, play casePlayer) {
	t.Helper()
	until := time.Now().Add(2 * time.Second)
	for i := 0; i < *rounds || (*rounds == 0 && time.Now().Before(until)); i++ {
		k, order := model.NewCase(*seed+uint64(i)), *seed+uint64(i)
		if _, err := play(k, order); err != nil {
			k, order = shrink(k, order, play)
			d, err := play(k, order)
			t.Fatalf("case %d: %v\nsmallest workflow (outcomes %d with features %b, order %d, limit %d):\n%s\nevents:\n  %s",
				*seed+uint64(i), err, k.Seed, k.May, order, k.Limit, param.JSON(k.Body), strings.Join(d.trace, "\n  "))
		}
	}
}

// shrink makes a failing case smaller as long as it goes on failing: with fewer tasks and keys, and
// with fewer things that operators do, in any of some orders of events.
func shrink(k model.Case, order uint64, play casePlayer) (model.Case, uint64) {
	fails := func(smaller model.Case) (uint64, bool) {
		for _, o := range []uint64{order, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12} {
			if _, err := play(smaller, o); err != nil && !strings.HasPrefix(err.Error(), "compile:") {
				return o, true
			}
		}
		return 0, false
	}
	for smaller := true; smaller; {
		smaller = false
		for feature := model.Features(1); feature < model.AllFeatures; feature <<= 1 {
			try := k
			try.May &^= feature
			if o, ok := fails(try); ok && try.May != k.May {
				k, order, smaller = try, o, true
			}
		}
		for _, body := range without(k.Body) {
			try := k
			try.Body = body
			if o, ok := fails(try); ok {
				k, order, smaller = try, o, true
				break
			}
		}
	}
	return k, order
}

// without lists the bodies that lack one key, at any depth.
func without(body *param.Map) []*param.Map {
	var list []*param.Map
	for key, value := range body.All() {
		smaller := body.Clone()
		smaller.Delete(key)
		list = append(list, smaller)
		inner, ok := value.(*param.Map)
		if !ok {
			continue
		}
		for _, replaced := range without(inner) {
			smaller := body.Clone()
			smaller.Set(key, replaced)
			list = append(list, smaller)
		}
	}
	return list
}
