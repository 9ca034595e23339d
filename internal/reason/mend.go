package reason

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Mend returns what a person can do about a failed task, as far as its error says so.
func Mend(t *trowel.Task, f *Facts) []Offer {
	message, _ := t.Error.Get("message")
	text, _ := message.(string)
	if label := SetSecret(text, f.Project); label != "" {
		return []Offer{{ActionSecret, label}}
	}
	return nil
}

// SetSecret returns the command that sets the secret which, by an error message, a project lacks; empty for other
// messages. Without a project the command sets a secret of local runs.
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

// command is a shell command line. It quotes words, as they may be names that anybody chose.
func command(words ...string) string {
	return "trowel " + textutil.ShellLine(words...)
}
