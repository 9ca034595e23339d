package server

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/server/download"
	v1 "github.com/trowel-project/trowel/internal/server/v1"
)

// Every route has what the API document and metrics need, and no name or path occurs twice.
func TestRoutesAreWhole(t *testing.T) {
	t.Parallel()
	names, places := map[string]bool{}, map[string]bool{}
	for _, r := range Routes(&Options{V1: v1.Options{Archives: &download.Archives{}}}) {
		place := r.Method + " " + r.Path
		if r.Name == "" || r.About == "" || r.Handle == nil || !strings.HasSuffix(r.About, ".") {
			t.Errorf("%s lacks a name, a sentence or a handler", place)
		}
		if names[r.Name] || places[place] {
			t.Errorf("%s, %s stands twice", r.Name, place)
		}
		names[r.Name], places[place] = true, true
	}
}
