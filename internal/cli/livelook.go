package cli

import (
	"strconv"
	"strings"
	"time"

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
func newLook(env Env) look {
	_, plain := env.lookupText("NO_COLOR")
	l := look{color: !plain, signs: unicodeSigns()}
	if terminal, _ := env.Lookup("TERM"); terminal == "linux" || !env.utf8() {
		l.signs = asciiSigns()
	}
	return l
}

// utf8 reports whether the locale may be one of UTF-8: it does not name another encoding.
func (e Env) utf8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		locale, set := e.lookupText(name)
		if !set {
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

// durationText is a length of time for people, in at most six characters: 0.3s, 32s, 4m05s, 3h20m, 2d07h.
func durationText(d time.Duration) string {
	seconds := int(d / time.Second)
	switch {
	case d < 10*time.Second:
		return strconv.FormatFloat(float64(max(d, 0)/(100*time.Millisecond))/10, 'f', 1, 64) + "s"
	case seconds < 60:
		return strconv.Itoa(seconds) + "s"
	case seconds < 60*60:
		return twoUnits(seconds, 60, "m", "s")
	case seconds < 24*60*60:
		return twoUnits(seconds/60, 60, "h", "m")
	default:
		return twoUnits(seconds/60/60, 24, "d", "h")
	}
}

// secondsText is durationText of a length that is known in whole seconds: of such there are no tenths.
func secondsText(d time.Duration) string {
	switch {
	case d < time.Second:
		return "<1s"
	case d < 10*time.Second:
		return strconv.Itoa(int(d/time.Second)) + "s"
	}
	return durationText(d)
}

// spanText is the length between two instants. Servers tell many in whole seconds.
func spanText(from, to time.Time) string {
	if from.Nanosecond() == 0 || to.Nanosecond() == 0 {
		return secondsText(to.Sub(from))
	}
	return durationText(to.Sub(from))
}

func twoUnits(n, per int, large, small string) string {
	rest := strconv.Itoa(n % per)
	if len(rest) < 2 {
		rest = "0" + rest
	}
	return strconv.Itoa(n/per) + large + rest + small
}

// untilText is the time until an instant in whole seconds, rounded up.
func untilText(d time.Duration) string {
	d = max((d + time.Second - 1).Truncate(time.Second), 0)
	if d < 10*time.Second {
		return strconv.Itoa(int(d/time.Second)) + "s"
	}
	return durationText(d)
}
