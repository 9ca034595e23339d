package local

import (
	"errors"
	"fmt"
	"strings"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/textutil"
)

// maxNamedTasks is how many tasks an error lists if none matches.
const maxNamedTasks = 10

// matchTask is dig.MatchTask. If no task matches, the error says which one may have been meant, or lists them.
func matchTask(pattern string, tasks []dig.Task) (int, error) {
	at, err := dig.MatchTask(pattern, tasks)
	known, ok := errors.AsType[*dig.Error](err)
	if !ok || known.Kind != dig.KindNoMatch {
		return at, err
	}
	var names, patterns []string // both without the workflow
	for i := range tasks {
		name, below := strings.CutPrefix(tasks[i].FullName, tasks[0].FullName)
		if !below || name == "" {
			continue
		}
		names = append(names, name)
		last := name[strings.LastIndexAny(name, "+^"):]
		if _, err := dig.MatchTask(last, tasks); err == nil {
			patterns = append(patterns, last)
		}
	}
	hint := cmd.DidYouMean(cmd.NearWord(pattern, append(patterns, names...)))
	switch {
	case hint != "":
	case len(names) == 0:
		hint = "the workflow has no tasks"
	case len(names) > maxNamedTasks:
		hint = fmt.Sprintf("the tasks are: %s and %d more", textutil.CommaList(names[:maxNamedTasks]), len(names)-maxNamedTasks)
	default:
		hint = "the tasks are: " + textutil.CommaList(names)
	}
	return -1, cmd.Complainf("%s", known.Text()).Hinting("%s", hint)
}
