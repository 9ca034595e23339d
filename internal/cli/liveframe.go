package cli

import (
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/terminal"
)

// drawnLine is a line as it is written, and how many columns it takes.
type drawnLine struct {
	text  string
	width int
}

// frame is one picture of the tree.
type frame struct {
	look  *look
	now   time.Duration // since the run began
	width int           // of the window
	names int           // columns of the tree of names, before the times
	over  bool          // nothing runs any more
	whole bool          // instants are those of a server, many in whole seconds

	stopping string // shown beside the roots
}

// Widths of the columns.
const (
	indentWidth   = 2
	timeWidth     = 6
	leastNames    = 10
	nameShare     = 65 // percent of the window that names take at most
	narrow        = 28 // a window below this has no times
	spinPerSecond = 10
)

// frame draws what fits into a window. names is what the last frame used: names never get less room,
// so that the columns beside them stand still.
func (t *liveTree) draw(look *look, now time.Duration, width, height, names int) ([]drawnLine, int) {
	lines := t.lines(height)
	for i := range lines {
		if lines[i].depth == 0 && lines[i].task != nil {
			lines[i].name = append([]namePart{{text: t.title}}, lines[i].name...)
		}
	}
	f := frame{look: look, now: now, width: width, names: names, stopping: t.stopping, whole: t.whole}
	for _, line := range lines {
		if line.task != nil {
			f.names = max(f.names, line.depth*indentWidth+2+terminal.Width(joinName(line.name, true, 0, "")))
		}
	}
	f.names = min(f.names, max(width*nameShare/100, leastNames))
	drawn := make([]drawnLine, len(lines))
	for i, line := range lines {
		drawn[i] = f.line(line)
	}
	return drawn, f.names
}

// line draws one line. The last column of the window stays free: what is written there makes some
// terminals wrap.
func (f *frame) line(line liveLine) drawnLine {
	out := lineText{look: f.look, limit: f.width - 1}
	out.add(inkPlain, strings.Repeat(" ", min(line.depth*indentWidth, f.names/2)))
	if line.task == nil {
		out.add(inkDim, f.look.signs.rest+" "+line.text)
		return drawnLine{out.text.String(), out.width}
	}
	f.task(&out, line.task, line.name, line.depth == 0)
	return drawnLine{out.text.String(), out.width}
}

func (f *frame) task(out *lineText, task *liveTask, parts []namePart, root bool) {
	sign, color := f.sign(task)
	out.add(color, sign)
	out.gap(1)
	name := fitName(parts, f.names-out.width, f.look.signs.rest)
	switch {
	case root:
		out.add(inkBold, name)
	case kindOf(task.state) == kindWaiting:
		out.add(inkDim, name)
	default:
		out.add(inkPlain, name)
	}
	if !task.begun {
		return
	}
	out.pad(f.names)
	f.time(out, task)
	f.progress(out, task)
	if root && f.stopping != "" && !task.state.Done() {
		out.gap(2)
		out.add(inkYellow, f.stopping)
	}
	if !f.over {
		f.note(out, task)
	}
}

// sign is the sign for the state of a task.
func (f *frame) sign(task *liveTask) (string, ink) {
	signs := &f.look.signs
	if f.over && task.begun && !task.state.Done() {
		return signs.canceled, inkYellow
	}
	switch task.state {
	case trowel.TaskBlocked, trowel.TaskReady:
		if task.begun { // for its next try
			return signs.retry, inkYellow
		}
		return signs.waiting, inkDim
	case trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting, trowel.TaskDeferred, trowel.TaskAwaitingInput:
		return signs.retry, inkYellow
	case trowel.TaskRunning, trowel.TaskPlanned:
		if task.try != nil && task.try.failing {
			return signs.failed, inkRed
		}
		beat := int(f.now / (time.Second / spinPerSecond))
		return signs.spin[max(beat, 0)%len(signs.spin)], inkCyan
	case trowel.TaskSuccess, trowel.TaskSkipped:
		return signs.done, inkGreen
	case trowel.TaskError, trowel.TaskGroupError:
		return signs.failed, inkRed
	case trowel.TaskCanceled:
		return signs.canceled, inkYellow
	}
	return signs.waiting, inkDim
}

func (f *frame) time(out *lineText, task *liveTask) {
	if f.width < narrow {
		return
	}
	end := f.now
	if task.state.Done() {
		end = task.ended
	}
	text := durationText(end - task.started)
	if f.whole && (task.started%time.Second == 0 || task.state.Done() && end%time.Second == 0) {
		text = secondsText(end - task.started)
	}
	out.gap(timeWidth - len(text) + 1)
	out.add(inkDim, text)
}

// progress shows how many operator tasks below a task are done.
func (f *frame) progress(out *lineText, task *liveTask) {
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
	out.gap(2)
	out.add(inkPlain, strconv.Itoa(task.inside.below[kindDone])+"/"+strconv.Itoa(all))
	if failed := task.inside.below[kindFailed]; failed > 0 {
		out.add(inkPlain, ", ")
		out.add(inkRed, strconv.Itoa(failed)+" failed")
	}
}

// note shows what a task waits for, why it failed, or what it printed last.
func (f *frame) note(out *lineText, task *liveTask) {
	if in := task.inside; in != nil && in.sub != nil && in.sub.state == trowel.TaskGroupRetryWaiting {
		task = in.sub // its own line is not shown
	}
	try := task.try
	if try == nil {
		return
	}
	if text := f.wait(task); text != "" {
		out.gap(2)
		out.add(inkYellow, text)
	}
	switch {
	case try.message != "":
		out.gap(2)
		out.add(inkRed, terminal.Clean(firstLine(try.message)))
	case try.output != nil && out.limit-out.width > 4:
		if last := try.output.lastLine(); last != "" {
			out.gap(2)
			out.add(inkDim, last)
		}
	}
}

// wait says what a task waits for, or which try runs.
func (f *frame) wait(task *liveTask) string {
	try := task.try
	in := " in " + untilText(try.due-f.now)
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
