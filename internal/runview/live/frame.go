package live

import (
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/loopname"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// drawnLine is a line as it is written, and how many columns it takes.
type drawnLine struct {
	text  string
	width int
}

// frame is one image of the tree.
type frame struct {
	look  *terminal.Look
	now   time.Duration // since the run began
	width int           // of the window
	names int           // width of the tree of names, before the times
	over  bool          // the run is over
	whole bool          // instants come from a server, many in whole seconds

	stopping string // shown beside the roots
}

// Widths of the columns.
const (
	indentWidth   = 2
	timeWidth     = 6
	leastNames    = 10
	nameShare     = 65 // most that names take, in percent of the window
	narrow        = 28 // in a narrower window no times are shown
	spinPerSecond = 10
)

// frame draws what fits into a window. names is the width of the names in the last frame: it never shrinks,
// so that the columns beside them do not move.
func (t *liveTree) draw(look *terminal.Look, now time.Duration, width, height, names int) ([]drawnLine, int) {
	lines := t.lines(height)
	for i := range lines {
		if lines[i].depth == 0 && lines[i].task != nil {
			lines[i].name = append([]loopname.Part{{Text: t.title}}, lines[i].name...)
		}
	}
	f := frame{look: look, now: now, width: width, names: names, stopping: t.stopping, whole: t.whole}
	for _, line := range lines {
		if line.task != nil {
			f.names = max(f.names, line.depth*indentWidth+2+terminal.Width(loopname.Join(line.name, true, 0, "")))
		}
	}
	f.names = min(f.names, max(width*nameShare/100, leastNames))
	drawn := make([]drawnLine, len(lines))
	for i, line := range lines {
		drawn[i] = f.line(line)
	}
	return drawn, f.names
}

// line draws one line. The last column of the window stays empty, since some terminals wrap
// after it.
func (f *frame) line(line liveLine) drawnLine {
	out := terminal.Line{Look: f.look, Limit: f.width - 1}
	out.Add(terminal.InkPlain, strings.Repeat(" ", min(line.depth*indentWidth, f.names/2)))
	if line.task == nil {
		out.Add(terminal.InkDim, f.look.Signs.Rest+" "+line.text)
		return drawnLine{out.Text.String(), out.Width}
	}
	f.task(&out, line.task, line.name, line.depth == 0)
	return drawnLine{out.Text.String(), out.Width}
}

func (f *frame) task(out *terminal.Line, task *liveTask, parts []loopname.Part, root bool) {
	sign, color := f.sign(task)
	out.Add(color, sign)
	out.Gap(1)
	name := loopname.Fit(parts, f.names-out.Width, f.look.Signs.Rest)
	switch {
	case root:
		out.Add(terminal.InkBold, name)
	case kindOf(task.state) == kindWaiting:
		out.Add(terminal.InkDim, name)
	default:
		out.Add(terminal.InkPlain, name)
	}
	if !task.begun {
		return
	}
	out.Pad(f.names)
	f.time(out, task)
	f.progress(out, task)
	if root && f.stopping != "" && !task.state.Done() {
		out.Gap(2)
		out.Add(terminal.InkYellow, f.stopping)
	}
	if !f.over {
		f.note(out, task)
	}
}

// sign returns the sign for the state of a task.
func (f *frame) sign(task *liveTask) (string, terminal.Ink) {
	signs := &f.look.Signs
	if f.over && task.begun && !task.state.Done() {
		return signs.Canceled, terminal.InkYellow
	}
	switch task.state {
	case trowel.TaskBlocked, trowel.TaskReady:
		if task.begun { // it waits for its next try
			return signs.Retry, terminal.InkYellow
		}
		return signs.Waiting, terminal.InkDim
	case trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting, trowel.TaskDeferred, trowel.TaskAwaitingInput:
		return signs.Retry, terminal.InkYellow
	case trowel.TaskRunning, trowel.TaskPlanned:
		if task.try != nil && task.try.failing {
			return signs.Failed, terminal.InkRed
		}
		beat := int(f.now / (time.Second / spinPerSecond))
		return signs.Spin[max(beat, 0)%len(signs.Spin)], terminal.InkCyan
	case trowel.TaskSuccess, trowel.TaskSkipped:
		return signs.Done, terminal.InkGreen
	case trowel.TaskError, trowel.TaskGroupError:
		return signs.Failed, terminal.InkRed
	case trowel.TaskCanceled:
		return signs.Canceled, terminal.InkYellow
	}
	return signs.Waiting, terminal.InkDim
}

func (f *frame) time(out *terminal.Line, task *liveTask) {
	if f.width < narrow {
		return
	}
	end := f.now
	if task.state.Done() {
		end = task.ended
	}
	text := textutil.Duration(end - task.started)
	if f.whole && (task.started%time.Second == 0 || task.state.Done() && end%time.Second == 0) {
		text = textutil.Seconds(end - task.started)
	}
	out.Gap(timeWidth - len(text) + 1)
	out.Add(terminal.InkDim, text)
}

// progress says how many operator tasks below a task are done.
func (f *frame) progress(out *terminal.Line, task *liveTask) {
	if task.inside == nil {
		return
	}
	all := 0
	for _, n := range task.inside.below {
		all += n
	}
	if all == 0 {
		return
	}
	out.Gap(2)
	out.Add(terminal.InkPlain, strconv.Itoa(task.inside.below[kindDone])+"/"+strconv.Itoa(all))
	if failed := task.inside.below[kindFailed]; failed > 0 {
		out.Add(terminal.InkPlain, ", ")
		out.Add(terminal.InkRed, strconv.Itoa(failed)+" failed")
	}
}

// note says what a task waits for, why it failed, or what it printed last.
func (f *frame) note(out *terminal.Line, task *liveTask) {
	if in := task.inside; in != nil && in.sub != nil && in.sub.state == trowel.TaskGroupRetryWaiting {
		task = in.sub // its own line is not shown
	}
	try := task.try
	if try == nil {
		return
	}
	if text := f.wait(task); text != "" {
		out.Gap(2)
		out.Add(terminal.InkYellow, text)
	}
	switch {
	case try.message != "":
		out.Gap(2)
		out.Add(terminal.InkRed, terminal.Clean(textutil.FirstLine(try.message)))
	case try.output != nil && out.Limit-out.Width > 4:
		if last := try.output.lastLine(); last != "" {
			out.Gap(2)
			out.Add(terminal.InkDim, last)
		}
	}
}

// wait says what a task waits for, or which of its tries runs.
func (f *frame) wait(task *liveTask) string {
	try := task.try
	in := " in " + textutil.Until(try.due-f.now)
	switch task.state {
	case trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting:
		if try.poll {
			return "next look" + in
		}
		return "retry " + strconv.Itoa(try.retries) + in
	case trowel.TaskDeferred:
		return "deferred"
	case trowel.TaskAwaitingInput:
		return "awaits input"
	case trowel.TaskRunning, trowel.TaskPlanned, trowel.TaskReady, trowel.TaskBlocked:
		if try.retries > 0 {
			return "retry " + strconv.Itoa(try.retries)
		}
	case trowel.TaskGroupError, trowel.TaskSuccess, trowel.TaskError, trowel.TaskCanceled, trowel.TaskSkipped:
	}
	return ""
}
