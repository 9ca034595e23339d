package document

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
)

// InstantLayout is how messages show when a project was deleted.
const InstantLayout = "2006-01-02T15:04:05.000Z"

// Instant is how Trowel's own documents write an instant (ui.md, section 4); that of the zero instant
// is empty.
func Instant(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(InstantLayout)
}

// OptInstant is Instant, and nil for the zero instant.
func OptInstant(at time.Time) *string { return OptText(Instant(at)) }

// OptText is a text; nil for an empty one.
func OptText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// IDName refers to a project.
func IDName(p trowel.Project) api.IDName { return api.IDName{ID: api.ID(p.ID), Name: p.Name} }

// Object is an object that is never null.
func Object(m *param.Map) *param.Map {
	if m == nil {
		return param.New()
	}
	return m
}

// List makes a document of each item.
func List[T, S any](items []T, shape func(T) S) api.List[S] {
	list := make(api.List[S], len(items))
	for i, item := range items {
		list[i] = shape(item)
	}
	return list
}
