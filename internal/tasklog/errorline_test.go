package tasklog

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestLastError checks which lines look like errors.
func TestLastError(t *testing.T) {
	t.Parallel()
	finder := newErrorFinder()
	own := "2024-01-02 00:00:00.000 +0000 [ERROR] (3@[0:p:1:1]+w+a) " + Class + ": Task failed with error: exit 1\n"
	for text, want := range map[string]string{
		"": "", "fine\n": "", "0 errors, 3 warnings\n": "", "TERRORS\n": "", "ERROR_COUNT=3\n": "", "finished without error\n": "",
		"a\nERROR something\nb\n":                             "ERROR something",
		"a\nx: error: no\nb\nE: error: yes\nc\n":              "E: error: yes",
		"Traceback (most recent call last):\n  f()\n":         "Traceback (most recent call last):",
		"Traceback (most recent call last):\nValueError: 1":   "ValueError: 1",
		"java.lang.NullPointerException\n\tat a.b\n":          "java.lang.NullPointerException",
		"x\npanic: boom\n\ngoroutine 1\n":                     "panic: boom",
		"make: *** [all] Error 2\n":                           "make: *** [all] Error 2",
		"sh: foo: command not found\r\nbye\n":                 "sh: foo: command not found",
		"real error: x\n" + own:                               "real error: x",
		strings.Replace(own, "error:", "it", 1):               "",
		own:                                                   "",
		"2024-01-02 00:00:00 ERROR [main] c.x.Y - it broke\n": "2024-01-02 00:00:00 ERROR [main] c.x.Y - it broke",
	} {
		at, got := finder.last([]byte(text)), ""
		if at >= 0 {
			got = strings.TrimRight(strings.SplitAfter(text[at:], "\n")[0], "\r\n")
		}
		if got != want || at > 0 && text[at-1] != '\n' {
			t.Errorf("last(%q) = %d %q, want %q", text, at, got, want)
		}
	}
}

func BenchmarkLastError(b *testing.B) {
	var text bytes.Buffer
	for i := 0; text.Len() < chunkBytes; i++ {
		fmt.Fprintf(&text, "2024-01-02 00:00:%02d processed row %d of table users, after %d ms: result ok\n", i%60, i*7919, i%977)
	}
	b.SetBytes(int64(text.Len()))
	finder := newErrorFinder()
	for b.Loop() {
		finder.last(text.Bytes())
	}
}
