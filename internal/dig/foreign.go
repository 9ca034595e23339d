package dig

import (
	"regexp"
	"strings"
)

// Texts of warnings about templates of other systems.
const (
	foreignShown  = "'%s' is written as in another system"
	foreignFormat = "'%s' has letters of another system: moment takes no %%"
)

// Templates of other systems, and moment's format with their letters.
var (
	foreignText = regexp.MustCompile(`\{\{-?\s*(?:(?:params|var|macros|conn|ti|dag_run|task_instance)\.[^{}]*|(ds|ds_nodash|ts|execution_date|` +
		`logical_date|data_interval_start|run_id|session_\w+|last_session_\w+|next_session_\w+|task_name|project_id|attempt_id)\b[^{}]*)\}\}` +
		`|\$\{\{\s*([\w.]+)\s*\}\}` +
		`|(?:\$|%)\((session_\w+|last_session_\w+|next_session_\w+|task_name|project_id|attempt_id)\)s?`)
	strftimeText = regexp.MustCompile(`\.format\(\s*["'][^"']*%[a-zA-Z][^"']*["']`)
	// shellForm is a shell expansion that is not an expression.
	shellForm = regexp.MustCompile(`\$\{([#!]|\w+(:[-=+?]|%|#|/))`)
)

// ShellMend says how to mend a shell expansion in the code of an invalid expression. It is empty if there is
// none.
func ShellMend(code string) string {
	if !shellForm.MatchString(code) {
		return ""
	}
	return "put the script into a file: ${...} is an expression, which the shell never sees"
}

// OwnName returns the built-in parameter for a name of another system, or "" if there is none.
func OwnName(name string) string {
	switch name {
	case "ds":
		return "session_date"
	case "ds_nodash":
		return "session_date_compact"
	case "ts", "execution_date", "logical_date", "data_interval_start":
		return "session_time"
	}
	return ""
}

// foreign finds a template of another system in a text, and says what to write instead.
func foreign(text string) (found, message, hint string) {
	if !strings.Contains(text, "{{") && !strings.Contains(text, "(") {
		return "", "", ""
	}
	if m := foreignText.FindStringSubmatch(text); m != nil {
		name := m[1] + m[2] + m[3]
		if own := OwnName(name); own != "" {
			name = own
		}
		if name == "" {
			return m[0], foreignShown, "expressions are written ${...}, with parameters and JavaScript in them"
		}
		return m[0], foreignShown, "write `${" + name + "}`"
	}
	if found := strftimeText.FindString(text); found != "" {
		return found, foreignFormat, `write YYYY-MM-DD HH:mm:ss in place of %Y-%m-%d %H:%M:%S`
	}
	return "", "", ""
}
