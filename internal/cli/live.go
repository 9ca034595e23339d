package cli

import (
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/logging"
)

// How often the tree is drawn.
const (
	frameEvery = 50 * time.Millisecond // at most
	beatEvery  = 2                     // frames between two steps of the clock and the signs that turn
	urgentSize = 32 << 10              // so many bytes of output are written without waiting for a frame
	treeStands = 16 * time.Millisecond // how long the tree is left alone at least, so that one sees it
)

// liveOptions are what a live display works with.
type liveOptions struct {
	// Stdout gets the output of the tasks, Stderr the tree. Both are the same terminal.
	Stdout, Stderr io.Writer
	Now            func() time.Time
	// Dir is where the command was typed: paths below it are shown from there.
	Dir  string
	Look look
	// Level is the least level of log entries that are shown between the output.
	Level slog.Level
	// Size returns the columns and rows of the window; nil asks the terminal of Stderr.
	Size func() (columns, rows int)
}

// live shows a run to people: a tree of tasks that changes in place on standard error, above it the
// output of the tasks, which scrolls by on standard output. Both must be the same terminal.
//
// Changes and output are only taken down when they come; one goroutine draws. So neither the
// flusher nor the tasks wait for the terminal, but for those tasks that print faster than it takes.
type live struct {
	opts   liveOptions
	look   look
	spool  *spool
	screen screen
	begin  runBegin
	told   map[string]bool // names that findings were shown about before the run

	mu      sync.Mutex
	tree    *liveTree // nil before the run begins
	news    bool      // the tree changed since it was drawn
	drawing bool      // run draws: it alone writes
	skipped int       // tasks that succeeded because they had before, or need not run

	// Of the goroutine that draws.
	names int // columns of names in the last frame
	beat  int
	stop  chan struct{}
	ended sync.WaitGroup
}

// newLive returns a display for people. Nothing is drawn before Begin.
func newLive(opts liveOptions) *live {
	if opts.Size == nil {
		opts.Size = func() (int, int) { return windowSize(opts.Stderr) }
	}
	return &live{
		opts: opts, look: opts.Look, spool: newSpool(urgentSize), stop: make(chan struct{}),
		screen: screen{out: opts.Stdout, lower: opts.Stderr},
	}
}

// Begin implements display: the tree appears.
func (l *live) Begin(begin runBegin) {
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
func (l *live) Committed(batch *flush.Batch) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range batch.Changes {
		l.tree.apply(&batch.Changes[i], batch.At)
	}
	l.news = true
	return nil
}

// Stopping implements display.
func (l *live) Stopping() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tree.stopping, l.news = "stopping, Ctrl-C again to kill", true
}

// Would implements display: it stands where the output of the task would.
func (l *live) Would(lease *trowel.Lease, command string) {
	l.print(&liveOutput{spool: l.spool, prefix: l.prefix(lease)}, command+"\n")
}

// Open implements display.
func (l *live) Open(lease *trowel.Lease) io.WriteCloser {
	out := &liveOutput{spool: l.spool, prefix: l.prefix(lease)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if task := l.tree.tasks[lease.TaskID]; task != nil {
		task.trying().output = out
	}
	return out
}

// Log implements display. Its writer is an entrySink: of the log only what the tree does not tell is
// shown, and in short.
func (l *live) Log() io.Writer { return liveLog{l} }

// print adds text between the output of the tasks. Before the run and after it, it is written at
// once.
func (l *live) print(out *liveOutput, text string) {
	l.spool.add(func(pending []byte) []byte { return out.appendLines(pending, []byte(text)) })
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.drawing {
		_, _ = l.opts.Stdout.Write(l.spool.take()) // the writer of standard output keeps its error
	}
}

// Note adds a line for people between the output of the tasks.
func (l *live) Note(text string) { l.print(&liveOutput{spool: l.spool}, text+"\n") }

// Retell replaces all tasks by those that the changes of some batches make. stopping is what is said above them; empty for nothing.
func (l *live) Retell(batches []*flush.Batch, stopping string) {
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

// prefix stands before each line of a task: its name without that of the workflow, which all have
// in common.
func (l *live) prefix(lease *trowel.Lease) string {
	columns, _ := l.opts.Size()
	name := fitName(l.nameOf(lease), max(columns/3, leastNames), l.look.signs.rest)
	return l.look.paint(inkDim, name+" "+l.look.signs.bar) + " "
}

// nameOf is the name of a task below the root.
func (l *live) nameOf(lease *trowel.Lease) []namePart {
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
	return []namePart{{text: l.shortName(lease.FullName)}}
}

// rootName is the full name of the root of the run; empty if it has no tasks.
func rootName(begin runBegin) string {
	if len(begin.Tasks) == 0 {
		return ""
	}
	return begin.Tasks[0].FullName
}

func (l *live) shortName(full string) string {
	if len(l.begin.Tasks) == 0 {
		return full
	}
	name, ok := strings.CutPrefix(full, l.begin.Tasks[0].FullName)
	if !ok || name == "" {
		return full
	}
	return strings.ReplaceAll(name, "^sub+", "+") // as in the tree
}

func (l *live) entryPrefix(entry logging.Entry) string {
	color := inkDim
	switch {
	case entry.Level >= slog.LevelError:
		color = inkRed
	case entry.Level >= slog.LevelWarn:
		color = inkYellow
	}
	prefix := l.look.paint(color, strings.ToLower(entry.Level.String())) + " "
	if entry.Task != "" {
		prefix += l.look.paint(inkDim, l.shortName(entry.Task)) + " "
	}
	return prefix
}

// run draws until the run is over.
func (l *live) run() {
	ticker := time.NewTicker(frameEvery)
	defer ticker.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-l.spool.filled:
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

// scroll writes output above the tree as it was drawn last.
func (l *live) scroll() {
	output := l.spool.take()
	l.screen.show(output, l.screen.lines, l.screen.width)
	l.spool.giveBack(output)
}

// draw writes what there is to write of output and tree.
func (l *live) draw() {
	output := l.spool.take()
	l.beat++
	columns, rows := l.opts.Size()
	if lines, changed := l.frame(columns, rows); changed || len(output) > 0 {
		l.screen.show(output, lines, columns)
	}
	l.spool.giveBack(output)
}

// frame lays out the tree, if it is time to.
func (l *live) frame(columns, rows int) (lines []drawnLine, changed bool) {
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

// treeHeight is how many lines of a window the tree may take: the rest is for output.
func treeHeight(rows int) int { return max(rows-max(rows/4, 2), 1) }

// End implements display: the tree gives way to a summary.
func (l *live) End(end runEnd) {
	columns, _ := l.opts.Size()
	l.close(columns)
	say(l.opts.Stderr, "%s", l.summary(end, columns))
}

// Abandon implements display: the tree goes.
func (l *live) Abandon(error) {
	columns, _ := l.opts.Size()
	l.close(columns)
}

// close ends the drawing, if it was begun, and writes what is left of the output.
func (l *live) close(columns int) {
	l.spool.close()
	close(l.stop)
	l.ended.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drawing = false
	l.screen.show(l.spool.take(), nil, columns)
}

// liveLog puts the log between the output of the tasks.
type liveLog struct{ live *live }

// skippedText is what is logged about a task that is passed over (server 1.9.2).
const skippedText = "Skipped"

// LogEntry implements entrySink. A run that goes on where another ended passes over many tasks: the
// summary has their number.
func (w liveLog) LogEntry(entry logging.Entry) {
	l := w.live
	if entry.Message == skippedText {
		if !strings.HasSuffix(entry.Task, failureAlert) { // no task of the file, and in no other number
			l.mu.Lock()
			l.skipped++
			l.mu.Unlock()
		}
		if l.opts.Level >= slog.LevelWarn {
			return
		}
	}
	if strings.HasPrefix(entry.Message, newSessionText) { // so does every first run
		entry.Level = min(entry.Level, slog.LevelInfo)
	}
	if l.warnedOf(entry.Message) {
		return
	}
	if entry.Task != "" && entry.Level >= slog.LevelError && l.opts.Level >= slog.LevelWarn {
		entry.Message = firstLine(entry.Message) // the summary has the rest
	}
	if entry.Level < l.opts.Level {
		return
	}
	prefix := l.entryPrefix(entry)
	if params, found := strings.CutPrefix(entry.Message, paramsHead); found && entry.Task != "" { // it warns of nothing
		prefix = l.look.paint(inkDim, l.shortName(entry.Task)+" "+l.look.signs.bar) + " "
		entry.Message = strings.TrimRight(params, "\n")
	}
	l.print(&liveOutput{spool: l.spool, prefix: prefix}, entry.Message+"\n")
}

// Write implements io.Writer. Text is shown as it is.
func (w liveLog) Write(data []byte) (int, error) {
	w.live.print(&liveOutput{spool: w.live.spool}, string(data))
	return len(data), nil
}
