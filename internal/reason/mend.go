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
	if label := SetSecret(text, f.Project); label != "" {
		return []Offer{{ActionSecret, label}}
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
	return command("secrets", "--project", project, "--set", key)
}

// command is what a person types into a shell. Its words may be names that somebody else chose.
func command(words ...string) string {
	for i, word := range words {
		words[i] = shellWord(word)
	}
	return "trowel " + strings.Join(words, " ")
}

var plainWord = regexp.MustCompile(`^[\w./:@%+=,-]+$`)

// shellWord is a text as one word of a shell.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
