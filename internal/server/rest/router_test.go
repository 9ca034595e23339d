package rest

import (
	"testing"
)

// sampleRoutes have all kinds of placeholders.
func sampleRoutes() []Route {
	var list []Route
	for _, path := range []string{
		"/api/projects", "/api/projects/{id:32}", "/api/projects/{id:32}/workflows", "/api/projects/{id:32}/workflows/{name}", "/api/attempts/{id:64}",
		"/api/attempts/{id:64}/tasks/{task:64}", "/api/logs/{attempt:64}/files/{file}", "/api/project", "/api/search/attempts",
	} {
		list = append(list, Route{Method: "GET", Path: path}, Route{Method: "PUT", Path: path})
	}
	return list
}

// TestFindRoute checks 2.1: paths with ids that are out of range do not exist.
func TestFindRoute(t *testing.T) {
	t.Parallel()
	r := newRouter(sampleRoutes())
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
		return r.Path == path
	}
	return false
}

func FuzzFindRoute(f *testing.F) {
	f.Add("/api/projects/1/workflows/%2F")
	f.Add("/")
	r := newRouter(sampleRoutes())
	// A match has as many values as the path has placeholders.
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
