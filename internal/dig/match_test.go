package dig_test

import (
	"errors"
	"testing"

	"github.com/trowel-project/trowel/internal/dig"
)

// X72, server 1.9.2.
func TestMatchName(t *testing.T) {
	t.Parallel()
	names := []string{"+wf", "+wf+a", "+wf+b", "+wf+b+a", "+wf+b+c", "+wf+b^sub+d"}
	tests := []struct {
		pattern string
		want    int
		err     string
	}{
		{"+b+a", 3, ""},
		{"wf+b+c", 4, ""},
		{"b+c", -1, "Match patterns excepting direct child (+name+name) is not supported: b+c (syntax)"},
		{"+wf", 0, ""},
		{"^sub+d", 5, ""},
		{"f+b", 2, "Match patterns excepting direct child (+name+name) is not supported: f+b (syntax)"},
		{"+a", -1, "Task pattern '+a' is ambiguous. Matching candidates are [+wf+a, +wf+b+a] (multiple task match)"},
		{"+zz", -1, "Task pattern '+zz' doesn't match with any tasks. (no match)"},
		{"", -1, "Task pattern '' is ambiguous. Matching candidates are [+wf, +wf+a, +wf+b, +wf+b+a, +wf+b+c, +wf+b^sub+d] (multiple task match)"},
		{"+", -1, "Match patterns excepting direct child (+name+name) is not supported: + (syntax)"},
		{"a", -1, "Match patterns excepting direct child (+name+name) is not supported: a (syntax)"},
		{"++a", -1, "Match patterns excepting direct child (+name+name) is not supported: ++a (syntax)"},
	}
	for _, tt := range tests {
		got, err := dig.MatchName(tt.pattern, names)
		message := ""
		if known, ok := errors.AsType[*dig.Error](err); ok {
			message = known.Text()
		}
		if message != tt.err || tt.err == "" && got != tt.want {
			t.Errorf("MatchName(%q) = %d, %q, want %d, %q", tt.pattern, got, message, tt.want, tt.err)
		}
	}
}

// Among copies that a retry made, the last one counts.
func TestMatchNameTakesTheLastOfEqualNames(t *testing.T) {
	t.Parallel()
	if got, err := dig.MatchName("+wf+a", []string{"+wf", "+wf+a", "+wf+a"}); got != 2 || err != nil {
		t.Errorf("MatchName = %d, %v, want 2", got, err)
	}
}
