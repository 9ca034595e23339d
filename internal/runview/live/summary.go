package live

import (
	"slices"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/loopname"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Limits of a summary.
const (
	summaryIndent = 2
	summaryTasks  = 20 // most tasks below the root that are listed with their times
	summaryNames  = 50 // most succeeded tasks that are named after a run was broken off
	SummaryFails  = 20 // most failed tasks that are shown with message and output
)

// summary is what stays on the terminal after a run: how it ended, how many tasks ended how, how
// long its parts took, what failed and where, and how to go on.
type summary struct {
	look  *terminal.Look
	width int
	dir   string // folder in which the command was typed
	done  int    // how many operator tasks succeeded
	text  strings.Builder
}

// summary returns the lines of the summary for a window of a width.
func (l *View) summary(end runview.End, columns int) string {
	s := summary{look: &l.look, width: columns, dir: l.opts.Dir}
	s.headline(end, l.begin.Workflow)
	if l.tree != nil {
		s.counts(&l.tree.top, l.skipped, end)
		s.times(&l.tree.top, end)
	}
	merged := mergeFailures(end.Failed)
	for i, failed := range merged {
		if i == SummaryFails {
			s.line(terminal.InkDim, "\n  "+s.look.Signs.Rest+" "+strconv.Itoa(len(merged)-i)+" more failed")
			break
		}
		s.failure(&failed)
	}
	s.succeeded(end)
	s.goOn(end)
	return s.text.String()
}

func (s *summary) line(color terminal.Ink, text string) {
	s.text.WriteString(s.look.Paint(color, text) + "\n")
}

// headline says in one line how the run ended.
func (s *summary) headline(end runview.End, workflow string) {
	signs := &s.look.Signs
	if end.DryRun {
		workflow = dryRunTitle + workflow
	}
	after := " after " + end.After()
	switch {
	case end.Broken != nil:
		s.line(terminal.InkRed, signs.Failed+" "+workflow+" broke off"+after)
		for line := range strings.Lines(end.BrokenText) {
			s.line(terminal.InkPlain, "  "+terminal.Clean(strings.TrimRight(line, "\n")))
		}
	case end.Interrupted:
		s.line(terminal.InkYellow, signs.Canceled+" "+workflow+" was interrupted"+after)
	case end.Status == "success":
		s.line(terminal.InkGreen, signs.Done+" "+workflow+" succeeded in "+end.After())
	case end.Status == "killed":
		s.line(terminal.InkYellow, signs.Canceled+" "+workflow+" was killed"+after)
	default:
		s.line(terminal.InkRed, signs.Failed+" "+workflow+" failed"+after)
	}
}

// counts says how many operator tasks ended how, and how many of those that succeeded were
// skipped.
func (s *summary) counts(top *liveTask, skipped int, end runview.End) {
	n := top.inside.below
	s.done = n[kindDone]
	all := 0
	for _, count := range n {
		all += count
	}
	rest := "not run"
	if end.Interrupted || end.Broken != nil { // stopped tasks are left to another run
		n[kindWaiting] += n[kindRunning]
		n[kindRunning] = 0
		rest = "not done"
	}
	succeeded, before := "succeeded", "skipped"
	if end.DryRun {
		succeeded, before = "evaluated", "passed over: done before"
	}
	if skipped > 0 {
		succeeded += " (" + strconv.Itoa(skipped) + " " + before + ")"
	}
	s.line(terminal.InkPlain, "  "+textutil.Plural(all, "task")+": "+countList(
		counted{n[kindDone], succeeded}, counted{n[kindFailed], "failed"}, counted{n[kindFallen], "failed below"},
		counted{n[kindCanceled], "canceled"}, counted{n[kindRunning], "unfinished"}, counted{n[kindWaiting], rest}))
}

// times lists the tasks below the root with the time that each took, unless there is only one or too many.
func (s *summary) times(top *liveTask, end runview.End) {
	if len(top.inside.children) != 1 || top.inside.children[0].inside == nil {
		return
	}
	tasks := slices.Clone(top.inside.children[0].inside.children)
	tasks = slices.DeleteFunc(tasks, func(task *liveTask) bool { return task.name == failureAlert })
	if len(tasks) < 2 || len(tasks) > summaryTasks {
		return
	}
	f := frame{look: s.look, now: end.Elapsed, width: s.width, over: true, whole: end.Whole}
	for _, task := range tasks {
		f.names = max(f.names, summaryIndent+2+terminal.Width(task.name))
	}
	f.names = min(f.names, max(s.width*nameShare/100, leastNames))
	for _, task := range tasks {
		out := terminal.Line{Look: s.look, Limit: max(s.width-1, 1)}
		out.Gap(summaryIndent)
		f.task(&out, task, []loopname.Part{task.shown}, false)
		s.line(terminal.InkPlain, out.Text.String())
	}
}

// failure shows one failed task: its place, why it failed, and what it printed last.
func (s *summary) failure(failed *repeatedFailure) {
	s.line(terminal.InkPlain, "")
	title, values, place := s.look.Signs.Failed+" "+failed.Name+failed.timesText(), "", ""
	if failed.Values != "" {
		values = "  " + failed.Values
	}
	if failed.Where != "" {
		place = "  " + failed.Where
	}
	if summaryIndent+terminal.Width(title+values+place) > s.width && place != "" {
		place = "\n    at " + failed.Where
	}
	s.text.WriteString("  " + s.look.Paint(terminal.InkRed, title) + values)
	s.line(terminal.InkDim, place)
	told := explain(&failed.FailedTask)
	for line := range strings.Lines(told.message) {
		s.line(terminal.InkPlain, "    "+terminal.Clean(strings.TrimRight(line, "\r\n")))
	}
	if told.fix != "" {
		s.line(terminal.InkPlain, "    fix: "+s.look.Paint(terminal.InkBold, terminal.Clean(told.fix)))
	}
	for _, line := range told.lines {
		bar := s.look.Paint(terminal.InkDim, s.look.Signs.Bar)
		s.line(terminal.InkPlain, "    "+bar+" "+terminal.Cut(terminal.Clean(line), max(s.width-summaryIndent-5, 1), s.look.Signs.Rest))
	}
}

// succeeded names the tasks that need not run again after a run was broken off.
func (s *summary) succeeded(end runview.End) {
	if end.Broken == nil && !end.Interrupted {
		return
	}
	s.line(terminal.InkPlain, "")
	if len(end.Succeeded) == 0 {
		s.line(terminal.InkPlain, "  no task had succeeded")
		return
	}
	s.line(terminal.InkPlain, "  succeeded before:")
	for i, name := range end.Succeeded {
		if i == summaryNames {
			s.line(terminal.InkDim, "    "+s.look.Signs.Rest+" "+strconv.Itoa(len(end.Succeeded)-i)+" more")
			return
		}
		s.line(terminal.InkPlain, "    "+name)
	}
}

// goOn says what is kept, and which command runs the remaining tasks.
func (s *summary) goOn(end runview.End) {
	if end.DryRun {
		s.line(terminal.InkDim, "\n  nothing was run, and nothing was saved")
		return
	}
	if end.Nothing {
		s.line(terminal.InkPlain, "\n  "+runview.TextNothing)
		return
	}
	kept := end.StateDir != "" && s.done > 0
	if !kept && end.Resume == "" {
		return
	}
	s.line(terminal.InkPlain, "")
	if kept {
		s.line(terminal.InkDim, "  what succeeded is kept in "+textutil.RelativePath(s.dir, end.StateDir))
	}
	switch {
	case end.Resume != "":
		s.line(terminal.InkPlain, "  resume: "+s.look.Paint(terminal.InkBold, end.Resume))
	case kept:
		s.line(terminal.InkDim, "  the next run of this session passes over it; --rerun does not")
	}
}
