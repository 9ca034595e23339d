package cmd

import (
	"regexp"
	"strings"
)

// LevelFilter decides which lines of a task's log are below INFO (server 1.10.9). It must be given the
// lines of one file in order.
type LevelFilter struct{ hidden bool }

// leveled matches a line that says its level.
var leveled = regexp.MustCompile(`^[0-9: \-+.]*\[([A-Za-z]+)\]`)

// Hides reports whether a line is below INFO. A line without a known level is treated like the one
// before it.
func (f *LevelFilter) Hides(line string) bool {
	if m := leveled.FindStringSubmatch(line); m != nil {
		switch strings.ToUpper(m[1]) {
		case "ERROR", "WARN", "INFO":
			f.hidden = false
		case "DEBUG", "TRACE":
			f.hidden = true
		}
	}
	return f.hidden
}
