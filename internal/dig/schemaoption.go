package dig

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// optionSchemas returns the schemas of the options and limits that Trowel adds (control K802 to K823), by their keys.
func optionSchemas() map[string]*param.Map {
	doc := directiveDocs()
	pool := Value{
		Kind: Object, Fields: map[string]Value{"name": {Kind: Text}, "slots": {Kind: Integer}}, Required: []string{"name"},
	}
	concurrency := Value{
		Kind: Object, Required: []string{"limit"}, Fields: map[string]Value{
			"limit": Value{Kind: Integer}.About("how many"),
			"per": Value{Kind: Text, Choices: []string{trowel.PerWorkflow, trowel.PerAttempt, trowel.PerProject, trowel.PerSite}}.
				About("among which tasks it counts"),
			"key":             Value{Kind: Text}.About("tasks with the same key count together; the full name of the task"),
			"on_limit":        Value{Kind: Text, Choices: []string{"wait", "fail"}}.About("what a task does that is one too many; wait"),
			"include_waiting": Value{Kind: Boolean}.About("whether tasks count that wait between tries; true"),
		},
	}
	queue := Value{Kind: Object, Fields: map[string]Value{
		"name":   Value{Kind: Text}.About("the queue; default"),
		"labels": Value{Kind: List, Items: &Value{Kind: Text}}.About("labels that the agent must have"),
	}}
	onePool := union("", Value{Kind: Text}.schema(true), pool.schema(true), nil)
	attempts := Value{
		Kind: Object, Required: []string{"limit"},
		Fields: map[string]Value{"limit": {Kind: Integer}, "on_exceed": {Kind: Text, Choices: []string{"wait", "reject"}}},
	}
	tasks := Value{Kind: Object, Fields: map[string]Value{"per_attempt": {Kind: Integer}, "per_workflow": {Kind: Integer}}}
	count := func(evaluated bool) *param.Map { return bounded(Value{Kind: Integer}.schema(evaluated), 1, maxCount) }
	return map[string]*param.Map{
		keyPool:              union(doc[keyPool], onePool, nil, onePool),
		keyPoolSlots:         about(count(true), doc[keyPoolSlots]),
		keyPriorityWeight:    about(bounded(Value{Kind: Integer}.schema(true), -maxWeight, maxWeight), doc[keyPriorityWeight]),
		keyWeightRule:        Value{Kind: Text, Choices: weightRules(), Doc: doc[keyWeightRule]}.schema(true),
		keyConcurrency:       union(doc[keyConcurrency], count(true), concurrency.schema(true), nil),
		keyQueue:             union(doc[keyQueue], Value{Kind: Text}.schema(true), queue.schema(true), nil),
		keyLimits:            limitsSchema(doc[keyLimits]),
		keyMaxActiveAttempts: union(doc[keyMaxActiveAttempts], count(false), attempts.schema(false), nil),
		keyMaxActiveTasks:    union(doc[keyMaxActiveTasks], count(false), tasks.schema(false), nil),
	}
}

// Regular expressions for parts of _limits, in the syntax that editors and Go have in common.
const (
	sizeForm  = `^\s*[0-9]+(\.[0-9]+)?\s*([kKmMgGtTpP]?[bB]|[kKmMgGtTpP]i[bB])?\s*$`
	coresForm = `^\s*[0-9]+(\.[0-9]+)?\s*$`
)

// limitsSchema returns the schema of _limits (control K823).
func limitsSchema(doc string) *param.Map {
	number := func(form, must, doc string) *param.Map {
		return param.Of("type", param.List{"number", "string", "null"}, "pattern", form+"|"+expressionForm,
			"patternErrorMessage", must+", or an expression ${...}", "description", doc)
	}
	size := func(doc string) *param.Map { return number(sizeForm, "write a size, such as 512MiB or 2GiB", doc) }
	s := param.Of("type", param.List{"object", "null"})
	closed(s, param.Of(
		trowel.LimitMemory, size("memory of all processes together"),
		trowel.LimitCPU, number(coresForm, "write a number of cores, such as 1.5", "cores"),
		trowel.LimitPIDs, about(bounded(Value{Kind: Integer}.schema(true), 1, maxCount), "processes and threads"),
		trowel.LimitDisk, size("what the folder of the task may grow to"),
	))
	return about(s, doc)
}

// bounded adds bounds to the schema of a number.
func bounded(s *param.Map, least, most int) *param.Map {
	s.Set("minimum", int64(least))
	s.Set("maximum", int64(most))
	return s
}

// defaultsSchema returns the schema of the value of _defaults (control K107).
func defaultsSchema(options map[string]*param.Map, doc string) *param.Map {
	properties := param.New()
	for _, key := range optionKeys() {
		properties.Set(key, options[key])
	}
	properties.Set(keyRetry, param.Of("$ref", "#/definitions/retry"))
	s := param.Of("type", param.List{"object", "null"})
	closed(s, properties)
	return about(s, doc)
}

// directiveDocs returns the descriptions of directives by their keys.
func directiveDocs() map[string]string {
	docs := map[string]string{}
	for _, d := range Directives() {
		docs[d.Key] = d.Doc
	}
	return docs
}
