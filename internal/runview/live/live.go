package live

import (
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/loopname"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// How often the tree is drawn.
const (
	frameEvery = 50 * time.Millisecond // shortest time between frames
	beatEvery  = 2                     // frames between two steps of the clock and of the spinning signs
	urgentSize = 32 << 10              // this much output, in bytes, is written without waiting for a frame
	treeStands = 16 * time.Millisecond // shortest time that the tree stays as it is, so that it is seen
)

// Options are what a live display works with.
type Options struct {
	// Stdout gets the output of the tasks, Stderr the tree. Both are the same terminal.
	Stdout, Stderr io.Writer
	// Now returns the time, by which durations are shown.
	Now func() time.Time
	// Dir is the folder in which the command was typed. Paths below it are shown relative to it.
	Dir string
	// Look says which colours and signs the terminal can show.
	Look terminal.Look
	// Level is the lowest level of log entries that are shown between the output.
	Level slog.Level
	// Size returns the columns and rows of the window; nil asks the terminal of Stderr.
	Size func() (columns, rows int)
}

// View shows a run to people: a tree of tasks that changes in place on standard error, above it the
// output of the tasks, which scrolls by on standard output. Both must be the same terminal.
//
// Changes and output are only noted when they come, and one goroutine draws. So neither the
// flusher nor the tasks wait for the terminal, except tasks that print faster than it can show.
type View struct {
	opts   Options
	look   terminal.Look
	spool  *runview.Spool
	screen screen
	begin  runview.Begin
	told   map[string]bool // names in findings that were shown before the run

	mu      sync.Mutex
	tree    *liveTree // nil before the run begins
	news    bool      // the tree has changed since it was drawn
	drawing bool      // run draws, and only it writes
	skipped int       // tasks that succeeded because they had before, or need not run

	// The goroutine that draws uses these alone.
	names int // width of the names in the last frame
	beat  int
	stop  chan struct{}
	ended sync.WaitGroup
}

// New returns a display for people. Nothing is drawn before Begin.
func New(opts Options) *View {
	if opts.Size == nil {
		opts.Size = func() (int, int) { return terminal.WindowSize(opts.Stderr) }
	}
	return &View{
		opts: opts, look: opts.Look, spool: runview.NewSpool(urgentSize), stop: make(chan struct{}),
		screen: screen{out: opts.Stdout, lower: opts.Stderr},
	}
}

// Begin implements runview.View. It shows the tree.
func (l *View) Begin(begin runview.Begin) {
	l.mu.Lock()
	l.begin = begin
	begun := l.opts.Now()
	if !begin.At.IsZero() {
		begun = begin.At
	}
	l.tree = newLiveTree(begun)
	l.tree.whole = begin.Whole
	if begin.DryRun {
		l.tree.title = dryRunTitle
	}
	l.drawing = true
	l.mu.Unlock()
	l.ended.Go(l.run)
}

// Committed implements flush.Observer.
func (l *View) Committed(batch *flush.Batch) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range batch.Changes {
		l.tree.apply(&batch.Changes[i], batch.At)
	}
	l.news = true
	return nil
}

// Stopping implements runview.View.
func (l *View) Stopping() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tree.stopping, l.news = "stopping, Ctrl-C again to kill", true
}

// Would implements runview.View. It prints a line in place of the output of the task.
func (l *View) Would(lease *trowel.Lease, command string) {
	l.print(&liveOutput{spool: l.spool, prefix: l.prefix(lease)}, command+"\n")
}

// Open implements runview.View.
func (l *View) Open(lease *trowel.Lease) io.WriteCloser {
	out := &liveOutput{spool: l.spool, prefix: l.prefix(lease)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if task := l.tree.tasks[lease.TaskID]; task != nil {
		task.trying().output = out
	}
	return out
}

// Log implements runview.View. Its writer is an entrySink: it shows only entries that the tree does not
// show, and in short.
func (l *View) Log() io.Writer { return liveLog{l} }

// print adds text between the output of the tasks. Before and after the run it is written at
// once.
func (l *View) print(out *liveOutput, text string) {
	l.spool.Add(func(pending []byte) []byte { return out.appendLines(pending, []byte(text)) })
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.drawing {
		_, _ = l.opts.Stdout.Write(l.spool.Take()) // the writer of standard output keeps its error
	}
}

// Note adds a line for people between the output of the tasks.
func (l *View) Note(text string) { l.print(&liveOutput{spool: l.spool}, text+"\n") }

// Retell replaces all tasks with those that the changes in batches make. stopping is shown above them unless it is empty.
func (l *View) Retell(batches []*flush.Batch, stopping string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	tree := newLiveTree(l.tree.begun)
	tree.stopping, tree.whole = stopping, true
	for _, batch := range batches {
		for i := range batch.Changes {
			tree.apply(&batch.Changes[i], batch.At)
		}
	}
	l.tree, l.news = tree, true
}

// prefix returns what is written before each line of a task: its name without that of the workflow, which all tasks
// share.
func (l *View) prefix(lease *trowel.Lease) string {
	columns, _ := l.opts.Size()
	name := loopname.Fit(l.nameOf(lease), max(columns/3, leastNames), l.look.Signs.Rest)
	return l.look.Paint(terminal.InkDim, name+" "+l.look.Signs.Bar) + " "
}

// nameOf returns the name of a task below the root.
func (l *View) nameOf(lease *trowel.Lease) []loopname.Part {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tree != nil {
		if task := l.tree.tasks[lease.TaskID]; task != nil {
			root := task
			for root.parent != nil && root.parent.parent != nil {
				root = root.parent
			}
			if root.full == rootName(l.begin) && task != root && !task.hoisted {
				return task.path(root)
			}
		}
	}
	return []loopname.Part{{Text: l.shortName(lease.FullName)}}
}

// rootName returns the full name of the root of the run; empty if it has no tasks.
func rootName(begin runview.Begin) string {
	if len(begin.Tasks) == 0 {
		return ""
	}
	return begin.Tasks[0].FullName
}

func (l *View) shortName(full string) string {
	if len(l.begin.Tasks) == 0 {
		return full
	}
	name, ok := strings.CutPrefix(full, l.begin.Tasks[0].FullName)
	if !ok || name == "" {
		return full
	}
	return strings.ReplaceAll(name, "^sub+", "+") // as in the tree
}

func (l *View) entryPrefix(entry logging.Entry) string {
	color := terminal.InkDim
	switch {
	case entry.Level >= slog.LevelError:
		color = terminal.InkRed
	case entry.Level >= slog.LevelWarn:
		color = terminal.InkYellow
	}
	prefix := l.look.Paint(color, strings.ToLower(entry.Level.String())) + " "
	if entry.Task != "" {
		prefix += l.look.Paint(terminal.InkDim, l.shortName(entry.Task)) + " "
	}
	return prefix
}

// run draws until the run is over.
func (l *View) run() {
	ticker := time.NewTicker(frameEvery)
	defer ticker.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-l.spool.Filled:
			l.scroll()
			select {
			case <-l.stop:
				return
			case <-time.After(treeStands):
			}
		case <-ticker.C:
			l.draw()
		}
	}
}

// scroll writes output above the tree, which stays as it was last drawn.
func (l *View) scroll() {
	output := l.spool.Take()
	l.screen.show(output, l.screen.lines, l.screen.width)
	l.spool.GiveBack(output)
}

// draw writes pending output, and the tree if it has changed.
func (l *View) draw() {
	output := l.spool.Take()
	l.beat++
	columns, rows := l.opts.Size()
	if lines, changed := l.frame(columns, rows); changed || len(output) > 0 {
		l.screen.show(output, lines, columns)
	}
	l.spool.GiveBack(output)
}

// frame lays out the tree if a new frame is due.
func (l *View) frame(columns, rows int) (lines []drawnLine, changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.news && l.beat%beatEvery != 0 && columns == l.screen.width {
		return l.screen.lines, false
	}
	l.news = false
	now := l.opts.Now().Sub(l.tree.begun)
	lines, l.names = l.tree.draw(&l.look, now, columns, treeHeight(rows), l.names)
	return lines, true
}

// treeHeight returns how many lines of a window the tree may take: the rest is for output.
func treeHeight(rows int) int { return max(rows-max(rows/4, 2), 1) }

// End implements runview.View. It replaces the tree with a summary.
func (l *View) End(end runview.End) {
	columns, _ := l.opts.Size()
	l.close(columns)
	terminal.Say(l.opts.Stderr, "%s", l.summary(end, columns))
}

// Abandon implements runview.View. It removes the tree.
func (l *View) Abandon(error) {
	columns, _ := l.opts.Size()
	l.close(columns)
}

// close ends the drawing if it has begun, and writes the remaining output.
func (l *View) close(columns int) {
	l.spool.Close()
	close(l.stop)
	l.ended.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drawing = false
	l.screen.show(l.spool.Take(), nil, columns)
}

// liveLog shows the log between the output of the tasks.
type liveLog struct{ live *View }

// skippedText is the log message about a task that is skipped (server 1.9.2).
const skippedText = "Skipped"

// LogEntry implements entrySink. It only counts skipped tasks, of which a resumed run has many; the
// summary has their number.
func (w liveLog) LogEntry(entry logging.Entry) {
	l := w.live
	if entry.Message == skippedText {
		if !strings.HasSuffix(entry.Task, failureAlert) { // it is not a task of the file and is not counted anywhere
			l.mu.Lock()
			l.skipped++
			l.mu.Unlock()
		}
		if l.opts.Level >= slog.LevelWarn {
			return
		}
	}
	if strings.HasPrefix(entry.Message, runview.NewSessionText) { // every first run logs this
		entry.Level = min(entry.Level, slog.LevelInfo)
	}
	if l.warnedOf(entry.Message) {
		return
	}
	if entry.Task != "" && entry.Level >= slog.LevelError && l.opts.Level >= slog.LevelWarn {
		entry.Message = textutil.FirstLine(entry.Message) // the summary has the rest
	}
	if entry.Level < l.opts.Level {
		return
	}
	prefix := l.entryPrefix(entry)
	if params, found := strings.CutPrefix(entry.Message, runview.ParamsHead); found && entry.Task != "" { // it is not a warning
		prefix = l.look.Paint(terminal.InkDim, l.shortName(entry.Task)+" "+l.look.Signs.Bar) + " "
		entry.Message = strings.TrimRight(params, "\n")
	}
	l.print(&liveOutput{spool: l.spool, prefix: prefix}, entry.Message+"\n")
}

// Write implements io.Writer. Text is shown as it is.
func (w liveLog) Write(data []byte) (int, error) {
	w.live.print(&liveOutput{spool: w.live.spool}, string(data))
	return len(data), nil
}
