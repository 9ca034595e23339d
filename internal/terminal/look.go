package terminal

import (
	"strings"
)

// Look is how views draw: with which signs, and whether in colour.
type Look struct {
	Color bool
	Signs Signs
}

// Signs are the characters of the views. All are one column wide.
type Signs struct {
	Spin                                              []string
	Waiting, Retry, Done, Failed, Canceled, Rest, Bar string
}

// UnicodeSigns are the signs of terminals that speak UTF-8.
func UnicodeSigns() Signs {
	return Signs{
		Spin:    []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"},
		Waiting: "·", Retry: "↻", Done: "✓", Failed: "✗", Canceled: "■", Rest: "…", Bar: "│",
	}
}

func asciiSigns() Signs {
	return Signs{
		Spin:    []string{"|", "/", "-", "\\"},
		Waiting: ".", Retry: "~", Done: "v", Failed: "x", Canceled: "#", Rest: "~", Bar: "|",
	}
}

// NewLook chooses signs and colours by the environment. NO_COLOR turns colours off (no-color.org). A
// locale that names another encoding than UTF-8, and the console of Linux, whose font has few signs,
// get ASCII.
func NewLook(lookup func(name string) (value string, set bool)) Look {
	noColor, _ := lookup("NO_COLOR")
	l := Look{Color: noColor == "", Signs: UnicodeSigns()}
	if kind, _ := lookup("TERM"); kind == "linux" || !utf8Locale(lookup) {
		l.Signs = asciiSigns()
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

// Ink is a colour sequence without ESC [ and m; empty for none.
type Ink string

// Inks of views and tables. InkPlain is the terminal's own colour.
const (
	InkPlain  Ink = ""
	InkBold   Ink = "1"
	InkDim    Ink = "2"
	InkRed    Ink = "31"
	InkGreen  Ink = "32"
	InkYellow Ink = "33"
	InkCyan   Ink = "36"
)

// Paint returns a text in a colour.
func (l *Look) Paint(color Ink, text string) string {
	if color == InkPlain || !l.Color || text == "" {
		return text
	}
	return "\x1b[" + string(color) + "m" + text + SGRReset
}

// Line builds one line of limited width.
type Line struct {
	Look  *Look
	Text  strings.Builder
	Width int // columns used
	Limit int
}

// Add appends a text, or what fits of it.
func (l *Line) Add(color Ink, text string) {
	text = Cut(text, l.Limit-l.Width, l.Look.Signs.Rest)
	l.Width += Width(text)
	l.Text.WriteString(l.Look.Paint(color, text))
}

// Gap appends blanks.
func (l *Line) Gap(columns int) {
	columns = min(columns, l.Limit-l.Width)
	if columns > 0 {
		l.Text.WriteString(strings.Repeat(" ", columns))
		l.Width += columns
	}
}

// Pad appends blanks up to a column.
func (l *Line) Pad(column int) { l.Gap(column - l.Width) }
