package daemon

import (
	"strings"
	"testing"
)

func TestShortLine(t *testing.T) {
	t.Parallel()
	if got, want := shortLine("a\n  b\r\n\tc"), "a b c"; got != want {
		t.Errorf("shortLine: %q, want %q", got, want)
	}
	if got := shortLine(strings.Repeat("é", 200)); got != strings.Repeat("é", 150)+"..." {
		t.Errorf("shortLine of a long text: %q", got)
	}
	if got := shortLine("x" + strings.Repeat("é", 200)); got != "x"+strings.Repeat("é", 149)+"..." {
		t.Errorf("shortLine cuts a letter: %q", got)
	}
}
