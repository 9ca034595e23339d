package cli

import (
	"strings"

	"github.com/trowel-project/trowel/internal/terminal"
)

// look is how the live display draws: with which signs, and whether in colour.
type look struct {
	color bool
	signs signs
}

// signs are the characters of the live display. All are one column wide.
type signs struct {
	spin                                              []string
	waiting, retry, done, failed, canceled, rest, bar string
}

func unicodeSigns() signs {
	return signs{
		spin:    []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"},
		waiting: "·", retry: "↻", done: "✓", failed: "✗", canceled: "■", rest: "…", bar: "│",
	}
}

func asciiSigns() signs {
	return signs{
		spin:    []string{"|", "/", "-", "\\"},
		waiting: ".", retry: "~", done: "v", failed: "x", canceled: "#", rest: "~", bar: "|",
	}
}

// newLook chooses signs and colours by the environment. NO_COLOR turns colours off (no-color.org). A
// locale that names another encoding than UTF-8, and the console of Linux, whose font has few signs,
// get ASCII.
func newLook(lookup func(name string) (value string, set bool)) look {
	noColor, _ := lookup("NO_COLOR")
	l := look{color: noColor == "", signs: unicodeSigns()}
	if kind, _ := lookup("TERM"); kind == "linux" || !utf8Locale(lookup) {
		l.signs = asciiSigns()
	}
	return l
}

// utf8Locale reports whether the locale may be one of UTF-8: it does not name another encoding.
func utf8Locale(lookup func(string) (string, bool)) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		locale, _ := lookup(name)
		if locale == "" {
			continue
		}
		_, encoding, named := strings.Cut(locale, ".")
		encoding, _, _ = strings.Cut(strings.ToLower(encoding), "@")
		return !named || encoding == "utf-8" || encoding == "utf8"
	}
	return true
}

// ink is a colour sequence without ESC [ and m; empty for none.
type ink string

const (
	inkPlain  ink = ""
	inkBold   ink = "1"
	inkDim    ink = "2"
	inkRed    ink = "31"
	inkGreen  ink = "32"
	inkYellow ink = "33"
	inkCyan   ink = "36"
)

// paint returns a text in a colour.
func (l *look) paint(color ink, text string) string {
	if color == inkPlain || !l.color || text == "" {
		return text
	}
	return "\x1b[" + string(color) + "m" + text + terminal.SGRReset
}

// lineText builds one line of limited width.
type lineText struct {
	look  *look
	text  strings.Builder
	width int // columns used
	limit int
}

// add appends a text, or what fits of it.
func (l *lineText) add(color ink, text string) {
	text = terminal.Cut(text, l.limit-l.width, l.look.signs.rest)
	l.width += terminal.Width(text)
	l.text.WriteString(l.look.paint(color, text))
}

// gap appends blanks.
func (l *lineText) gap(columns int) {
	columns = min(columns, l.limit-l.width)
	if columns > 0 {
		l.text.WriteString(strings.Repeat(" ", columns))
		l.width += columns
	}
}

// pad appends blanks up to a column.
func (l *lineText) pad(column int) { l.gap(column - l.width) }
