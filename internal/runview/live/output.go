package live

import (
	"bytes"
	"strings"
	"sync"

	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Limits of how much of a line is kept.
const (
	longestPart = 8 << 10 // longer lines are shown in parts
	keptTail    = 400     // bytes of the last line that are kept for the tree
	keptColors  = 64      // bytes of colour sequences that continue in the next line
)

// liveOutput is the output of one try. Whole lines scroll by, each after the name of the task.
// One goroutine at a time writes to it; another may call lastLine.
type liveOutput struct {
	spool  *runview.Spool
	prefix string // with colours
	part   []byte // the beginning of a line that has not ended
	colors []byte // colour sequences in effect at the end of the last line

	mu   sync.Mutex
	last []byte // the last line that is not blank, or the beginning of it
}

// Write implements io.Writer. It waits for the terminal if much output is pending. It never
// fails: a task must not fail because the terminal went away.
func (o *liveOutput) Write(data []byte) (int, error) {
	o.spool.Add(func(pending []byte) []byte { return o.appendLines(pending, data) })
	o.spool.Wait()
	return len(data), nil
}

// Close shows the rest of a line without an end.
func (o *liveOutput) Close() error {
	if len(o.part) > 0 {
		o.spool.Add(func(pending []byte) []byte { return o.appendLine(pending, o.part) })
		o.part = nil
	}
	return nil
}

// appendLines appends the lines that data completes, and keeps the remainder.
func (o *liveOutput) appendLines(pending, data []byte) []byte {
	var last []byte
	for {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			break
		}
		line := data[:end]
		if len(o.part) > 0 {
			o.part = append(o.part, line...)
			line = bytes.Clone(o.part)
			o.part = o.part[:0]
		}
		pending = o.appendLine(pending, line)
		if len(bytes.TrimSpace(line)) > 0 {
			last = line
		}
		data = data[end+1:]
	}
	for len(data) > 0 {
		n := min(len(data), longestPart)
		o.part = terminal.Overwritten(append(o.part, data[:n]...))
		data = data[n:]
		if len(o.part) > longestPart {
			whole := terminal.WholeRunes(o.part)
			pending = o.appendLine(pending, o.part[:whole])
			o.part = append(o.part[:0], o.part[whole:]...)
		}
	}
	if len(bytes.TrimSpace(o.part)) > 0 {
		last = o.part
	}
	if last != nil {
		o.remember(last)
	}
	return pending
}

// appendLine appends one line after the name of the task. Colours that continue from the line before
// are set again after the name.
func (o *liveOutput) appendLine(dst, line []byte) []byte {
	dst = append(dst, o.prefix...)
	dst = append(dst, o.colors...)
	colored := len(o.colors) > 0
	dst = terminal.AppendClean(dst, terminal.VisibleLine(line), true, func(sgr []byte) {
		colored = true
		o.see(sgr)
	})
	if colored {
		dst = append(dst, terminal.SGRReset...)
	}
	return append(dst, '\n')
}

func (o *liveOutput) see(sgr []byte) {
	if terminal.SGRResets(sgr) {
		o.colors = o.colors[:0]
		return
	}
	if len(o.colors)+len(sgr) <= keptColors {
		o.colors = append(o.colors, sgr...)
	}
}

func (o *liveOutput) remember(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = append(o.last[:0], line[:min(len(line), keptTail)]...)
}

// lastLine returns the last line that is not blank. It is made harmless and has no colours.
func (o *liveOutput) lastLine() string {
	o.mu.Lock()
	line := string(terminal.VisibleLine(o.last))
	o.mu.Unlock()
	return strings.TrimSpace(terminal.Clean(line))
}
