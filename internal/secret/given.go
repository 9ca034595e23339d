package secret

import (
	"context"
	"sync"

	"github.com/trowel-project/trowel"
)

// Given remembers the secrets that a try was given, so that its report can be shown without them. The zero
// value has none. It is safe for concurrent use.
type Given struct {
	mu   sync.Mutex
	mask *Mask // nil until there is a secret
}

// Finder returns a Finder whose secrets are remembered.
func (g *Given) Finder(next Finder) Finder { return &givenFinder{given: g, next: next} }

type givenFinder struct {
	given *Given
	next  Finder
}

func (f *givenFinder) Find(ctx context.Context, key string) (Value, bool, error) {
	value, found, err := f.next.Find(ctx, key)
	if found && err == nil {
		f.given.add(value)
	}
	return value, found, err
}

func (g *Given) add(value Value) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mask == nil {
		g.mask = NewMask(OutputChars)
	}
	g.mask.Add(value)
}

// In reports whether a text contains a secret of at least OutputChars characters.
func (g *Given) In(text string) bool {
	g.mu.Lock()
	mask := g.mask
	g.mu.Unlock()
	return mask != nil && mask.Has(text)
}

// Places returns the places in a report's parameters that contain a secret of at least OutputChars characters.
func (g *Given) Places(r *trowel.Report) trowel.Masked {
	g.mu.Lock()
	mask := g.mask
	g.mu.Unlock()
	if mask == nil {
		return nil
	}
	return trowel.FindMasked(trowel.AreaExport, r.Result.Export, mask.Has).
		With(trowel.FindMasked(trowel.AreaStore, r.Result.Store, mask.Has)...).
		With(trowel.FindMasked(trowel.AreaState, r.StateParams, mask.Has)...)
}
