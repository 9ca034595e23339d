package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Limits of a summary.
const (
	summaryIndent = 2
	summaryTasks  = 20 // tasks below the root that are listed with their times
	summaryNames  = 50 // succeeded tasks that are named when a run breaks off
	summaryFails  = 20 // failed tasks that are shown with message and output
)

// summary is what stays on the terminal when a run is over: how it ended, how many tasks did, how
// long the parts took, what failed and where, and how to go on.
type summary struct {
	look  *look
	width int
	dir   string // where the command was typed
	done  int    // operator tasks that succeeded
	text  strings.Builder
}

// summary tells how the run ended, in lines of a window of so many columns.
func (l *live) summary(end runEnd, columns int) string {
	s := summary{look: &l.look, width: columns, dir: l.opts.Dir}
	s.headline(end, l.begin.Workflow)
	if l.tree != nil {
		s.counts(&l.tree.top, l.skipped, end)
		s.times(&l.tree.top, end)
	}
	merged := mergeFailures(end.Failed)
	for i, failed := range merged {
		if i == summaryFails {
			s.line(inkDim, "\n  "+s.look.signs.rest+" "+strconv.Itoa(len(merged)-i)+" more failed")
			break
		}
		s.failure(&failed)
	}
	s.succeeded(end)
	s.goOn(end)
	return s.text.String()
}

func (s *summary) line(color ink, text string) {
	s.text.WriteString(s.look.paint(color, text) + "\n")
}

// headline says in one line how the run ended.
func (s *summary) headline(end runEnd, workflow string) {
	signs := &s.look.signs
	if end.DryRun {
		workflow = dryRunTitle + workflow
	}
	after := " after " + end.after()
	switch {
	case end.Broken != nil:
		s.line(inkRed, signs.failed+" "+workflow+" broke off"+after)
		for line := range strings.Lines(end.BrokenText) {
			s.line(inkPlain, "  "+terminal.Clean(strings.TrimRight(line, "\n")))
		}
	case end.Interrupted:
		s.line(inkYellow, signs.canceled+" "+workflow+" was interrupted"+after)
	case end.Status == "success":
		s.line(inkGreen, signs.done+" "+workflow+" succeeded in "+end.after())
	case end.Status == "killed":
		s.line(inkYellow, signs.canceled+" "+workflow+" was killed"+after)
	default:
		s.line(inkRed, signs.failed+" "+workflow+" failed"+after)
	}
}

// counts says how many operator tasks ended how, and how many of those that succeeded were passed
// over.
func (s *summary) counts(top *liveTask, skipped int, end runEnd) {
	n := top.inside.below
	s.done = n[kindDone]
	all := 0
	for _, count := range n {
		all += count
	}
	rest := "not run"
	if end.Interrupted || end.Broken != nil { // what was stopped waits for another run
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
	s.line(inkPlain, "  "+textutil.Plural(all, "task")+": "+countList(
		counted{n[kindDone], succeeded}, counted{n[kindFailed], "failed"}, counted{n[kindFallen], "failed below"},
		counted{n[kindCanceled], "canceled"}, counted{n[kindRunning], "unfinished"}, counted{n[kindWaiting], rest}))
}

// times lists the tasks below the root with what each took, if it is a list that one reads.
func (s *summary) times(top *liveTask, end runEnd) {
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
		out := lineText{look: s.look, limit: max(s.width-1, 1)}
		out.gap(summaryIndent)
		f.task(&out, task, []namePart{task.shown}, false)
		s.line(inkPlain, out.text.String())
	}
}

// failure shows one failed task: where it stands, why it failed, what it printed last.
func (s *summary) failure(failed *repeatedFailure) {
	s.line(inkPlain, "")
	title, values, place := s.look.signs.failed+" "+failed.Name+failed.timesText(), "", ""
	if failed.Values != "" {
		values = "  " + failed.Values
	}
	if failed.Where != "" {
		place = "  " + failed.Where
	}
	if summaryIndent+terminal.Width(title+values+place) > s.width && place != "" {
		place = "\n    at " + failed.Where
	}
	s.text.WriteString("  " + s.look.paint(inkRed, title) + values)
	s.line(inkDim, place)
	told := explain(&failed.failedTask)
	for line := range strings.Lines(told.message) {
		s.line(inkPlain, "    "+terminal.Clean(strings.TrimRight(line, "\r\n")))
	}
	if told.fix != "" {
		s.line(inkPlain, "    fix: "+s.look.paint(inkBold, terminal.Clean(told.fix)))
	}
	for _, line := range told.lines {
		bar := s.look.paint(inkDim, s.look.signs.bar)
		s.line(inkPlain, "    "+bar+" "+terminal.Cut(terminal.Clean(line), max(s.width-summaryIndent-5, 1), s.look.signs.rest))
	}
}

// succeeded names what need not be done again after a run that broke off.
func (s *summary) succeeded(end runEnd) {
	if end.Broken == nil && !end.Interrupted {
		return
	}
	s.line(inkPlain, "")
	if len(end.Succeeded) == 0 {
		s.line(inkPlain, "  no task had succeeded")
		return
	}
	s.line(inkPlain, "  succeeded before:")
	for i, name := range end.Succeeded {
		if i == summaryNames {
			s.line(inkDim, "    "+s.look.signs.rest+" "+strconv.Itoa(len(end.Succeeded)-i)+" more")
			return
		}
		s.line(inkPlain, "    "+name)
	}
}

// goOn tells what is kept, and the command that goes on with the rest.
func (s *summary) goOn(end runEnd) {
	if end.DryRun {
		s.line(inkDim, "\n  nothing was run, and nothing was saved")
		return
	}
	if end.Nothing {
		s.line(inkPlain, "\n  "+textNothing)
		return
	}
	kept := end.StateDir != "" && s.done > 0
	if !kept && end.Resume == "" {
		return
	}
	s.line(inkPlain, "")
	if kept {
		s.line(inkDim, "  what succeeded is kept in "+seenFrom(s.dir, end.StateDir))
	}
	switch {
	case end.Resume != "":
		s.line(inkPlain, "  resume: "+s.look.paint(inkBold, end.Resume))
	case kept:
		s.line(inkDim, "  the next run of this session passes over it; --rerun does not")
	}
}
