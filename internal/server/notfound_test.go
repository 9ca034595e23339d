package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/hub"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/download"
	"github.com/trowel-project/trowel/internal/server/servertest"
	v1 "github.com/trowel-project/trowel/internal/server/v1"
)

// What is not found has a code on Trowel's own paths, and none on Digdag's.
func TestNotFoundHasCode(t *testing.T) {
	t.Parallel()
	digdag := map[string]bool{}
	for _, r := range server.Routes(&server.Options{V1: v1.Options{Archives: &download.Archives{}}}) {
		digdag[r.Name] = r.Digdag
	}
	h := servertest.New(t, func(o *server.Options) { o.Agents.Agents = hub.New(hub.Options{}) })
	none := nothing(belongings(t, h, "alpha"))
	bearer := h.Token(t, access.RoleAdmin, "")
	seen := map[bool]int{}
	for id, o := range operations(t, h) {
		a := askFor(t, h, o, none, bearer)
		if a.Status != http.StatusNotFound || a.Body == "" {
			continue
		}
		seen[digdag[id]]++
		if coded := strings.Contains(a.Body, `"code":"not_found"`); coded == digdag[id] {
			t.Errorf("%s: %s; it is a path of Digdag's: %v", id, a.Body, digdag[id])
		}
	}
	if seen[true] < 20 || seen[false] < 10 {
		t.Errorf("%d of Digdag's paths and %d others found nothing: too few to tell", seen[true], seen[false])
	}
}
