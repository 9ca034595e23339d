package live

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/terminal"
)

// scrolled returns what a terminal gets of what a task prints, in the given pieces.
func scrolled(t *testing.T, pieces ...string) string {
	t.Helper()
	out := &liveOutput{spool: runview.NewSpool(urgentSize), prefix: "+a| "}
	for _, piece := range pieces {
		if n, err := out.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Errorf("Write(%q) = %d, %v, want %d, nil", piece, n, err, len(piece))
		}
	}
	if err := out.Close(); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
	return string(out.spool.Take())
}

func TestLiveOutput(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, in, want string }{
		{"lines", "one\ntwo\n", "+a| one\n+a| two\n"},
		{"no end", "one\ntwo", "+a| one\n+a| two\n"},
		{"blank lines", "\n\n", "+a| \n+a| \n"},
		{"tab", "a\tb\n", "+a| a\tb\n"},
		{"windows", "one\r\ntwo\r\n", "+a| one\n+a| two\n"},
		{"overwritten", "10%\r20%\r30%\ndone\n", "+a| 30%\n+a| done\n"},
		{"overwritten at the end", "10%\r20%\r", "+a| 20%\n"},
		{"not UTF-8", "a\xffb\xc3\n\xe6\x97", "+a| a\\xffb\\xc3\n+a| \\xe6\\x97\n"},
		{"UTF-8", "日本語 é 🚀\n", "+a| 日本語 é 🚀\n"},
		{"bell, backspace, null", "a\a\b\x00\x7fb\n", "+a| a^G^H^@^?b\n"},
		{"C1", "a\u009b2Jb\n", "+a| a\\u009b2Jb\n"},
		{"cursor", "a\x1b[2Jb\x1b[10;10Hc\x1b[?25l\n", "+a| a^[[2Jb^[[10;10Hc^[[?25l\n"},
		{"title", "\x1b]0;title\a\n", "+a| ^[]0;title^G\n"},
		{"cut sequence", "a\x1b\nb\x1b[\nc\x1b[31", "+a| a^[\n+a| b^[[\n+a| c^[[31\n"},
		{"colours", "\x1b[31mred\x1b[0m plain\n", "+a| \x1b[31mred\x1b[0m plain\x1b[0m\n"},
		{
			"colours over lines", "\x1b[1m\x1b[38;5;9mred\nstill\x1b[m\nplain\n",
			"+a| \x1b[1m\x1b[38;5;9mred\x1b[0m\n+a| \x1b[1m\x1b[38;5;9mstill\x1b[m\x1b[0m\n+a| plain\n",
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, scrolled(t, tc.in)); diff != "" {
				t.Errorf("output of %q (-want +got):\n%s", tc.in, diff)
			}
			for i := range tc.in {
				if got := scrolled(t, tc.in[:i], tc.in[i:]); got != tc.want {
					t.Errorf("output of %q + %q = %q, want %q", tc.in[:i], tc.in[i:], got, tc.want)
				}
			}
		})
	}
}

// A line that does not end is shown in parts, without breaking a character.
func TestLiveOutputEndlessLine(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("é日x", 40_000)
	got := scrolled(t, text)
	var joined strings.Builder
	lines := 0
	for line := range strings.Lines(got) {
		part, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "+a| ")
		if !ok || len(part) > 2*longestPart {
			t.Fatalf("part of %d bytes, prefix %t; want a prefix and at most %d bytes", len(part), ok, 2*longestPart)
		}
		joined.WriteString(part)
		lines++
	}
	if joined.String() != text || lines < 20 {
		t.Errorf("%d parts make %d bytes, want the %d bytes of the line", lines, joined.Len(), len(text))
	}
}

func TestLastLine(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		pieces []string
		want   string
	}{
		{"nothing", nil, ""},
		{"last of some", []string{"one\ntwo\n"}, "two"},
		{"blank ones after", []string{"one\n", "\n  \n"}, "one"},
		{"in pieces", []string{"o", "ne\ntw", "o"}, "two"},
		{"ended later", []string{"on", "e\n"}, "one"},
		{"ended later, blank beginning", []string{"one\n  ", " two\n"}, "two"},
		{"progress", []string{"10%\r", "20%\r", "30%"}, "30%"},
		{"colours and tabs", []string{"\x1b[31ma\tb\x1b[0m\n"}, "a b"},
		{"bytes", []string{"a\xff\x1b[2J\n"}, `a\xff^[[2J`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out := &liveOutput{spool: runview.NewSpool(urgentSize)}
			for _, piece := range tc.pieces {
				if _, err := out.Write([]byte(piece)); err != nil {
					t.Error(err)
				}
			}
			if got := out.lastLine(); got != tc.want {
				t.Errorf("lastLine() after %q = %q, want %q", tc.pieces, got, tc.want)
			}
		})
	}
}

func TestCutText(t *testing.T) {
	t.Parallel()
	cases := []struct {
		text         string
		columns      int
		want, middle string
	}{
		{"+short", 10, "+short", "+short"},
		{"+load+fetch", 8, "+load+f…", "+lo…etch"},
		{"日本語日本語", 7, "日本語…", "日…本語"},
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301", "e\u0301e\u0301e\u0301"},
		{"abc", 1, "…", "…"},
		{"abc", 0, "", ""},
	}
	for _, tc := range cases {
		if got := terminal.Cut(tc.text, tc.columns, "…"); got != tc.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tc.text, tc.columns, got, tc.want)
		}
		if got := terminal.CutMiddle(tc.text, tc.columns, "…"); got != tc.middle {
			t.Errorf("cutMiddle(%q, %d) = %q, want %q", tc.text, tc.columns, got, tc.middle)
		}
	}
}

// What a terminal gets of any bytes is UTF-8 without control characters, but for colours and tabs; a
// cut text is never wider than it may be.
func FuzzTermText(f *testing.F) {
	f.Add("\x1b[31mred\x1b[0m \xff\u009b\t日本", 5)
	f.Fuzz(func(t *testing.T, text string, columns int) {
		clean := string(terminal.AppendClean(nil, []byte(text), false, nil))
		if !utf8.ValidString(clean) || strings.IndexFunc(clean, func(r rune) bool { return r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0) }) >= 0 {
			t.Errorf("AppendClean(%q) = %q, want UTF-8 without control characters", text, clean)
		}
		columns = min(max(columns, 0), 200)
		if got := terminal.CutMiddle(terminal.Clean(text), columns, "…"); terminal.Width(got) > columns {
			t.Errorf("cutMiddle(%q, %d) = %q takes %d columns", text, columns, got, terminal.Width(got))
		}
	})
}

func BenchmarkLiveOutput(b *testing.B) {
	for _, bench := range []struct{ name, line string }{
		{"ascii", strings.Repeat("0123456789 ", 7) + "\n"},
		{"japanese", strings.Repeat("日本語", 9) + "\n"},
		{"short", "x\n"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			data := []byte(strings.Repeat(bench.line, 32<<10/len(bench.line)))
			out := &liveOutput{spool: runview.NewSpool(urgentSize), prefix: "+load │ "}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := out.Write(data); err != nil {
					b.Fatal(err)
				}
				out.spool.GiveBack(out.spool.Take())
			}
		})
	}
}
