package cmd

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParseProperties checks the syntax of Java's properties (server 1.5).
func TestParseProperties(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text string
		want       map[string]string
	}{
		{"nothing", "", map[string]string{}},
		{"separators", "a=1\nb: 2\nc 3\nd\t=\t4\ne   5 6\n", map[string]string{"a": "1", "b": "2", "c": "3", "d": "4", "e": "5 6"}},
		{"one separator only", "a = = 1\nb : : 2\n", map[string]string{"a": "= 1", "b": ": 2"}},
		{"comments and empty lines", "# a=1\n  ! b=2\n\n   \nc=3 # no comment\n", map[string]string{"c": "3 # no comment"}},
		{"blanks before a key go, after a value stay", "  \t a = 1  \n", map[string]string{"a": "1  "}},
		{"no value", "a\nb=\nc:\n", map[string]string{"a": "", "b": "", "c": ""}},
		{"the last of equal keys", "a=1\na=2\n", map[string]string{"a": "2"}},
		{"a line goes on", "a=1,\\\n   2,\\\n   3\nb=4\n", map[string]string{"a": "1,2,3", "b": "4"}},
		{"lines of Windows", "a=1,\\\r\n   2\r\nb=3\r\n", map[string]string{"a": "1,2", "b": "3"}},
		{"lines of an old Mac", "a=1\rb=2\r", map[string]string{"a": "1", "b": "2"}},
		{"a comment does not go on", "# a=1 \\\nb=2\n", map[string]string{"b": "2"}},
		{"escapes", `a=1\t2\n3\\4\q5` + "\n", map[string]string{"a": "1\t2\n3\\4q5"}},
		{"escapes in keys", `a\ b\:c\=d=1` + "\n", map[string]string{"a b:c=d": "1"}},
		{"characters by number", `a=caf\u00e9 \u65E5` + "\n", map[string]string{"a": "café 日"}},
		{"characters beyond four digits", `a=\uD83D\uDE00!` + "\n", map[string]string{"a": "😀!"}},
		{"a backslash before such a number", `a=\\uD83D\uDE00` + "\n", map[string]string{"a": `\uD83D` + "\uFFFD"}},
		{"nothing is expanded", "a=${b} ${a}\n", map[string]string{"a": "${b} ${a}"}},
		{"no end of line", "a=1", map[string]string{"a": "1"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseProperties(tc.text)
			if err != nil {
				t.Fatalf("parseProperties(%q): %v", tc.text, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("parseProperties(%q) (-want +got):\n%s", tc.text, diff)
			}
		})
	}
}

// TestParseLatin1Properties: files are read as ISO-8859-1, whatever they were meant to be.
func TestParseLatin1Properties(t *testing.T) {
	t.Parallel()
	got, err := parseLatin1Properties([]byte("a=caf\xe9\nb=caf\xc3\xa9\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a": "café", "b": "cafÃ©"}, got); diff != "" {
		t.Errorf("parseLatin1Properties (-want +got):\n%s", diff)
	}
}

// TestParsePropertiesComplaints: an error names the line.
func TestParsePropertiesComplaints(t *testing.T) {
	t.Parallel()
	_, err := parseProperties("a=1\nb=\\u12x4\n")
	if err == nil || !strings.Contains(err.Error(), "invalid unicode literal") || !strings.Contains(err.Error(), "Line 2") {
		t.Errorf("parseProperties: error = %v, want one about the literal in line 2", err)
	}
}
