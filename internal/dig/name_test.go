package dig_test

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/dig"
)

// L6: all violations are reported.
func TestCheckProjectName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 256)
	tests := []struct{ name, want string }{
		{"etl", ""},
		{"a/b", ""},
		{" ", ""},
		{strings.Repeat("😀", 127), ""},
		{"", "Validating project failed\nname must not be blank: \"\""},
		{"1st", "Validating project failed\nname must not start with a numeric digit (0-9): \"1st\""},
		{"+abc", "Validating project failed\nname must not include special symbols (+ ^ @ / \\ / : * ? \" < > |): \"+abc\""},
		{"|", "Validating project failed\nname must not include special symbols (+ ^ @ / \\ / : * ? \" < > |): \"|\""},
		{"x.dig", "Validating project failed\nname must not end with .dig: \"x.dig\""},
		{long, "Validating project failed\nname must not be longer than 255 characters: \"" + long + "\""},
		{strings.Repeat("😀", 128), "Validating project failed\nname must not be longer than 255 characters: \"" + strings.Repeat("😀", 128) + "\""},
		{"9.dig", "Validating project failed\nname must not start with a numeric digit (0-9): \"9.dig\"\nname must not end with .dig: \"9.dig\""},
	}
	for _, tt := range tests {
		got := ""
		if err := dig.CheckProjectName(tt.name); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("CheckProjectName(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// C12, C13.
func TestTaskNames(t *testing.T) {
	t.Parallel()
	const head = "io.digdag.core.repository.ModelValidationException: Validating workflow task failed\n"
	long := "+" + strings.Repeat("x", 255)
	tests := []struct{ name, want string }{
		{"+a", ""},
		{"+1", ""},
		{"+", ""},
		{"^sub", ""},
		{"+aZ09_-=[]{}%&@,.^`", ""},
		{"a", head + `name must start with '+' or '^': "a"`},
		{"", head + `name must not be blank: ""`},
		{"1", head + "name must not start with a digit (0-9): \"1\"\nname must start with '+' or '^': \"1\""},
		{"+a b/c", head + `name must not contain character ' ': "+a b/c"`},
		{"+é", head + `name must not contain character 'é': "+é"`},
		{"+a+b", head + `name must not contain character '+': "+a+b"`},
		{long, head + `name must not be longer than 255 characters: "` + long + `"`},
	}
	for _, tt := range tests {
		got := ""
		if _, err := dig.Compile("", tt.name, nil); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("Compile(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}
