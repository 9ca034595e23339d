package secret_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

func newMask(minChars int, values ...string) *secret.Mask {
	m := secret.NewMask(minChars)
	for _, value := range values {
		m.Add(secret.NewValue(value))
	}
	return m
}

// Design, section 9: values of 8 characters or more.
func TestMaskText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		secrets []string
		text    string
		want    string
	}{
		{"none", nil, "text", "text"},
		{"empty", []string{""}, "text", "text"},
		{"one", []string{"hush-hush"}, "say hush-hush!", "say ********!"},
		{"twice", []string{"hush-hush"}, "hush-hush hush-hush", "******** ********"},
		{"beside itself", []string{"hush-hush"}, "hush-hushhush-hush", "****************"},
		{"too short", []string{"hush-hu"}, "say hush-hu", "say hush-hu"},
		{"characters, not bytes", []string{"üüüüüüü"}, "üüüüüüü", "üüüüüüü"},
		{"long enough", []string{"üüüüüüüü"}, "xüüüüüüüüx", "x********x"},
		{"only a beginning", []string{"hush-hush"}, "hush-hus", "hush-hus"},
		{"over itself", []string{"hush-hush"}, "hush-hush-hush", "********"},
		{"one in another", []string{"hush-hush", "x-hush-hush-y"}, "x-hush-hush-y", "********"},
		{"the longer one", []string{"hush-hush", "hush-hush-more"}, "hush-hush-more", "********"},
		{"the shorter one", []string{"hush-hush", "hush-hush-more"}, "hush-hush-mo", "********-mo"},
		{"overlap", []string{"abcdefgh", "efghijkl"}, "-abcdefghijkl-", "-********-"},
		{"space around it", []string{"  hush-hush\n"}, "[hush-hush]", "[********]"},
		{"lines", []string{"first-line\nx\nsecond-line\n"}, "> first-line\n> x\n> second-line", "> ********\n> x\n> ********"},
		{"all lines", []string{"first-line\nx\nsecond-line\n"}, "first-line\nx\nsecond-line\n", "********\n"},
		{"in JSON", []string{"hush\"\nhush"}, `{"a":"hush\"\nhush"}`, `{"a":"********"}`},
		{"in a URL", []string{"hush hush/?"}, "http://x/hush%20hush%2F%3F?a=hush+hush%2F%3F", "http://x/********?a=********"},
		{"zero bytes", []string{"\x00\x01\x02\x03\x04\x05\x06\x07"}, "a\x00\x01\x02\x03\x04\x05\x06\x07b", "a********b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := newMask(secret.OutputChars, c.secrets...).Text(c.text); got != c.want {
				t.Errorf("Text(%q) = %q, want %q", c.text, got, c.want)
			}
		})
	}
}

// However a text is split over writes, the result is the same, and never contains a part of a secret.
func TestMaskWriterSplits(t *testing.T) {
	t.Parallel()
	mask := newMask(secret.OutputChars, "abcdefgh", "efghijkl", "abcdefghijklmnop", "first-line\nlast-line")
	const text = "xabcabcdefghijklmnoabcdefgh first-line\nlast-line abcdefg abcdefghijklmnop first-line\nlas"
	want := mask.Text(text)
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		w := mask.Writer(&out)
		for rest := []byte(text); len(rest) > 0; {
			n := min(size, len(rest))
			if written, err := w.Write(rest[:n]); err != nil || written != n {
				t.Fatalf("Write = %d, %v, want %d", written, err, n)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", size, out.String(), want)
		}
	}
}

// A line that cannot be part of a secret is not held back.
func TestMaskWriterHoldsLittleBack(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := newMask(secret.OutputChars, "hush-hush").Writer(&out)
	if _, err := w.Write([]byte("a line\nhus")); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "a line\n"; got != want {
		t.Errorf("written = %q, want %q", got, want)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestMaskWriterTellsErrors(t *testing.T) {
	t.Parallel()
	w := newMask(secret.OutputChars).Writer(brokenWriter{})
	if _, err := w.Write([]byte("x")); text(err) != "disk full" {
		t.Errorf("Write: error = %v, want that of the other writer", err)
	}
}

func TestMaskKnowsWhatWasFound(t *testing.T) {
	t.Parallel()
	mask := newMask(secret.OutputChars)
	finder := mask.Finder(finderFunc(echo{}.find))
	if _, _, err := finder.Find(t.Context(), "pg.password"); err != nil {
		t.Fatal(err)
	}
	if got, want := mask.Text("<pg.password> <pg.hostname>"), "******** <pg.hostname>"; got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
}

func TestMaskHandler(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	mask := newMask(secret.OwnChars, "hush")
	log := slog.New(mask.Handler(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})))
	log.With(slog.String("with", "hush")).WithGroup("g").Info("say hush", slog.String("text", "hush!"), slog.Int("n", 5),
		slog.Any("error", errors.New("no hush")), slog.Any("plain", errors.New("none")),
		slog.Group("inner", slog.String("deep", "hush")), slog.Any("value", secret.NewValue("x")))
	log.Debug("hush")
	want := `level=INFO msg="say ********" with=******** g.text=********! g.n=5 g.error="no ********" g.plain=none g.inner.deep=******** g.value=********` + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestMaskParams(t *testing.T) {
	t.Parallel()
	mask := newMask(secret.OwnChars, "hush")
	params := param.Of("a", "say hush", "n", 5, "hush", param.List{"hush", nil, param.Of("b", "hush", "c", true)})
	got := mask.Params(params)
	want := `{"a":"say ********","n":5,"********":["********",null,{"b":"********","c":true}]}`
	if param.JSON(got) != want {
		t.Errorf("Params = %s, want %s", param.JSON(got), want)
	}
	if a, _ := params.Get("a"); a != "say hush" {
		t.Errorf("the given map was changed: %s", param.JSON(params))
	}
	if mask.Params(nil) != nil {
		t.Error("Params(nil) is not nil")
	}
}

// FuzzMask proves that no secret is left in any text, in any pieces, and that a text without secrets does not change.
func FuzzMask(f *testing.F) {
	f.Add("abcdefgh", "efghijkl", "xabcdefghijkl", 3)
	f.Add("aaaaaaaa", "aaaaaaaab", "aaaaaaaaaaaaab", 1)
	f.Fuzz(func(t *testing.T, a, b, text string, size int) {
		mask := newMask(secret.OutputChars, a, b)
		whole := mask.Text(text)
		if size < 1 || size > len(text) {
			return
		}
		var out strings.Builder
		w := mask.Writer(&out)
		for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
			if _, err := w.Write([]byte(rest[:min(size, len(rest))])); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if out.String() != whole {
			t.Errorf("in pieces of %d: %q, at once: %q", size, out.String(), whole)
		}
		for _, value := range []string{a, b} {
			value = strings.TrimSpace(value)
			if len([]rune(value)) >= secret.OutputChars && strings.Contains(whole, value) && !strings.Contains(value, "*") {
				t.Errorf("Text(%q) = %q has %q", text, whole, value)
			}
		}
	})
}

// closed keeps what is written and whether it was closed.
type closed struct {
	bytes.Buffer
	done bool
}

func (c *closed) Close() error {
	c.done = true
	return nil
}

func TestMaskWriteCloserClosesBoth(t *testing.T) {
	t.Parallel()
	var out closed
	w := newMask(secret.OutputChars, "hush-hush").WriteCloser(&out)
	if _, err := w.Write([]byte("a hush-hush hus")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil || !out.done || out.String() != "a ******** hus" {
		t.Errorf("Close = %v, closed = %v, written = %q", err, out.done, out.String())
	}
}

// The cost of masking: a log without secrets, and one full of them.
func BenchmarkMaskWriter(b *testing.B) {
	line := strings.Repeat("2026-11-21 03:00:00 +0000 [INFO] an ordinary line of output, with some words in it\n", 400)
	for _, c := range []struct{ name, text string }{
		{"clean", line}, {"full", strings.ReplaceAll(line, "ordinary", "hush-hush-hush")},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := newMask(secret.OutputChars, "hush-hush-hush", "another-secret", "some-password").Writer(io.Discard)
			data := []byte(c.text)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := w.Write(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
