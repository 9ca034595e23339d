package server

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
)

// instantMillis is how messages show when a project was deleted.
const instantMillis = "2006-01-02T15:04:05.000Z"

// Milli is how Trowel's own documents write an instant (ui.md, section 4); that of the zero instant
// is empty.
func Milli(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(instantMillis)
}

func milli(at time.Time) *string { return optional(Milli(at)) }

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// idName refers to a project.
func idName(p trowel.Project) api.IDName { return api.IDName{ID: api.ID(p.ID), Name: p.Name} }

// full is an object that is never null.
func full(m *param.Map) *param.Map {
	if m == nil {
		return param.New()
	}
	return m
}

// listOf makes a document of each item.
func listOf[T, S any](items []T, shape func(T) S) api.List[S] {
	list := make(api.List[S], len(items))
	for i, item := range items {
		list[i] = shape(item)
	}
	return list
}
