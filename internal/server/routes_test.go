package server

import (
	"strings"
	"testing"
)

// Every route has what the API document and the metrics need, once.
func TestRoutesAreWhole(t *testing.T) {
	t.Parallel()
	names, places := map[string]bool{}, map[string]bool{}
	for _, r := range Routes(&Options{V1: V1Options{Archives: &Archives{}}}) {
		place := r.method + " " + r.path
		if r.name == "" || r.about == "" || r.handle == nil || !strings.HasSuffix(r.about, ".") {
			t.Errorf("%s lacks a name, a sentence or a handler", place)
		}
		if names[r.name] || places[place] {
			t.Errorf("%s, %s stands twice", r.name, place)
		}
		names[r.name], places[place] = true, true
	}
}
