package operator

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/trowel-project/trowel/internal/param"
)

// Of a large error only as much is shown as fits into a log, in whole characters.
func TestExplainLargeError(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, message, want string }{
		{"small", "no", ": no"},
		{"as large as may be", strings.Repeat("x", maxExplanation-2), ": " + strings.Repeat("x", maxExplanation-2)},
		{"too large", strings.Repeat("x", maxExplanation-1), ": " + strings.Repeat("x", maxExplanation-2) + "... (65537 bytes)"},
		{"in the middle of a character", strings.Repeat("€", maxExplanation), "€... (196610 bytes)"},
	} {
		output := param.JSON(param.Of("error", param.Of("message", row.message)))
		got, ok := explainError([]byte(output))
		if !ok || !strings.HasSuffix(got, row.want) || len(got) > maxExplanation+100 || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes that end with %.60q, want %.60q", row.name, len(got), got[max(0, len(got)-60):], row.want)
		}
	}
}
