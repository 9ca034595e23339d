package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/template"
)

// placeText is a place as dig.Place writes it.
var placeText = regexp.MustCompile(`^(.+):(\d+):(\d+)$`)

// mistakePlace is the place of what the message of a failed task is about, in the lines of the task that begins
// at a place; the task's own place if it is not found. dir is the project's folder.
func mistakePlace(dir, task, message string) string {
	culprit := ""
	if name, found := strings.CutPrefix(message, "Unknown task type: "); found {
		name, _, _ = strings.Cut(name, " (")
		culprit = name + ">"
	} else if name, undefined := template.Undefined(message); undefined {
		culprit = name
	}
	m := placeText.FindStringSubmatch(task)
	if culprit == "" || m == nil {
		return task
	}
	line, errLine := strconv.Atoi(m[2])
	column, errColumn := strconv.Atoi(m[3])
	if errLine != nil || errColumn != nil || !filepath.IsLocal(filepath.FromSlash(m[1])) {
		return task
	}
	return dig.FindWithin(os.DirFS(dir), dig.Place{File: m[1], Line: line, Column: column}, culprit).String()
}
