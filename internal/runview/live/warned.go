package live

import (
	"regexp"
	"strings"

	"github.com/trowel-project/trowel/internal/dig"
)

// unusedLine matches what the log says of a parameter that nobody read, once for each task that has it.
var unusedLine = regexp.MustCompile(`^Parameter '([^']*)' is not used at `)

// quotedName matches the first name that a finding is about.
var quotedName = regexp.MustCompile(`'([^']*)'`)

// Warned remembers the findings that were shown before the first task: the log need not say the same after
// each task. It is called before Begin.
func (l *View) Warned(findings []dig.Finding) {
	l.told = map[string]bool{}
	for _, f := range findings {
		if m := quotedName.FindStringSubmatch(f.Message); m != nil {
			l.told[m[1]] = true
		}
	}
}

// warnedOf reports whether a line of the log repeats what was shown before the first task.
func (l *View) warnedOf(message string) bool {
	if m := unusedLine.FindStringSubmatch(message); m != nil {
		return l.told[m[1]]
	}
	return len(l.told) > 0 && strings.HasPrefix(message, "  > Did you mean [")
}
