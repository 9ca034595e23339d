package tasklog

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	trowel "github.com/trowel-project/trowel"
)

// Which is the output that a Text has.
type Which struct {
	// FullName is that of a task. Empty for all tasks of the attempt.
	FullName string

	// Below adds the output of all tasks below the task.
	Below bool

	// Tries are when the tries of all tasks of the name ran. If there are none, the output of all of them is meant.
	Tries []TrySpan
}

// TrySpan is when a try ran, and whether its output is meant. A zero To is not over.
type TrySpan struct {
	From, To time.Time
	Wanted   bool
}

// Text is the output of one or several tasks as one text: that of its files, one after the other in the order in which they
// were begun. Offsets and lines count from the beginning of all.
type Text struct {
	Size  int64 // bytes that there are now
	Lines int64 // line ends in them

	reader  *Reader
	attempt trowel.AttemptID
	parts   []part
	several bool // tasks
}

// part is one file of a Text.
type part struct {
	file   trowel.LogFile
	task   string // the name of the task, as in the name of the file
	offset int64  // bytes of text before it
	line   int64  // line ends before it
}

func (p *part) end() int64 { return p.offset + p.file.TextBytes }

// MaxFiles is how many files a Text may have.
const MaxFiles = 10_000

// Text returns output as far as it is stored now. There may be none. If there are more than MaxFiles files, it is a
// trowel.ErrInvalid.
func (r *Reader) Text(ctx context.Context, attempt trowel.AttemptID, which Which) (*Text, error) {
	files, err := r.files(ctx, attempt, which.prefix())
	if err != nil {
		return nil, err
	}
	type opened struct {
		part
		at time.Time
	}
	var own []opened
	for i := range files {
		f, ok := parseFile(files[i].Name)
		if ok && which.has(&f) {
			own = append(own, opened{part{file: files[i], task: f.TaskName}, f.OpenedAt})
		}
	}
	if len(own) > MaxFiles {
		return nil, &trowel.Error{Kind: trowel.ErrInvalid, Message: "the tasks have too many logs to be read as one: choose a smaller group"}
	}
	slices.SortStableFunc(own, func(a, b opened) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.file.Name, b.file.Name)) })
	t := &Text{reader: r, attempt: attempt, several: which.Below || which.FullName == ""}
	for i := range own {
		p := own[i].part
		p.offset, p.line = t.Size, t.Lines
		t.parts = append(t.parts, p)
		t.Size += p.file.TextBytes
		t.Lines += p.file.Lines
	}
	return t, nil
}

// has reports whether a file is meant.
func (w *Which) has(f *File) bool {
	if w.FullName == "" {
		return true
	}
	if !IsOf(f.Name, w.FullName) {
		below, found := strings.CutPrefix(f.TaskName, strings.ReplaceAll(w.FullName, "/", "_"))
		return w.Below && found && (strings.HasPrefix(below, "+") || strings.HasPrefix(below, "^"))
	}
	return len(w.Tries) == 0 || w.wantedAt(f.OpenedAt)
}

// wantedAt reports whether the output is meant of the try that ran at an instant, or else of the one that ran nearest to it:
// the instants in names of files are by the clocks of agents.
func (w *Which) wantedAt(at time.Time) (wanted bool) {
	var least time.Duration
	for i, s := range w.Tries {
		away := max(s.From.Sub(at), 0)
		if !s.To.IsZero() {
			away = max(away, at.Sub(s.To))
		}
		if i == 0 || away <= least {
			wanted, least = s.Wanted, away
		}
	}
	return wanted
}

// prefix is how the names of all files begin that may be meant. Long names may be cut.
func (w *Which) prefix() string {
	name := strings.ReplaceAll(w.FullName, "/", "_")
	const neverCut = nameLimit - agentLimit - instantDigits - len("@.") - len(suffix) - hashedBytes*2 - len("~") - utf8.UTFMax
	if len(name) <= neverCut {
		if w.Below || name == "" {
			return name
		}
		return name + "@"
	}
	name = name[:neverCut]
	for name != "" && !utf8.ValidString(name) {
		name = name[:len(name)-1]
	}
	return name
}

// parseFile is parseName for tasks that may have an @ in their names.
func parseFile(name string) (File, bool) {
	for at := range len(name) {
		if name[at] != '@' {
			continue
		}
		if f, ok := parseName(name[at:]); ok {
			f.Name, f.TaskName = name, name[:at]
			return f, true
		}
	}
	return File{}, false
}

// Task is the name of the task that has written what is at an offset, with _ in place of /. Empty if there is no output.
func (t *Text) Task(offset int64) string {
	if p := t.partAt(min(offset, t.Size-1)); p != nil {
		return p.task
	}
	return ""
}

// partAt returns the part that has an offset; nil at the end of the text.
func (t *Text) partAt(offset int64) *part {
	i := sort.Search(len(t.parts), func(i int) bool { return t.parts[i].end() > offset })
	if i == len(t.parts) {
		return nil
	}
	return &t.parts[i]
}

// around returns where the text begins and ends of which a piece at an offset may have some. Output of several tasks is
// never in one piece.
func (t *Text) around(offset int64) (begin, end int64) {
	if p := t.partAt(min(offset, t.Size-1)); t.several && p != nil {
		return p.offset, p.end()
	}
	return 0, t.Size
}
