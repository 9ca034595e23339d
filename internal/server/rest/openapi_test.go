package rest

import "testing"

// The paths of the API document describe themselves, too.
func TestDocumentDescribesItself(t *testing.T) {
	t.Parallel()
	d := &document{version: "1.2.3"}
	d.routes = d.ownRoutes(true)
	paths, _ := describe(d.routes, d.version)["paths"].(map[string]map[string]any)
	for _, r := range d.routes {
		if r.Name == "" || r.About == "" || r.Handle == nil || paths[r.Path]["get"] == nil {
			t.Errorf("%s lacks a name, a sentence, a handler or a description", r.Path)
		}
	}
	if len(paths) != 3 {
		t.Errorf("%d paths, want 3", len(paths))
	}
}
