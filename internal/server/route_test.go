package server

import (
	"strings"
	"testing"
)

// TestFindRoute checks 2.1: ids that do not fit are paths that do not exist.
func TestFindRoute(t *testing.T) {
	t.Parallel()
	r := newRouter(routes())
	for path, want := range map[string]string{
		"/api/projects/7":                         "/api/projects/{id:32}",
		"/api/projects/7/":                        "/api/projects/{id:32}",
		"/api/projects/007":                       "/api/projects/{id:32}",
		"/api/projects/-1":                        "/api/projects/{id:32}",
		"/api/projects/7//":                       "",
		"/api/projects/2147483648":                "",
		"/api/attempts/2147483648":                "/api/attempts/{id:64}",
		"/api/attempts/9223372036854775808":       "",
		"/api/projects/x":                         "",
		"/api/Projects/7":                         "",
		"/api/projects/7/workflows/a%2Fb":         "/api/projects/{id:32}/workflows/{name}",
		"/api/projects/7/workflows/%zz":           "",
		"/api":                                    "",
		"/api/logs/1/files/+a@0011.1@host.log.gz": "/api/logs/{attempt:64}/files/{file}",
	} {
		f, ok := r.find(path)
		switch {
		case ok != (want != ""):
			t.Errorf("find(%q) = %v, want %v", path, ok, want != "")
		case ok && !hasPath(f, want):
			t.Errorf("find(%q) found another path than %s", path, want)
		}
	}
}

func hasPath(f found, path string) bool {
	for _, r := range f.methods {
		return r.path == path
	}
	return false
}

// Every route has what the API document and the metrics need, once.
func TestRoutesAreWhole(t *testing.T) {
	t.Parallel()
	names, places := map[string]bool{}, map[string]bool{}
	for _, r := range routes() {
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

func FuzzFindRoute(f *testing.F) {
	f.Add("/api/projects/1/workflows/%2F")
	f.Add("/")
	r := newRouter(routes())
	// A path that is found has as many values as its pattern has places.
	f.Fuzz(func(t *testing.T, path string) {
		found, ok := r.find(path)
		if !ok {
			return
		}
		places := 0
		for _, s := range found.segments {
			if s.literal == "" {
				places++
			}
		}
		if len(found.numbers)+len(found.texts) != places {
			t.Errorf("find(%q): %d numbers and %d texts for %d places", path, len(found.numbers), len(found.texts), places)
		}
	})
}
