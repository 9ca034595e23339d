package cli

import (
	"fmt"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	why "github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/template"
)

// adviceOnServer says in the log of a task of a server what to do after a failure.
func adviceOnServer(lease *trowel.Lease, err error) string {
	message, _ := operator.Kind(err)
	advice := why.SetSecret(message, lease.Setting.Project.Name)
	if advice == "" {
		advice = mistakeAdvice(lease, message)
	}
	if advice == "" && isTaskLimit(message) {
		advice = "split the workflow, or raise executor.task_max_run in the server's configuration"
	}
	if advice == "" {
		return ""
	}
	return "fix: " + advice
}

// adviceInRun keeps, for the summary of a local run, what to do after a failure. The log has nothing of it.
func (l *localRun) adviceInRun(lease *trowel.Lease, err error) string {
	message, _ := operator.Kind(err)
	if advice := mistakeAdvice(lease, message); advice != "" {
		l.failed.advise(lease.TaskID, advice)
	}
	return ""
}

// fixInRun says what to do after a failure in a local run, as far as its message tells.
func fixInRun(message string) string {
	if isTaskLimit(message) {
		return "split the workflow, or allow more tasks: -X executor.task_max_run=" + taskLimitFor(message)
	}
	return why.SetSecret(message, "")
}

// mistakeAdvice offers what the author of a workflow may have meant: an operator or a parameter that is named
// alike.
func mistakeAdvice(lease *trowel.Lease, message string) string {
	if name, found := strings.CutPrefix(message, "Unknown task type: "); found {
		return dig.OperatorHint(name, operator.Builtin(operator.Options{}).Names())
	}
	return undefinedAdvice(message, append(lease.Scope.Keys(), lease.Local.Keys()...))
}

// undefinedAdvice offers the parameter that was meant where a message says that one is not defined.
func undefinedAdvice(message string, known []string) string {
	name, undefined := template.Undefined(message)
	if !undefined {
		return ""
	}
	near := param.Similar(name, known)
	if len(near) > 0 {
		return didYouMeanOneOf(near)
	}
	return fmt.Sprintf("no parameter has the name %s: write it below _export, or give it with -p %[1]s=VALUE", name)
}

func didYouMeanOneOf(near []string) string {
	return "did you mean " + strings.Join(near[:min(len(near), 3)], " or ") + "?"
}

// isTaskLimit reports whether a message says that an attempt would have too many tasks (language C36, O4, O10).
func isTaskLimit(message string) bool {
	return strings.HasPrefix(message, "Too many ") && strings.Contains(message, "Limit: ") && strings.Contains(message, "tasks")
}

// taskLimitFor is a limit that is large enough for what a message says, as far as it says it.
func taskLimitFor(message string) string {
	const step = 1000
	var limit, current, adding int
	if _, after, found := strings.Cut(message, "Limit: "); found {
		if _, err := fmt.Sscanf(after, "%d, Current: %d, Adding: %d", &limit, &current, &adding); err != nil {
			adding = 2 * limit
		}
	}
	return fmt.Sprint((max(current+adding, limit+1) + step - 1) / step * step)
}
