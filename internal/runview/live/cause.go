package live

import (
	"regexp"
	"strings"

	"github.com/trowel-project/trowel/internal/advice"
	"github.com/trowel-project/trowel/internal/runview"
)

// explained is a failure as people on a terminal see it: the cause without what Trowel's own programs add
// to it, and what to do about it. The error object keeps Digdag's text.
type explained struct {
	message string
	lines   []string // lines of output that the message does not have
	fix     string   // empty if unknown
}

// Texts about commands that cannot start, with the name of what is missing.
var (
	shellFailure = regexp.MustCompile(`runner\.sh: (?:line )?\d+: (.+?): ((?:command )?not found|No such file or directory|Permission denied)$`)
	noModule     = regexp.MustCompile(`No module named '([\w.]+)'`)
	noConstant   = regexp.MustCompile(`uninitialized constant ([\w:]+) \(NameError\)`)
)

const pythonHead = "Error messages from python: "

// explain makes a failure readable.
func explain(failed *runview.FailedTask) explained {
	e := explained{message: failed.Message, lines: failed.LastLines, fix: failed.Fix}
	head, trace, python := strings.Cut(failed.Message, pythonHead)
	switch {
	case python:
		e.message = head + pythonCause(trace)
		e.lines = withoutLines(failed.LastLines, trace)
		if m := noModule.FindStringSubmatch(e.message); m != nil && e.fix == "" {
			file := strings.ReplaceAll(m[1], ".", "/")
			e.fix = "no file " + file + ".py or " + file + "/ in the project"
		}
	case strings.HasPrefix(failed.Message, "Ruby command failed"):
		e.ruby()
	case strings.HasPrefix(failed.Message, "Command failed with code 12"):
		e.shell()
	case e.fix == "":
		e.fix = advice.OfMissingProgram(failed.Message)
	}
	return e
}

// shell explains that a shell could not run a command.
func (e *explained) shell() {
	for i, line := range e.lines {
		m := shellFailure.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		e.lines = append(e.lines[:i:i], e.lines[i+1:]...)
		e.message += "\n" + m[1] + ": " + m[2]
		if e.fix != "" {
			return
		}
		switch {
		case m[2] == "Permission denied":
			e.fix = "chmod +x " + m[1] + ", or name the program that runs it: sh " + m[1]
		case strings.Contains(m[1], "/"):
			e.fix = "no such file in the project, or the program of its #! line is missing"
		default:
			e.fix = "there is no such command: is it installed, and in PATH?"
		}
		return
	}
}

// ruby extracts the cause from the output of the runner. It leaves out frames and code of the runner.
func (e *explained) ruby() {
	var kept []string
	runner := false // the current lines belong to a frame of the runner
	for _, line := range e.lines {
		text := strings.TrimSpace(line)
		switch {
		case strings.Contains(line, "/runner.rb:"):
			runner = true
			if _, cause, found := strings.Cut(line, "': "); found && !strings.HasPrefix(text, "from ") {
				e.message += "\n" + cause
			}
		case runner && (text == "" || strings.HasPrefix(line, "  ")):
		default:
			runner = false
			kept = append(kept, line)
		}
	}
	e.lines = kept
	if m := noConstant.FindStringSubmatch(e.message); m != nil && e.fix == "" {
		e.fix = "nothing has loaded " + m[1] + ": add to the task require: " + strings.ToLower(strings.ReplaceAll(m[1], "::", "/"))
	}
}

// pythonCause shortens the trace of Python, whose parts begin with "from" on a line of their own. It leaves out frames of
// the runner, and errors of the runner that only follow from an earlier one.
func pythonCause(trace string) string {
	parts := strings.Split(trace, "\n\tfrom ")
	headline := strings.TrimSpace(parts[0])
	var frames []string
	cause := ""
	for _, part := range parts[1:] {
		text := strings.TrimRight(part, "\n ")
		switch {
		case strings.HasPrefix(text, "Traceback ("), strings.Contains(text, "During handling of"), strings.TrimSpace(text) == "":
		case strings.HasPrefix(text, `  File "`):
			if !strings.Contains(text, "/runner.py\"") {
				frames = append(frames, text)
			}
		case cause == "" || len(frames) > 0:
			cause = strings.TrimSuffix(text, "\n (runtime)")
		}
	}
	if kind, message, found := strings.Cut(cause, ": "); found && len(frames) == 0 {
		headline = message + " (" + kind + ")"
	}
	return strings.Join(append([]string{headline}, frames...), "\n")
}

// withoutLines removes lines that a text already has, and those of the runner.
func withoutLines(lines []string, text string) []string {
	told := map[string]bool{"": true, "Traceback (most recent call last):": true}
	for line := range strings.Lines(text) {
		told[strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "from "))] = true
	}
	var kept []string
	for _, line := range lines {
		if !told[strings.TrimSpace(line)] {
			kept = append(kept, line)
		}
	}
	return kept
}
