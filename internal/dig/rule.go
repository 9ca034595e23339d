package dig

import "strings"

// Rules of findings, by which programs distinguish them. They never change their meaning.
const (
	ruleSyntax     = "syntax"
	ruleDuplicate  = "duplicate-key"
	ruleInclude    = "include"
	ruleEncoding   = "encoding"
	ruleKey        = "unknown-key"
	ruleBody       = "task-body"
	ruleName       = "name"
	ruleOrder      = "order"
	ruleZone       = "time-zone"
	ruleSchedule   = "schedule"
	ruleSLA        = "sla"
	ruleValue      = "value"
	ruleOperator   = "unknown-operator"
	ruleUnused     = "unused-key"
	ruleCall       = "missing-file"
	ruleRequire    = "missing-workflow"
	ruleExpression = "expression"
	ruleNoWorkflow = "no-workflow"
	ruleRefused    = "refused"
)

// Rule is a rule. About says in one line what it finds.
type Rule struct{ Name, About string }

// Rules returns all rules. Those about what Trowel adds to the language (control K121) come last.
func Rules() []Rule {
	return []Rule{
		{ruleSyntax, "the file is no YAML, or not of the kind that is read"},
		{ruleDuplicate, "a key stands twice in one object, or in two items of a task that is a list"},
		{ruleInclude, "a file that `!include` names cannot be read"},
		{ruleEncoding, "the file is not written in UTF-8"},
		{ruleKey, "a key has no meaning on a group, or at the top of a file"},
		{ruleBody, "the body of a task is no task: it has two operators, or an operator and tasks, or is no object"},
		{ruleName, "the name of a task or file has characters that names do not have"},
		{ruleOrder, "`_after`, `_background` or `_parallel` cannot be followed"},
		{ruleZone, "there is no such time zone"},
		{ruleSchedule, "the schedule cannot be read, or will surprise"},
		{ruleSLA, "the block `sla` cannot be read"},
		{ruleValue, "a value is not of the kind that is read there, or a key is missing"},
		{ruleOperator, "there is no such operator"},
		{ruleUnused, "nothing reads the key"},
		{ruleCall, "`call>` names a file that is not there"},
		{ruleRequire, "`require>` names a workflow that is not there"},
		{ruleExpression, "an expression `${...}` has a syntax error, is not closed, or is written as in another system"},
		{ruleNoWorkflow, "the folder has no workflow"},
		{ruleRefused, "everything else that a push refuses"},
		{findingPlace, "an option stands where it has no meaning"},
		{findingTemplate, "an option that is never evaluated has an expression"},
		{findingExport, "an option below `_export` is a parameter and no option"},
		{findingSpelling, "a key of another system stands for an option"},
		{findingValue, "the value of an option is of a wrong type or out of its bounds"},
		{findingLater, "an option is not in this version"},
		{findingPool, "the server has no such pool"},
		{findingLimit, "no agent of the server keeps a limit of `_limits`, or allows it"},
		{findingDigdag, "Digdag does not know it (`--digdag`)"},
	}
}

// ruleOf returns the rule for a message of the loader or the compiler.
func ruleOf(message string) string {
	for _, r := range ruleTexts() {
		if strings.Contains(message, r.text) {
			return r.rule
		}
	}
	return ruleRefused
}

type ruleText struct{ text, rule string }

// ruleTexts are tried in order.
func ruleTexts() []ruleText {
	return []ruleText{
		{"unknown keys", ruleKey},
		{"invalid keys", ruleKey},
		{"No such file", ruleInclude},
		{"File includes itself", ruleInclude},
		{"must not include ..", ruleInclude},
		{"files are included", ruleInclude},
		{"for key 'timezone'", ruleZone},
		{"there is no time zone", ruleZone},
		{"Schedule config", ruleSchedule},
		{"scheduler type", ruleSchedule},
		{"at schedule", ruleSchedule},
		{"Invalid start: ", ruleSchedule},
		{"Invalid end: ", ruleSchedule},
		{"The schedule of end", ruleSchedule},
		{"cron pattern", ruleSchedule},
		{"ly>:", ruleSchedule},
		{"ly> scheduler", ruleSchedule},
		{"_interval>", ruleSchedule},
		{"Parameter 'schedule'", ruleSchedule},
		{"SLA ", ruleSLA},
		{"Parameter 'sla'", ruleSLA},
		{"more than one operator", ruleBody},
		{"can't have subtasks", ruleBody},
		{"must be an object or array", ruleBody},
		{"Expected object but got", ruleBody},
		{"must not contain", ruleName},
		{"must not start", ruleName},
		{"must not include special", ruleName},
		{"special symbols", ruleName},
		{"must not be blank", ruleName},
		{"Dependency task", ruleOrder},
		{"invalid (unnecessary)", ruleOrder},
		{"invalid if its parent", ruleOrder},
		{"_parallel format", ruleOrder},
		{"for key '_after'", ruleOrder},
		{"Expected object to load", ruleSyntax},
		{"must be an object", ruleValue},
		{"is required but", ruleValue},
		{"for key '", ruleValue},
	}
}
