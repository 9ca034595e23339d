package param_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/param"
)

// L55, C14: similar means a distance of at most half the candidate's length, rounded down.
func TestNear(t *testing.T) {
	t.Parallel()
	candidates := []string{"schedule", "_parallel", "_error", "_check", "_secrets", "_retry", "_after"}
	tests := []struct {
		key  string
		want []string
	}{
		{"_rety", []string{"_secrets", "_retry"}},
		{"_parallal", []string{"_parallel"}},
		{"colour", nil},
		{"", nil},
		{"é", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, param.Near(tt.key, candidates)); diff != "" {
			t.Errorf("Near(%q) (-want +got):\n%s", tt.key, diff)
		}
	}
}
