package live

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// window is a terminal that understands what a screen writes, and fails on anything else. Lines that
// leave it at the top are kept.
type window struct {
	t        *testing.T
	width    int
	height   int
	rows     []string // what scrolled off, then the lines of the window
	row, col int      // position of the cursor in rows
	pending  []byte   // the beginning of a sequence
}

func newWindow(t *testing.T, width, height int) *window {
	t.Helper()
	return &window{t: t, width: width, height: height, rows: []string{""}}
}

func (w *window) top() int { return max(len(w.rows)-w.height, 0) }

func (w *window) Write(data []byte) (int, error) {
	for _, r := range string(data) {
		switch {
		case len(w.pending) > 0 || r == 0x1b:
			w.pending = append(w.pending, string(r)...)
			w.sequence()
		case r == '\n':
			w.down()
			w.col = 0 // terminals do that for programs
		case r == '\r':
			w.col = 0
		default:
			w.put(r)
		}
	}
	return len(data), nil
}

func (w *window) down() {
	if w.row++; w.row == len(w.rows) {
		w.rows = append(w.rows, "")
	}
}

func (w *window) put(r rune) {
	if w.col == w.width {
		w.down()
		w.col = 0
	}
	line := []rune(w.rows[w.row])
	for len(line) <= w.col {
		line = append(line, ' ')
	}
	line[w.col] = r
	w.rows[w.row] = string(line)
	w.col++
}

func (w *window) sequence() {
	text := string(w.pending)
	if last := text[len(text)-1]; len(text) < 3 || last >= '0' && last <= '9' || last == ';' || last == '?' {
		return
	}
	w.pending = nil
	switch {
	case text == beginUpdate, text == endUpdate, strings.HasSuffix(text, "m"):
	case text == eraseLine:
		w.eraseLine()
	case text == eraseBelow:
		w.eraseLine()
		w.rows = w.rows[:w.row+1]
	case strings.HasSuffix(text, "A"):
		n, err := strconv.Atoi(text[2 : len(text)-1])
		if err != nil {
			w.t.Errorf("sequence %q", text)
		}
		w.row = max(w.row-n, w.top())
	default:
		w.t.Errorf("sequence %q is not known", text)
	}
}

func (w *window) eraseLine() {
	line := []rune(w.rows[w.row])
	w.rows[w.row] = string(line[:min(w.col, len(line))])
}

// resize changes the width as most terminals do: lines that are too long are wrapped.
func (w *window) resize(width int) {
	var rows []string
	for i, text := range w.rows {
		if i == w.row {
			w.row = len(rows)
		}
		line := []rune(text)
		for len(line) > width {
			rows = append(rows, string(line[:width]))
			line = line[width:]
		}
		rows = append(rows, string(line))
	}
	w.rows, w.width = rows, width
}

func (w *window) text() []string {
	lines := make([]string, len(w.rows))
	for i, line := range w.rows {
		lines[i] = strings.TrimRight(line, " ")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// Whatever is shown, in whatever order, the window has all output, and below it the lines as they
// were last given.
func TestScreen(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		w := newWindow(t, 20+rnd.IntN(20), 12)
		s := screen{out: w, lower: w}
		var scrolled []string
		for step := range 30 {
			lines := make([]drawnLine, rnd.IntN(8))
			for i := range lines {
				text := strings.Repeat(string(rune('a'+rnd.IntN(3))), rnd.IntN(min(w.width-1, 18)))
				lines[i] = drawnLine{text: text, width: len(text)}
			}
			var output strings.Builder
			for range rnd.IntN(3) * rnd.IntN(3) {
				line := fmt.Sprintf("out %d.%d", seed, step)
				scrolled = append(scrolled, line)
				output.WriteString(line + "\n")
			}
			s.show([]byte(output.String()), lines, w.width)
			want := append([]string{}, scrolled...)
			for _, line := range lines {
				want = append(want, line.text)
			}
			for len(want) > 0 && want[len(want)-1] == "" {
				want = want[:len(want)-1]
			}
			if diff := cmp.Diff(strings.Join(want, "\n"), strings.Join(w.text(), "\n")); diff != "" {
				t.Fatalf("seed %d, step %d: window (-want +got):\n%s", seed, step, diff)
			}
		}
	}
}

// A window that becomes narrower wraps the lines of the tree. They are removed completely.
func TestScreenResize(t *testing.T) {
	t.Parallel()
	w := newWindow(t, 40, 20)
	s := screen{out: w, lower: w}
	wide := strings.Repeat("x", 39)
	s.show([]byte("output\n"), []drawnLine{{wide, 39}, {"short", 5}}, 40)
	w.resize(15)
	s.show(nil, []drawnLine{{wide[:14], 14}, {"short", 5}}, 15)
	w.resize(60)
	s.show([]byte("more\n"), []drawnLine{{wide, 39}}, 60)
	want := []string{"output", "more", wide}
	if diff := cmp.Diff(want, w.text()); diff != "" {
		t.Errorf("window (-want +got):\n%s", diff)
	}
}

// A frame that equals the last one writes nothing, and one with a changed line only that line.
func TestScreenWritesChangesOnly(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := screen{out: &out, lower: &out}
	lines := make([]drawnLine, 10)
	for i := range lines {
		lines[i] = drawnLine{strings.Repeat("z", 50), 50}
	}
	s.show(nil, lines, 80)
	out.Reset()
	s.show(nil, lines, 80)
	if out.Len() > 0 {
		t.Errorf("the same frame again wrote %q, want nothing", out.String())
	}
	changed := append([]drawnLine{}, lines...)
	changed[4] = drawnLine{"new", 3}
	s.show(nil, changed, 80)
	if want := beginUpdate + "\r\x1b[6Anew" + eraseLine + "\n\n\n\n\n\n" + endUpdate; out.String() != want {
		t.Errorf("a changed line wrote %q, want %q", out.String(), want)
	}
}
