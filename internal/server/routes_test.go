package server

import (
	"slices"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/server/download"
	v1 "github.com/trowel-project/trowel/internal/server/v1"
)

// free are the routes that need no right. What they say is for everybody, or they check the caller themselves.
var free = []string{"getHealth", "getLive", "getVersion", "checkVersion", "getUserInfo"}

// Every route has what the API document and metrics need, and no name or path occurs twice.
func TestRoutesAreWhole(t *testing.T) {
	t.Parallel()
	names, places := map[string]bool{}, map[string]bool{}
	for _, r := range Routes(&Options{V1: v1.Options{Archives: &download.Archives{}}}) {
		place := r.Method + " " + r.Path
		if r.Name == "" || r.About == "" || r.Handle == nil || !strings.HasSuffix(r.About, ".") {
			t.Errorf("%s lacks a name, a sentence or a handler", place)
		}
		if free := slices.Contains(free, r.Name); free != (r.Verb == "") {
			t.Errorf("%s has the verb %q; only the routes in the list need none", place, r.Verb)
		}
		if names[r.Name] || places[place] {
			t.Errorf("%s, %s stands twice", r.Name, place)
		}
		names[r.Name], places[place] = true, true
	}
}
