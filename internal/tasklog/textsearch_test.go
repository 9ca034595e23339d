package tasklog

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
)

// search finds all matches, by calls that find up to limit each and look at so many bytes.
func search(t *testing.T, text *Text, p *Pattern, limit int, most int64, count bool) (found []Match, counted int64) {
	t.Helper()
	for from := int64(0); ; {
		f, err := text.Search(t.Context(), Search{
			Pattern: p, From: from, Limit: limit, Count: count, MaxBytes: most, Until: time.Now().Add(time.Hour), Now: time.Now,
		})
		if err != nil {
			t.Fatal(err)
		}
		if f.ScannedTo <= from && f.ScannedTo < text.Size {
			t.Fatalf("Search(%d) does not go on: %+v", from, f)
		}
		found, counted, from = append(found, f.Matches...), counted+f.Count, f.ScannedTo
		if from >= text.Size {
			return found, counted
		}
	}
}

// naive finds all matches line by line.
func naive(text string, regex *regexp.Regexp) (found []Match) {
	lines := strings.Split(text, "\n")
	offset := 0
	for i, line := range lines {
		for _, at := range regex.FindAllStringIndex(line, -1) {
			if at[0] == at[1] {
				continue
			}
			before, after := lines[max(0, i-2):i], lines[i+1:min(len(lines), i+3)]
			if len(after) > 0 && i+len(after) == len(lines)-1 && lines[len(lines)-1] == "" {
				after = after[:len(after)-1] // the end of the last line
			}
			found = append(found, Match{
				Offset: int64(offset + at[0]), Line: int64(i + 1), Text: line, Column: len(utf16.Encode([]rune(line[:at[0]]))),
				Length: len(utf16.Encode([]rune(line[at[0]:at[1]]))), Before: append([]string(nil), before...), After: append([]string(nil), after...),
			})
		}
		offset += len(line) + 1
	}
	return found
}

// TestSearch compares a search of the whole text with one line by line.
func TestSearch(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("error Error ERROR row table 17 ready é Größe GRÖSSE 🙂 x=[1,2] failed a+b \t")
	var b strings.Builder
	for range 150 {
		for range rnd.IntN(9) {
			b.WriteString(words[rnd.IntN(len(words))] + strings.Repeat(" ", rnd.IntN(3)))
		}
		b.WriteByte('\n')
	}
	whole := b.String()
	a := newArchive(t)
	a.writeText(t, "+w+a", start, whole[:500], whole[500:501], whole[501:999])
	a.writeText(t, "+w+a", start.Add(time.Second), whole[999:])
	text := a.text(t, Which{FullName: "+w+a"})
	for _, c := range []struct {
		query string
		o     PatternOptions
		same  string // the same as a regular expression
	}{
		{"error", PatternOptions{}, `(?i)error`},
		{"Error", PatternOptions{Case: true}, `Error`},
		{"x=[1,2]", PatternOptions{}, `x=\[1,2\]`},
		{"größe", PatternOptions{}, `(?i)größe`},
		{"🙂", PatternOptions{Case: true}, `🙂`},
		{"^error", PatternOptions{Regex: true}, `(?i)^error`},
		{"ready$", PatternOptions{Regex: true, Case: true}, `ready$`},
		{`\Atable\s+x`, PatternOptions{Regex: true, Case: true}, `^table\s+x`},
		{`row[^q]*table`, PatternOptions{Regex: true}, `(?i)row[^q]*table`},
		{`(?s)row.*`, PatternOptions{Regex: true}, `(?i)row.*`},
		{`\s+`, PatternOptions{Regex: true}, `\s+`},
		{`a*`, PatternOptions{Regex: true, Case: true}, `a*`},
		{`[\n]`, PatternOptions{Regex: true}, `z{9}`},
		{"17\n", PatternOptions{Regex: true}, `z{9}`},
		{`\bx\b`, PatternOptions{Regex: true}, `\bx\b`},
		{"none of it", PatternOptions{}, `z{9}`},
		{`(Err|err)or( +ta(ble)+)?$`, PatternOptions{Regex: true, Case: true}, `[Ee]rror( +ta(ble)+)?$`},
		{`(?i:ERROR) *(ready){1,2}`, PatternOptions{Regex: true, Case: true}, `(?i:error) *(ready){1,2}`},
		{`(row)? table`, PatternOptions{Regex: true}, `(?i)(row)? table`},
	} {
		p, err := NewPattern(c.query, c.o)
		if err != nil {
			t.Fatal(err)
		}
		want := naive(whole, regexp.MustCompile(c.same))
		for _, step := range []int{100, 1000, mostStep} {
			p.step = step
			for _, limit := range []int{2, 100_000} {
				got, counted := search(t, text, p, limit, 1<<40, false)
				if diff := cmp.Diff(want, got, cmp.Transformer("", func(s []string) string { return strings.Join(s, "\n") })); diff != "" {
					t.Fatalf("%q by %d, %d at a time, %d instead of %d (-want +got):\n%.2000s", c.query, step, limit, len(got), len(want), diff)
				}
				if counted != int64(len(want)) {
					t.Errorf("%q: %d matches, want %d", c.query, counted, len(want))
				}
			}
			if got, counted := search(t, text, p, 3, 2000, true); counted != int64(len(want)) || len(got) > len(want) {
				t.Errorf("%q by little: %d matches of %d, want %d", c.query, len(got), counted, len(want))
			}
		}
	}
}

// TestSearchLevels checks which lines have a level.
func TestSearchLevels(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	line := func(level, text string) string {
		return "2024-01-02 00:00:00.000 +0900 [" + level + "] (3@[0:p:1:1]+w+a) " + Class + ": " + text + "\n"
	}
	a.writeText(t, "+w+a", start, line("INFO", "x 1")+"x [ERROR] (2)\n"+line("WARN", "x 3")+line("ERROR", "y 4")+line("DEBUG", "x 5"))
	text := a.text(t, Which{FullName: "+w+a"})
	for _, c := range []struct{ query, level, want string }{
		{"x", "INFO", "[1 3]"}, {"x", "debug", "[1 3 5]"}, {"", "WARN", "[3 4]"}, {"", "ERROR", "[4]"}, {"x", "ERROR", "[]"}, {"x", "", "[1 2 3 5]"},
	} {
		p, err := NewPattern(c.query, PatternOptions{Level: c.level, Case: true})
		if err != nil {
			t.Fatal(err)
		}
		lines := []int64{}
		found, _ := search(t, text, p, 10, 1<<40, false)
		for _, m := range found {
			lines = append(lines, m.Line)
		}
		if got := fmt.Sprint(lines); got != c.want {
			t.Errorf("%q from %s in lines %s, want %s", c.query, c.level, got, c.want)
		}
	}
}

// TestSearchOfSeveralTasks checks that lines around a match are of its task.
func TestSearchOfSeveralTasks(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.writeText(t, "+w+a", start, "a 1\na 2 no end")
	a.writeText(t, "+w+b", start.Add(time.Second), "b 1\nb 2\n")
	p, err := NewPattern("2", PatternOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := search(t, a.text(t, Which{}), p, 10, 1<<40, false)
	want := []Match{
		{Offset: 6, Line: 2, Task: "+w+a", Text: "a 2 no end", Column: 2, Length: 1, Before: []string{"a 1"}},
		{Offset: 20, Line: 3, Task: "+w+b", Text: "b 2", Column: 2, Length: 1, Before: []string{"b 1"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSearchLongLines checks that long lines are searched in time and shown in part, whatever is in them.
func TestSearchLongLines(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.writeText(t, "+w+a", start, strings.Repeat("\x80", 1<<20)+"\n"+strings.Repeat("é", 300_000)+"needle"+strings.Repeat("ü", 1000)+"\n")
	text := a.text(t, Which{FullName: "+w+a"})
	if got, pieces := all(t, text, 10); pieces > 40 || len(got) != 1<<20+1+600_000+6+2000+1 {
		t.Errorf("%d bytes in %d pieces", len(got), pieces)
	}
	p, err := NewPattern("needle", PatternOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := search(t, text, p, 10, 1<<40, false)
	if len(got) != 1 || got[0].Line != 2 || got[0].Offset != 1<<20+1+600_000 || len(got[0].Text) > shownBytes || got[0].Column != shownBefore/2 || got[0].Length != 6 {
		t.Errorf("found %+v", got)
	}
}

// TestPatternRefused checks that no pattern takes long.
func TestPatternRefused(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"", strings.Repeat("a", 10_000), "(", "a{1001}", `(a{1000}){1000}`, strings.Repeat(".{900}", 150), "(?=x)", `\1`, strings.Repeat("(", 900)} {
		if _, err := NewPattern(query, PatternOptions{Regex: true}); !errors.Is(err, trowel.ErrInvalid) {
			t.Errorf("NewPattern(%.30q) = %v, want ErrInvalid", query, err)
		}
	}
	for _, level := range []string{"HIGH", "INFO+2", "-"} {
		if _, err := NewPattern("x", PatternOptions{Level: level}); !errors.Is(err, trowel.ErrInvalid) {
			t.Errorf("level %s = %v, want ErrInvalid", level, err)
		}
	}
}
