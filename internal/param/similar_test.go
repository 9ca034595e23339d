package param_test

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
)

func TestSimilar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ word, candidates, want string }{
		{"table", "_disable _error shell", ""}, // by Digdag's rule _disable is near
		{"tabel_name", "table_name tables name", "table_name"},
		{"ech", "echo sh fail", "echo"},
		{"fali", "fail mail call", "fail"},
		{"limt", "limit", "limit"},
		{"Asia/Tokio", "Asia/Tokyo Asia/Tomsk", "Asia/Tokyo"},
		{"asia/tokyo", "Asia/Tokyo Asia/Tomsk", "Asia/Tokyo"},
		{"dayly", "daily weekly", "daily"},
		{"sh", "py rb", ""},
		{"sh", "sh", ""}, // the word itself is not offered
		{"", "a", ""},
		{"x", "y", ""},
		{"color", "colour couleur", "colour"},
	} {
		if got := strings.Join(param.Similar(c.word, strings.Fields(c.candidates)), " "); got != c.want {
			t.Errorf("Similar(%q, %s) = %q, want %q", c.word, c.candidates, got, c.want)
		}
	}
}
