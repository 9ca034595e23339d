package remotecmd

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/loopname"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// On a terminal, lists are tables with one line for each thing, which fit the window. Otherwise
// they have Digdag's form. The text of a cell comes from outside and is made harmless like all such text.

// listColumn is a column of a table.
type listColumn struct {
	title string
	right bool // aligned to the right, as numbers and durations
	least int  // width that it may be cut down to; 0 if it is never cut
	// drop says when the column is left out of a narrow window: columns with the largest number go
	// first; 0 for never.
	drop int
}

// listRow is a line of a table, and what stands below it.
type listRow struct {
	cells []string
	name  []loopname.Part // parts of the cell with a name that has values of loops, which is cut as such; nil otherwise
	ink   terminal.Ink    // of the cell in the painted column
	note  string          // a line below, such as the error of a failed task; empty for none
	links []string        // further lines below, which are never cut
}

// listTable is a table.
type listTable struct {
	columns []listColumn
	painted int // the column whose cells are painted, from 0
	named   int // the column of the names in listRow.name
	rows    []listRow
}

const (
	columnGap = 2
	leastCell = 4 // least width of a column that may be cut
)

// write lays the table out for a number of columns.
func (t *listTable) write(w io.Writer, look *terminal.Look, width int) {
	for i := range t.rows {
		for j, cell := range t.rows[i].cells {
			t.rows[i].cells[j] = terminal.Clean(cell)
		}
	}
	widths := t.widths(width)
	var text strings.Builder
	line := func(row *listRow, title bool) {
		l := terminal.Line{Look: look, Limit: width}
		at := 0
		for i, cell := range row.cells {
			if widths[i] == 0 {
				continue
			}
			color := terminal.InkPlain
			switch {
			case title:
				color = terminal.InkDim
			case i == t.painted:
				color = row.ink
			}
			if !title && i == t.named && row.name != nil {
				cell = loopname.Fit(row.name, widths[i], look.Signs.Rest)
			}
			cell = terminal.CutMiddle(cell, widths[i], look.Signs.Rest)
			if t.columns[i].right {
				l.Pad(at + widths[i] - terminal.Width(cell))
			}
			l.Pad(at)
			l.Add(color, cell)
			at += widths[i] + columnGap
		}
		text.WriteString(strings.TrimRight(l.Text.String(), " ") + "\n")
		if row.note != "" {
			text.WriteString(look.Paint(terminal.InkDim, "  "+terminal.Cut(terminal.Clean(row.note), width-columnGap, look.Signs.Rest)) + "\n")
		}
		for _, link := range row.links {
			text.WriteString(look.Paint(terminal.InkDim, "  "+terminal.Clean(link)) + "\n")
		}
	}
	titles := listRow{}
	for _, column := range t.columns {
		titles.cells = append(titles.cells, column.title)
	}
	line(&titles, true)
	for i := range t.rows {
		line(&t.rows[i], false)
	}
	_, _ = io.WriteString(w, text.String()) // the writer of standard output keeps its error
}

// widths returns the widths of the columns: that of the widest cell, or less. 0 leaves a column out.
func (t *listTable) widths(limit int) []int {
	widths := make([]int, len(t.columns))
	for i, column := range t.columns {
		used := false
		for _, row := range t.rows {
			used = used || row.cells[i] != ""
			widths[i] = max(widths[i], terminal.Width(row.cells[i]))
		}
		if !used && column.drop > 0 { // it is empty
			widths[i] = 0
			continue
		}
		widths[i] = max(widths[i], terminal.Width(column.title))
	}
	for t.tooWide(widths, limit) {
		out := -1
		for i, column := range t.columns {
			if widths[i] > 0 && column.drop > 0 && (out < 0 || column.drop > t.columns[out].drop) {
				out = i
			}
		}
		if out < 0 {
			break
		}
		widths[out] = 0
	}
	for over := total(widths) - limit; over > 0; over = total(widths) - limit {
		widest := -1
		for i, column := range t.columns {
			if column.least > 0 && widths[i] > leastCell && (widest < 0 || widths[i]-column.least > widths[widest]-t.columns[widest].least) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

// tooWide reports whether a table does not fit even if its cells are cut as far as possible.
func (t *listTable) tooWide(widths []int, limit int) bool {
	least := slices.Clone(widths)
	for i, column := range t.columns {
		if column.least > 0 {
			least[i] = min(least[i], column.least)
		}
	}
	return total(least) > limit
}

// total returns how wide a table is, with the space between its columns.
func total(widths []int) int {
	sum := -columnGap
	for _, w := range widths {
		if w > 0 {
			sum += w + columnGap
		}
	}
	return sum
}

// listView shows lists on a terminal.
type listView struct {
	out, hints    io.Writer
	look          terminal.Look
	columns, rows int // of the window
	now           time.Time
	zone          string
	hinted        func(form string) string // a command for the same server
}

// newListView returns the view of lists for people; nil if standard output is not a terminal, or with --json.
func newListView(c *cmd.Call) *listView {
	if !c.Env.Terminals.Stdout || c.Args.Given("--json") {
		return nil
	}
	v := &listView{
		out: c.Env.Stdout, hints: c.Env.Stderr, look: terminal.NewLook(c.Env.Lookup), now: c.Env.Now(), zone: c.Env.ZoneName(), hinted: c.Hinted,
	}
	v.look.Color = v.look.Color && c.Env.CanDraw()
	v.columns, v.rows = terminal.WindowSize(c.Env.Stdout)
	if set, ok := c.Env.LookupText("COLUMNS"); ok {
		if n, err := strconv.Atoi(set); err == nil && n > 0 {
			v.columns = n
		}
	}
	return v
}

// show writes a table with its hints. If it has no rows, it writes none instead.
func (v *listView) show(t *listTable, none string, hints ...string) {
	if len(t.rows) == 0 {
		terminal.Say(v.hints, "%s\n", none)
		return
	}
	t.write(v.out, &v.look, v.columns)
	terminal.Say(v.hints, "\n")
	for _, hint := range hints {
		if hint != "" {
			terminal.Say(v.hints, "%s\n", hint)
		}
	}
}

// timesHint names the zone of the times in a list.
func (v *listView) timesHint() string { return "Times are in " + v.zone + "." }

// pageSize returns how many rows of a list are shown by default: as many as fit into the window.
func (v *listView) pageSize() int {
	const around = 6 // title, hints and prompt
	return min(max(v.rows-around, 10), 100)
}

// clock returns a time in the zone of this system. It does not name the zone, which timesHint does.
func (v *listView) clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(v.now.Location()).Format("2006-01-02 15:04:05")
}

// optClock is clock for a time that may be missing.
func (v *listView) optClock(at *api.Instant) string {
	if at == nil {
		return ""
	}
	return v.clock(at.Time)
}

// textClock is clock for a time as Trowel's own documents write it.
func (v *listView) textClock(text *string) string {
	if text == nil {
		return ""
	}
	at, err := api.ParseInstant(*text)
	if err != nil {
		return *text
	}
	return v.clock(at)
}

// distance says how far away a time is, in the two largest units: "in 1 day 9 h", "5 min ago".
func (v *listView) distance(at time.Time) string {
	d := at.Sub(v.now)
	text := roughText(d.Abs())
	if d < 0 {
		return text + " ago"
	}
	return "in " + text
}

// roughText returns a duration in its two largest units.
func roughText(d time.Duration) string {
	const day = 24 * time.Hour
	unit := func(n time.Duration, name string) string {
		if n == 0 {
			return ""
		}
		return " " + strconv.Itoa(int(n)) + " " + name
	}
	days := "days"
	if d/day == 1 {
		days = "day"
	}
	switch {
	case d >= 100*day:
		return strconv.Itoa(int(d/day)) + " days"
	case d >= day:
		return strings.TrimSpace(unit(d/day, days) + unit(d%day/time.Hour, "h"))
	case d >= time.Hour:
		return strings.TrimSpace(unit(d/time.Hour, "h") + unit(d%time.Hour/time.Minute, "min"))
	case d >= time.Minute:
		return strings.TrimSpace(unit(d/time.Minute, "min") + unit(d%time.Minute/time.Second, "s"))
	}
	return strconv.Itoa(int(d/time.Second)) + " s"
}

// took returns how long something took, or has taken up to now if it has not ended; empty if it has not begun.
func (v *listView) took(from time.Time, to *api.Instant) string {
	switch {
	case from.IsZero():
		return ""
	case to == nil:
		return textutil.Span(from, v.now)
	}
	return textutil.Span(from, to.Time)
}

// statusInk returns the colour of the word for a state.
func statusInk(word string) terminal.Ink {
	switch word {
	case "success", "live":
		return terminal.InkGreen
	case "error", "group_error", "killed", "canceled", "dead":
		return terminal.InkRed
	case "running", "retry_waiting", "group_retry_waiting", "killing", "late", "draining", "resting":
		return terminal.InkYellow
	}
	return terminal.InkPlain
}
