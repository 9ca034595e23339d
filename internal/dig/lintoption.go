package dig

import (
	"fmt"
	"slices"

	"github.com/trowel-project/trowel/internal/param"
)

// Texts of warnings about options.
const (
	optionExported = "'%s' below _export is a parameter and no option"                // control K105
	limitNested    = "'%s' has no effect here: it belongs to the top level of a file" // control K104
)

// option reports what is wrong with an option or with a limit of a workflow.
func (in *inspection) option(file string, keys []string, severity Severity, p problem) {
	if !in.wants(file, p.id) {
		return
	}
	in.tell(Finding{
		Place: in.sources.locate(file, keys), Severity: severity, Message: inOwnWords(p.err.Message), ID: p.id,
		Hint: optionHint(p),
	})
}

// misspeltOption reports whether the key that an option lacks is there in a wrong spelling, which is another problem.
func misspeltOption(all []problem, p problem) bool {
	return p.lacks != "" && slices.ContainsFunc(all, func(other problem) bool {
		last := len(other.path) - 1
		return other.task == p.task && last > 0 && slices.Equal(other.path[:last], p.path) &&
			len(param.Similar(other.path[last], []string{p.lacks})) > 0
	})
}

// optionHint says how to mend an option.
func optionHint(p problem) string {
	switch p.id {
	case findingTemplate:
		return "write a number"
	case findingPlace:
		return "move or remove it"
	case findingLater:
		return "remove it"
	}
	if near := param.Similar(p.path[len(p.path)-1], p.takes); len(near) > 0 {
		return didYouMean(near)
	}
	key := p.path[0]
	if key == keyDefaults && len(p.path) > 1 {
		key = p.path[1]
	}
	switch key {
	case keyPool:
		return "write `_pool: name`, `_pool: {name: ..., slots: 2}`, or a list of these"
	case keyPoolSlots:
		return "write a number of slots, such as `_pool_slots: 2`"
	case keyPriorityWeight:
		return fmt.Sprintf("write an integer between -%d and %d: larger ones run first", maxWeight, maxWeight)
	case keyWeightRule:
		return "write `_weight_rule: downstream` to let tasks run first on which many others wait"
	case keyConcurrency:
		return "write `_concurrency: 1`, or `_concurrency: {limit: 1, per: site, key: name}`"
	case keyQueue:
		return "write `_queue: name`, or `_queue: {name: ..., labels: [...]}`"
	case keyLimits:
		return "write `_limits: {memory: 2GiB, cpu: 1.5, pids: 500, disk: 10GiB}`, or some of these"
	case keyDefaults:
		return "write options as keys below _defaults"
	case keyMaxActiveAttempts:
		return "write `max_active_attempts: 1`, or `max_active_attempts: {limit: 1, on_exceed: reject}`"
	case keyMaxActiveTasks:
		return "write `max_active_tasks: 8`, or `max_active_tasks: {per_attempt: 8, per_workflow: 16}`"
	}
	return ""
}

// misplacedOptions warns about options that have no effect where they are.
func (in *inspection) misplacedOptions(t tree, index int) {
	task := &t.compiler.tasks[index]
	for key := range task.Export.All() {
		if IsOption(key) {
			in.tellAt(t, index, findingExport, fmt.Sprintf(optionExported, key),
				"write it in the body of the task or group that it is for", keyExport, key)
		}
	}
	if !task.Group || len(t.prefix) == 0 && task.Parent < 0 {
		return
	}
	for _, key := range ControlKeys() {
		if task.Local.Has(key) {
			in.tellAt(t, index, findingPlace, fmt.Sprintf(limitNested, key), "move it to the top level, or remove it", key)
		}
	}
}

// tellAt adds a warning with an id about a path of keys in a task.
func (in *inspection) tellAt(t tree, index int, id, message, hint string, path ...string) {
	if !in.wants(t.file, id) {
		return
	}
	keys := append(t.path(problem{task: index}), path...)
	in.tell(Finding{
		Place: in.sources.locate(t.file, keys), Severity: SeverityWarning, Message: message, Hint: hint, ID: id,
	})
}

// meantOption returns the option that users of other systems mean by a key (control K121), or "".
func meantOption(key string) string {
	switch key {
	case "pool", "pool_slots", "priority_weight", "weight_rule":
		return "_" + key
	case "retries":
		return keyRetry
	case "max_active_tis_per_dag", "task_concurrency":
		return keyConcurrency
	case "max_active_runs":
		return keyMaxActiveAttempts
	case "default_args":
		return keyDefaults
	}
	return ""
}

// nearOptions returns the keys that a mistyped one may mean, among all that Trowel knows (control
// K114).
func nearOptions(key string, others []string) []string {
	if meant := meantOption(key); meant != "" {
		return []string{meant}
	}
	return param.Similar(key, slices.Concat(others, optionKeys(), []string{keyDefaults}))
}
