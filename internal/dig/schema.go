package dig

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
)

// taskForm is a regular expression of the names of tasks (language C12).
const taskForm = "^\\+[A-Za-z0-9_\\-=\\[\\]{}%&@`,.]*$"

// schemaDraft is the version of JSON Schema that all editors support.
const schemaDraft = "http://json-schema.org/draft-07/schema#"

// Schema returns a JSON Schema (draft 7) of workflow files, for editors, built from a Catalog. It accepts
// every file in which Check finds nothing, with one exception: _do of a loop must be beside it, not in an
// _export above. It sees one file only, and knows nothing about an expression except that it is there.
func Schema(catalog Catalog) *param.Map {
	options := optionSchemas()
	operators := slices.Sorted(maps.Keys(catalog.Operators))
	b := schemaBuilder{catalog: catalog, operators: operators, options: options, docs: directiveDocs()}
	definitions := param.Of(
		"task", b.task(), "group", b.group(), "operator", b.operator(),
		"retry", retrySchema(), "schedule", scheduleSchema(b.docs[keySchedule]), "sla", b.sla(),
		"defaults", defaultsSchema(options, b.docs[keyDefaults]), "plain", plainSchema(),
	)
	for _, name := range operators {
		definitions.Set("operator-"+name, b.oneOperator(name, catalog.Operators[name]))
	}
	s := param.Of("$schema", schemaDraft, "title", "workflow of Trowel or Digdag", "type", "object")
	properties := param.New()
	for _, key := range append([]string{keyTimezone, keyExport}, topLevelKeys()...) {
		properties.Set(key, b.directive(key))
	}
	for _, key := range append(append(optionKeys(), keyDefaults), ControlKeys()...) {
		properties.Set(key, b.directive(key))
	}
	closed(s, properties)
	patterns, _ := s.Get("patternProperties")
	patterns.(*param.Map).Set(taskForm, b.child())
	s.Set("definitions", definitions)
	return s
}

// schemaBuilder builds the parts of a Schema.
type schemaBuilder struct {
	catalog   Catalog
	operators []string
	options   map[string]*param.Map
	docs      map[string]string
}

func reference(name string) *param.Map { return param.Of("$ref", "#/definitions/"+name) }

// described returns a reference with a description. Some editors ignore what is beside a reference.
func described(name, doc string) *param.Map { return about(reference(name), doc) }

// directive returns the schema of a directive's value on a file or a group.
func (b *schemaBuilder) directive(key string) *param.Map {
	if option, ok := b.options[key]; ok {
		return option
	}
	doc := b.docs[key]
	switch key {
	case keyTimezone:
		return Value{Kind: Text, Doc: doc}.schema(false)
	case keySchedule:
		return described("schedule", doc)
	case keySLA:
		return described("sla", doc)
	case keyExport:
		return about(param.Of("type", param.List{"object", "null"}), doc)
	case keyParallel:
		return parallelSchema(doc, false)
	case keyBackground, keyDisable:
		return Value{Kind: Boolean, Doc: doc}.schema(false)
	case keyAfter:
		return about(param.Of("type", param.List{"array", "null"}, "items", Value{Kind: Text}.schema(false)), doc)
	case keyRetry:
		return described("retry", doc)
	case keyDefaults:
		return described("defaults", doc)
	case keyError:
		return b.body(doc, false)
	case keyCheck, keyDo, keyElseDo:
		return b.body(doc, true)
	}
	return about(param.New(), doc)
}

// body returns the schema of what contains an operator or tasks. If it is evaluated, an expression is accepted as well.
func (b *schemaBuilder) body(doc string, evaluated bool) *param.Map {
	s := param.Of("type", param.List{"object", "null"}, "if", param.Of("type", "object"), "then", reference("task"))
	if evaluated {
		s.Set("type", param.List{"object", "string", "null"})
		s.Set("pattern", expressionForm)
		s.Set("patternErrorMessage", "write an operator or tasks, or an expression ${...}")
	}
	return about(s, doc)
}

// child returns the schema of the value of a task's name: an object, or a list of objects that are merged (language C5).
func (b *schemaBuilder) child() *param.Map {
	return param.Of(
		"type", param.List{"object", "array"}, "items", param.Of("type", "object"),
		"if", param.Of("type", "object"), "then", reference("task"),
	)
}

// task returns the schema of the body of a task: the keys that an editor offers, and the rules for groups and operators.
// A task that is disabled, or into which another object is merged, may contain anything.
func (b *schemaBuilder) task() *param.Map {
	properties := param.New()
	for _, name := range b.operators {
		properties.Set(name+">", about(param.New(), b.operatorDoc(name)))
	}
	for _, d := range Directives() {
		if isGroupKey(d.Key) && !belongsToFile(d.Key) || slices.Contains(directives(), d.Key) {
			properties.Set(d.Key, about(param.New(), d.Doc))
		}
	}
	off := param.Of("required", param.List{keyDisable}, "properties", param.Of(keyDisable,
		param.Of("not", param.Of("enum", param.List{false, int64(0), nil, "", "null", "false", "False"}))))
	merged := param.Of("not", param.Of("propertyNames", param.Of("not", param.Of("enum", mergedKeys()))))
	return param.Of(
		"type", "object", "properties", properties,
		"if", param.Of("anyOf", param.List{off, merged}),
		"else", param.Of(
			"if", hasKey(param.Of("pattern", ">$"), param.Of("const", keyType)),
			"then", reference("operator"), "else", reference("group"),
		),
	)
}

// hasKey returns the schema of objects with a key that one of several schemas accepts.
func hasKey(keys ...param.Value) *param.Map {
	return param.Of("not", param.Of("propertyNames", param.Of("not", param.Of("anyOf", keys))))
}

func (b *schemaBuilder) operatorDoc(name string) string {
	known := b.catalog.Operators[name]
	switch {
	case known.Doc == "":
		return known.Command.Description()
	case known.Command.Doc == "":
		return known.Doc
	}
	return known.Doc + ": " + known.Command.Description()
}

// belongsToFile reports whether a key only has an effect at the top of a file. Groups may have it, too.
func belongsToFile(key string) bool {
	return key == keySchedule || key == keySLA || key == keyTimezone || slices.Contains(ControlKeys(), key)
}

// group returns the schema of a task without operator.
func (b *schemaBuilder) group() *param.Map {
	properties := param.New()
	for _, d := range Directives() {
		switch {
		case !isGroupKey(d.Key):
		case belongsToFile(d.Key):
			properties.Set(d.Key, param.New()) // has no effect here
		default:
			properties.Set(d.Key, b.directive(d.Key))
		}
	}
	s := param.New()
	closed(s, properties)
	patterns, _ := s.Get("patternProperties")
	patterns.(*param.Map).Set(taskForm, b.child())
	return s
}

// operator returns the schema of a task with any operator. Keys that are almost spelled like a directive are refused
// where no expression can name them.
func (b *schemaBuilder) operator() *param.Map {
	properties := param.Of(keyDefaults, false, keyRate, false)
	for key, value := range directiveValues() {
		if key != keyCheck && key != keyDo && key != keyElseDo && key != keyRetry {
			value.Doc = b.docs[key]
			properties.Set(key, value.schema(true))
		}
	}
	env, _ := properties.Get(keyEnv)
	env.(*param.Map).Set("propertyNames", param.Of("pattern", "^([A-Za-z_][A-Za-z0-9_]*|null)?$|^<<$"))
	for _, key := range append(optionKeys(), keyExport, keyRetry, keyError, keyCheck, keyDo, keyElseDo, keyBackground, keyAfter, keyDisable) {
		properties.Set(key, b.directive(key))
	}
	all := param.List{param.Of(
		"if", reference("plain"),
		"then", param.Of("patternProperties", param.Of(misspelled(directives(), optionKeys()), false)),
	)}
	for _, name := range b.operators {
		all = append(all, param.Of("if", param.Of("required", param.List{name + ">"}), "then", reference("operator-"+name)))
	}
	names := param.List{param.Of("const", keyType), param.Of("not", param.Of("pattern", ">$"))}
	for _, name := range b.operators {
		names = append(names, param.Of("const", name+">"))
	}
	return param.Of(
		"properties", sorted(properties), "patternProperties", param.Of(`^\+`, false),
		"propertyNames", param.Of("anyOf", names), "allOf", all,
	)
}

// sorted returns a map with sorted keys, as a Go map has no order.
func sorted(m *param.Map) *param.Map {
	ordered := param.New()
	for _, key := range slices.Sorted(slices.Values(m.Keys())) {
		value, _ := m.Get(key)
		ordered.Set(key, value)
	}
	return ordered
}

// oneOperator returns the schema of a task with a certain operator.
func (b *schemaBuilder) oneOperator(name string, known Operator) *param.Map {
	command := known.Command
	command.Doc, command.Default = b.operatorDoc(name), ""
	key := command.schema(true)
	if known.NeedsCommand {
		key.Set("not", param.Of("type", "null"))
	}
	properties := param.Of(name+">", key)
	for _, option := range slices.Sorted(maps.Keys(known.Keys)) {
		properties.Set(option, known.Keys[option].schema(true))
	}
	for _, block := range known.Blocks {
		if outer, _, inner := strings.Cut(block, "."); !inner && !properties.Has(outer) {
			properties.Set(outer, Value{Kind: Object, Fields: known.Keys, Others: &Value{}}.schema(true))
		}
	}
	s := param.Of("properties", properties)
	if known.Generates && name != "if" {
		properties.Set(keyParallel, parallelSchema(b.docs[keyParallel], true))
		s.Set("required", param.List{keyDo})
	} else if known.Generates {
		s.Set("anyOf", param.List{param.Of("required", param.List{keyDo}), param.Of("required", param.List{keyElseDo})})
	}
	s.Set("propertyNames", param.Of("anyOf", param.List{ // a second operator
		param.Of("const", name+">", "errorMessage", "the task has another operator: "+name+">"), param.Of("not", param.Of("pattern", ">$")),
	}))
	if !known.Open { // what nothing reads is reported where no expression can name it
		names := param.List{name + ">", name}
		for _, key := range slices.Concat(slices.Sorted(maps.Keys(known.Keys)), directives(), optionKeys()) {
			names = append(names, key)
		}
		s.Set("if", reference("plain"))
		s.Set("then", param.Of("propertyNames", param.Of("enum", names, "errorMessage", "nothing reads this key")))
	}
	return s
}

// sla returns the schema of the block sla: a time, and the body of a task beside it (language S43).
func (b *schemaBuilder) sla() *param.Map {
	clock := "^[-+]?[0-9]+:[-+]?[0-9]+(:[-+]?[0-9]+)?$"
	text := func(doc string) *param.Map {
		return param.Of("type", "string", "pattern", clock, "patternErrorMessage", "write HH:MM or HH:MM:SS", "description", doc)
	}
	return param.Of(
		"type", "object",
		"properties", param.Of(
			"time", text("the time of day at which an attempt is late: HH:MM"), "duration", text("how long an attempt may take: HH:MM:SS"),
			"alert", Value{Kind: Boolean, Doc: "whether a notification is sent; true"}.schema(false),
			"fail", Value{Kind: Boolean, Doc: "whether the attempt fails; false"}.schema(false),
		),
		"patternProperties", param.Of(taskForm, b.child()),
		"anyOf", param.List{param.Of("required", param.List{"time"}), param.Of("required", param.List{"duration"}), hasKey(param.Of("enum", mergedKeys()))},
	)
}

// retrySchema returns the schema of the value of _retry.
func retrySchema() *param.Map {
	fields, required := nestedKeys(keyRetry)
	docs := map[string]string{
		"limit": "how many times it is tried again", "interval": "seconds before the first of these",
		"interval_type": "`constant`, or `exponential`: twice as long each time", "max_interval": "the longest interval, in seconds",
	}
	for key, doc := range docs {
		fields[key] = fields[key].About(doc)
	}
	object := Value{Kind: Object, Fields: fields, Required: required}.schema(true)
	members, _ := object.Get("properties")
	kind, _ := members.(*param.Map).Get("interval_type")
	kind.(*param.Map).Set("anyOf", param.List{
		param.Of("enum", param.List{"constant", "exponential", nil}),
		param.Of("pattern", "^([cC][oO][nN][sS][tT][aA][nN][tT]|[eE][xX][pP][oO][nN][eE][nN][tT][iI][aA][lL])$|"+expressionForm),
	})
	return union("", Value{Kind: Integer}.schema(true), object, nil)
}

// parallelSchema returns the schema of the value of _parallel.
func parallelSchema(doc string, evaluated bool) *param.Map {
	fields, required := nestedKeys(keyParallel)
	simple := Value{Kind: Boolean}.schema(evaluated)
	simple.Set("type", param.List{"boolean", "string"})
	if evaluated {
		simple.Set("type", param.List{"boolean", "string", "null"})
	}
	return union(doc, simple, Value{Kind: Object, Fields: fields, Required: required}.schema(evaluated), nil)
}

// scheduleSchema returns the schema of the block schedule (language S1 to S12).
func scheduleSchema(doc string) *param.Map {
	properties := param.New()
	kinds := param.List{param.Of("required", param.List{keyType}), hasKey(param.Of("enum", mergedKeys()))}
	for _, kind := range schedule.Kinds() {
		v := param.Of("type", "string", "description", kind.Doc)
		if kind.Form == "" || regexp.MustCompile(kind.Form).MatchString("1") {
			v.Set("type", param.List{"string", "number"})
		}
		if kind.Form != "" {
			v.Set("pattern", kind.Form)
			v.Set("patternErrorMessage", "write "+kind.Doc)
		}
		properties.Set(kind.Name+">", v)
		kinds = append(kinds, param.Of("required", param.List{kind.Name + ">"}))
	}
	for key, v := range map[string]Value{
		"skip_on_overtime": Value{Kind: Boolean}.About("whether a session is skipped while one of the workflow is running; false"),
		"skip_delayed_by":  Value{Kind: Duration}.About("a session that is later than this is skipped: `3m`, `1h 30m`"),
		"start":            Value{Kind: Text}.About("no session runs before this day: `2026-01-31`"),
		"end":              Value{Kind: Text}.About("no session runs after this day: `2026-01-31`"),
		"delay":            Value{Kind: Integer}.About("how many seconds later than the session time it runs"),
		"at":               Value{Kind: Text}.About("what stands behind the kind, where that is named by `_type`"),
		keyType:            Value{Kind: Text}.About("the kind"),
		keyCommand:         Value{}.About("what stands behind the kind"),
	} {
		properties.Set(key, v.schema(false))
	}
	s := param.Of("type", "object", "description", doc)
	closed(s, sorted(properties))
	s.Set("anyOf", kinds)
	return s
}

// plainSchema returns the schema of a value without expressions at any depth.
func plainSchema() *param.Map {
	return param.Of(
		"not", param.Of("type", "string", "pattern", expressionForm),
		"propertyNames", param.Of("not", param.Of("pattern", expressionForm)),
		"additionalProperties", reference("plain"), "items", reference("plain"),
	)
}
