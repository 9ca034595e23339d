package trowel_test

import (
	"errors"
	"strings"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

func TestCheckPrintable(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, text, wants string }{
		{"letters", "load 2 (日本) é-👩‍🚀", ""},
		{"empty", "", ""},
		{"escape", "a\x1b[2J", "U+001B at its byte 2"},
		{"bell", "\x07", "U+0007 at its byte 1"},
		{"tab", "a\tb", "U+0009"},
		{"line feed", "a\nb", "U+000A"},
		{"carriage return", "a\rb", "U+000D"},
		{"null", "a\x00", "U+0000"},
		{"delete", "a\x7f", "U+007F"},
		{"C1", "é\u009b2J", "U+009B at its byte 3"},
		{"C1 as a byte", "a\x9b2J", "the byte 0x9B, which is no UTF-8, at its byte 2"},
		{"other order", "a\u202eb", "U+202E"},
		{"isolate", "\u2066", "U+2066"},
		{"line separator", "\u2028", "U+2028"},
		{"paragraph separator", "\u2029", "U+2029"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := trowel.CheckPrintable("a project", tc.text)
			if tc.wants == "" {
				if err != nil {
					t.Errorf("CheckPrintable(%q) = %v, want no error", tc.text, err)
				}
				return
			}
			if !errors.Is(err, trowel.ErrInvalid) || !strings.Contains(err.Error(), tc.wants) {
				t.Fatalf("CheckPrintable(%q) = %v, want an ErrInvalid with %s", tc.text, err, tc.wants)
			}
			if trowel.CheckPrintable("", err.Error()) != nil {
				t.Errorf("the message %q cannot be printed either", err)
			}
		})
	}
}
