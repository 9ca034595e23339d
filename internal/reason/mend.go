package reason

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/textutil"
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
	return "trowel " + textutil.ShellLine(words...)
}
