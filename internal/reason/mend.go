package reason

import (
	"regexp"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// Mend returns what a person can do about a task that failed, as far as its error says so.
func Mend(t *trowel.Task, f *Facts) []Offer {
	message, _ := t.Error.Get("message")
	text, _ := message.(string)
	if command := SetSecret(text, f.Project); command != "" {
		return []Offer{{ActionSecret, command}}
	}
	return nil
}

// SetSecret returns the command that sets the secret of a project which an error message says is missing; ""
// for other messages. Of no project, it sets a secret of local runs.
func SetSecret(message, project string) string {
	key, missing := trowel.MissingSecret(message)
	switch {
	case !missing:
		return ""
	case project == "":
		return "trowel secrets --local --set " + key
	}
	return "trowel secrets --project " + shellWord(project) + " --set " + key
}

var plainWord = regexp.MustCompile(`^[\w./:@%+=,-]+$`)

// shellWord is a text as one word of a shell.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
