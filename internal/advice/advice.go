// Package advice says what the author of a workflow can do about a task that failed.
package advice

import (
	"fmt"
	"regexp"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/builtin"
	"github.com/trowel-project/trowel/internal/param"
	why "github.com/trowel-project/trowel/internal/reason"
	"github.com/trowel-project/trowel/internal/template"
)

// OnServer returns advice for the log of a task on a server, after a failure.
func OnServer(lease *trowel.Lease, err error) string {
	message, _ := operator.Kind(err)
	advice := why.SetSecret(message, lease.Context.Project.Name)
	if advice == "" {
		advice, _ = OfMistake(lease, err)
	}
	if advice == "" && IsTaskLimit(message) {
		advice = engine.LimitHint
	}
	if advice == "" {
		return ""
	}
	return "fix: " + advice
}

// InRun returns advice after a failure in a local run, as far as its message allows.
func InRun(message string) string {
	if IsTaskLimit(message) {
		return "split the workflow, or allow more tasks: -X executor.task_max_run=" + taskLimitFor(message)
	}
	return why.SetSecret(message, "")
}

// OfMistake suggests what the author of a workflow may have meant: an operator or a parameter with a similar
// name, or a value that the operator accepts. culprit is the key of the mistake, if it is known.
func OfMistake(lease *trowel.Lease, err error) (advice, culprit string) {
	message, kind := operator.Kind(err)
	if name, found := strings.CutPrefix(message, "Unknown task type: "); found {
		return dig.OperatorHint(name, builtin.Names()), ""
	}
	if advice := OfUndefined(message, append(lease.Scope.Keys(), lease.Local.Keys()...)); advice != "" {
		return advice, ""
	}
	if advice := OfMissingProgram(message); advice != "" {
		return advice, ""
	}
	if advice := OfRefusedKeys(message); advice != "" {
		return advice, ""
	}
	if kind != "config" || strings.HasPrefix(message, "Failed to evaluate ") {
		return expressionAdvice(message), ""
	}
	key, wrong, hint := builtin.Catalog("").Fault(lease.Local)
	switch {
	case key != "" && hint != "":
		return wrong + "; " + hint, key
	case key != "" && strings.Contains(wrong, message):
		return "", key // the message says it
	case key != "":
		return wrong, key
	case message == "Invalid configuration" || strings.Contains(message, "'_command'"):
		for own := range lease.Local.All() {
			if strings.HasSuffix(own, ">") {
				culprit = own
			}
		}
	}
	if message == "Invalid configuration" {
		advice = dig.DurationHint // language O29
	}
	return advice, culprit
}

// noProgram matches the program that the system could not find.
var noProgram = regexp.MustCompile(`Cannot run program "([^"]+)" \(in directory ".*"\): error=2, `)

// OfMissingProgram says what to do if the interpreter of a script is missing. It is empty for other messages.
// On many systems Python is only called python3, while Digdag's py> runs python.
func OfMissingProgram(message string) string {
	m := noProgram.FindStringSubmatch(message)
	switch {
	case m == nil:
		return ""
	case m[1] == "python":
		return "there is no program python in PATH: add to the task `python: python3`, or to _export `py: {python: python3}`"
	case strings.Contains(m[1], "/"):
		return "there is no program " + m[1]
	default:
		return "there is no program " + m[1] + " in PATH: is it installed?"
	}
}

// refusedByAmazon matches the refusal of a request by Amazon's services that operators use.
var refusedByAmazon = regexp.MustCompile(`\(Service: (Amazon S3|AmazonElasticMapReduce|AWSKMS|AWSSecurityTokenService); Status Code: (401|403); `)

// OfRefusedKeys says where the keys stand that Amazon has refused, and what they must allow. It is empty for other messages.
func OfRefusedKeys(message string) string {
	switch m := refusedByAmazon.FindStringSubmatch(message); {
	case m == nil:
		return ""
	case m[1] == "Amazon S3":
		return "are the secrets aws.access_key_id and aws.secret_access_key right, or those below aws.s3 and aws.emr that come first? " +
			"Keys without s3:ListBucket get this answer for a missing object, too"
	default:
		return "are the secrets aws.access_key_id and aws.secret_access_key right, or those below aws.emr that come first, and do they allow it?"
	}
}

// noFunction matches the name of a function that a value does not have.
var noFunction = regexp.MustCompile(`TypeError: .*\.(\w+) is not a function`)

// functions are the functions of moment's values, texts and lists that expressions use most.
const functions = "add clone concat date day daysInMonth diff endOf filter format hour includes indexOf isAfter isBefore isSame join map minute " +
	"month padStart quarter reduce replace second slice split startOf substring subtract toISOString toLowerCase toString toUpperCase trim tz unix " +
	"utc valueOf week year"

// expressionAdvice says how to mend a refused expression. It is empty if the message does not allow that.
func expressionAdvice(message string) string {
	switch {
	case !strings.HasPrefix(message, "Failed to evaluate "):
	case strings.Contains(message, "SyntaxError") && dig.ShellMend(message) != "":
		return dig.ShellMend(message)
	case strings.Contains(message, "Cannot read property '"):
		return "look at what stands before the dot: it is not there, or has another name"
	}
	if m := noFunction.FindStringSubmatch(message); m != nil {
		if near := param.Similar(m[1], strings.Fields(functions)); len(near) > 0 {
			return didYouMeanOneOf(near)
		}
	}
	return ""
}

// OfUndefined suggests a known parameter for a message that another one is not defined.
func OfUndefined(message string, known []string) string {
	name, undefined := template.Undefined(message)
	if !undefined {
		return ""
	}
	if advice := foreignName(name); advice != "" {
		return advice
	}
	near := param.Similar(name, append(known, "moment", "JSON", "Math"))
	if len(near) > 0 {
		return didYouMeanOneOf(near)
	}
	if near := param.Similar(name, []string{"last_session_time", "last_session_date", "next_session_time", "next_session_date"}); len(near) > 0 {
		return didYouMeanOneOf(near) + " It is there in a workflow with a schedule"
	}
	for _, key := range known {
		if strings.HasPrefix(key, name+"-") && strings.Contains(message, key) {
			return fmt.Sprintf("the name %s is read as a subtraction: write it with _ in place of -", key)
		}
	}
	return fmt.Sprintf("no parameter has the name %s: write it below _export, or give it with -p %[1]s=VALUE", name)
}

// foreignName says what to write for a name of other systems, or for one that only some tasks have. It is empty
// for other names.
func foreignName(name string) string {
	if own := dig.OwnName(name); own != "" {
		return "write " + own
	}
	switch name {
	case "secret", "secrets":
		return "write ${secret:NAME}, which is read in _env and by the operators that take secrets"
	case "error":
		return "error is there below _error only"
	case "env", "process", "os":
		return "expressions do not see the environment: in a script write $NAME, or give a parameter with -p"
	case "last_session_time", "last_session_date", "next_session_time", "next_session_date", "last_executed_session_time":
		return "it is there in a workflow with a schedule only"
	}
	if name == strings.ToUpper(name) && len(name) > 1 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "" {
		return fmt.Sprintf("no parameter has the name %s; if it is a variable of the shell, write $%[1]s", name)
	}
	return ""
}

func didYouMeanOneOf(near []string) string {
	return "did you mean " + strings.Join(near[:min(len(near), 3)], " or ") + "?"
}

// IsTaskLimit reports whether a message says that an attempt would have too many tasks (language C36, O4, O10).
func IsTaskLimit(message string) bool {
	return strings.HasPrefix(message, "Too many ") && strings.Contains(message, "Limit: ") && strings.Contains(message, "tasks")
}

// taskLimitFor returns a limit that is large enough for a message, as far as it says that.
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
