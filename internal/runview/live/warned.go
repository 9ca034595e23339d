package live

import (
	"regexp"
	"strings"

	"github.com/trowel-project/trowel/internal/dig"
)

// unusedLine matches the log entry about a parameter that nothing reads. There is one for each task that has it.
var unusedLine = regexp.MustCompile(`^Parameter '([^']*)' is not used at `)

// quotedName matches the first quoted name in a finding.
var quotedName = regexp.MustCompile(`'([^']*)'`)

// Warned records the findings that were shown before the first task, so that the log does not repeat them after
// each task. It must be called before Begin.
func (l *View) Warned(findings []dig.Finding) {
	l.told = map[string]bool{}
	for _, f := range findings {
		if m := quotedName.FindStringSubmatch(f.Message); m != nil {
			l.told[m[1]] = true
		}
	}
}

// warnedOf reports whether a log line repeats what was shown before the first task.
func (l *View) warnedOf(message string) bool {
	if m := unusedLine.FindStringSubmatch(message); m != nil {
		return l.told[m[1]]
	}
	return len(l.told) > 0 && strings.HasPrefix(message, "  > Did you mean [")
}
