package document

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
)

// InstantLayout is the form of times in Trowel's own documents and in messages.
const InstantLayout = "2006-01-02T15:04:05.000Z"

// Instant writes a time as Trowel's own documents do, in UTC with milliseconds. The zero time is empty.
func Instant(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(InstantLayout)
}

// OptInstant is Instant; nil for the zero time.
func OptInstant(at time.Time) *string { return OptText(Instant(at)) }

// OptText returns a text; nil for an empty one.
func OptText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// IDName returns the reference to a project.
func IDName(p trowel.Project) api.IDName { return api.IDName{ID: api.ID(p.ID), Name: p.Name} }

// Object returns m, or an empty object for nil.
func Object(m *param.Map) *param.Map {
	if m == nil {
		return param.New()
	}
	return m
}

// List returns the documents of some items.
func List[T, S any](items []T, shape func(T) S) api.List[S] {
	list := make(api.List[S], len(items))
	for i, item := range items {
		list[i] = shape(item)
	}
	return list
}
