package dig_test

import (
	"testing"

	"github.com/trowel-project/trowel/internal/dig"
)

// L5: patterns mean what they mean in git.
func TestIgnore(t *testing.T) {
	t.Parallel()
	tests := []struct {
		patterns, path string
		dir, want      bool
	}{
		{"", "a", false, false},
		{"a", "a", false, true},
		{"a", "x/a", false, true},
		{"a", "ab", false, false},
		{"/a", "a", false, true},
		{"/a", "x/a", false, false},
		{"a/", "a", false, false},
		{"a/", "a", true, true},
		{"a/", "x/a", true, true},
		{"x/a", "x/a", false, true},
		{"x/a", "y/x/a", false, false},
		{"*.tmp", "a.tmp", false, true},
		{"*.tmp", "x/y/a.tmp", false, true},
		{"*.tmp", "a.tmpx", false, false},
		{"a?c", "abc", false, true},
		{"a?c", "a/c", false, false},
		{"[ab].dig", "b.dig", false, true},
		{"[!ab].dig", "b.dig", false, false},
		{"[!ab].dig", "c.dig", false, true},
		{"**/a", "a", false, true},
		{"**/a", "x/y/a", false, true},
		{"x/**", "x/y/z", false, true},
		{"x/**", "x", true, false},
		{"x/**/z", "x/z", false, true},
		{"x/**/z", "x/a/b/z", false, true},
		{"*.dig\n!keep.dig", "keep.dig", false, false},
		{"*.dig\n!keep.dig", "other.dig", false, true},
		{"!keep.dig\n*.dig", "keep.dig", false, true},
		{"# a\n\n  \nb", "b", false, true},
		{"a  ", "a", false, true},
		{`a\ `, "a ", false, true},
		{`\#a`, "#a", false, true},
		{`\!a`, "!a", false, true},
		{"a\r\nb", "a", false, true},
		{"A", "a", false, false},
		{"[", "[", false, false},
	}
	for _, tt := range tests {
		if got := dig.ParseIgnore(tt.patterns).Excludes(tt.path, tt.dir); got != tt.want {
			t.Errorf("ParseIgnore(%q).Excludes(%q, %v) = %v, want %v", tt.patterns, tt.path, tt.dir, got, tt.want)
		}
	}
	var none *dig.Ignore
	if none.Excludes("a", false) {
		t.Error("a nil Ignore excludes a file")
	}
}
