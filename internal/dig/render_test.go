package dig_test

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/dig"
)

// The text of a file cannot control a terminal, or be shown in another order than it has.
func TestRenderIsHarmless(t *testing.T) {
	t.Parallel()
	const odd = "a\x1b\x07\u009b\u061c\u200f\u202e\u2066\u2028\u2029b"
	want := "a" + strings.Repeat("\ufffd", 9) + "b"
	var b strings.Builder
	dig.Render(&b, []dig.Finding{{Place: dig.Place{File: odd, Line: 1, Column: 1}, Message: odd, Source: odd, Hint: odd}}, false)
	if got := strings.Count(b.String(), want); got != 4 {
		t.Errorf("%d of place, message, source and hint are %q: %q", got, want, b.String())
	}
}
