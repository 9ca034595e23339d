package dig

import (
	"maps"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Regular expressions in the syntax that editors and Go have in common.
const (
	expressionForm = `\$\{`
	blank          = `[\x00-\x20]*`
	integerForm    = "^" + blank + "([-+]?[0-9]+|null)?" + blank + "$"
	booleanForm    = "^" + blank + "(true|True|false|False|null)?" + blank + "$"
	durationForm   = `^\s*([0-9]+\s*[dD])?\s*([0-9]+\s*[hH])?\s*([0-9]+\s*[mM])?\s*([0-9]+\s*[sS])?\s*$`
	instantForm    = `^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?([Zz]|[-+][0-9]{2}:[0-9]{2})(\[.*)?$`
	noText         = "$^" // matches no text
)

// mergedKeys returns what an editor sees as the key where another object is inserted, with `!include :` or `<<:`. The
// content of that object is not known.
func mergedKeys() param.List { return param.List{"", "null", "<<"} }

// shape returns the JSON types of a value, the form of its texts, and what to say about a text with
// another form.
func (v Value) shape() (types param.List, form, must string) {
	switch v.Kind {
	case Text:
		return param.List{"string", "number", "boolean", "null"}, "", ""
	case Integer:
		return param.List{"number", "string", "null"}, integerForm, "write a whole number"
	case Boolean:
		return param.List{"boolean", "integer", "string", "null"}, booleanForm, "write true or false"
	case List:
		return param.List{"array", "string", "null"}, noText, "write a list: [a, b]"
	case Object:
		return param.List{"object", "string", "null"}, noText, "write " + wantedObject
	case JSONObject:
		return param.List{"object", "string", "null"}, `^\s*\{`, "write " + wantedObject
	case JSONList:
		return param.List{"array", "string", "null"}, `^\s*\[`, "write a list: [a, b]"
	case TextOrList:
		return param.List{"string", "array", "number", "boolean", "null"}, "", ""
	case Duration:
		return param.List{"string", "null"}, durationForm, "write days, hours, minutes and seconds, such as 1h 30m"
	case Instant:
		return param.List{"string", "null"}, instantForm, "write it as 2026-01-31T00:00:00+09:00"
	case Anything:
	}
	return nil, "", ""
}

// schema returns the JSON Schema of a value. If it is evaluated, it may have expressions.
func (v Value) schema(evaluated bool) *param.Map {
	s := param.New()
	types, form, must := v.shape()
	if len(types) > 0 {
		s.Set("type", types)
	}
	switch {
	case len(v.Choices) > 0:
		s.Set("anyOf", choices(v.Choices, evaluated))
	case form != "" && evaluated:
		s.Set("pattern", form+"|"+expressionForm)
		s.Set("patternErrorMessage", must+", or an expression ${...}")
	case form != "":
		s.Set("pattern", form)
		s.Set("patternErrorMessage", must)
	}
	if v.Fields != nil || v.Others != nil {
		v.members(s, evaluated)
	}
	if v.Items != nil {
		s.Set("items", v.Items.schema(evaluated))
	}
	return about(s, v.Description())
}

// about adds a description, which editors show.
func about(s *param.Map, doc string) *param.Map {
	if doc != "" {
		s.Set("description", doc)
	}
	return s
}

// choices returns the schemas of several texts. An editor offers the first one.
func choices(texts []string, evaluated bool) param.List {
	list := param.List{}
	for _, text := range texts {
		list = append(list, text)
	}
	schemas := param.List{param.Of("enum", append(list, nil))}
	if evaluated {
		schemas = append(schemas, param.Of("type", "string", "pattern", expressionForm))
	}
	return schemas
}

// members adds the schemas of the keys of an object.
func (v Value) members(s *param.Map, evaluated bool) {
	properties := param.New()
	for _, key := range slices.Sorted(maps.Keys(v.Fields)) {
		properties.Set(key, v.Fields[key].schema(evaluated))
	}
	closed(s, properties)
	if v.Others != nil {
		s.Set("additionalProperties", v.Others.schema(evaluated))
	}
	require(s, v.Required...)
}

// closed turns s into the schema of an object with these properties and no others.
func closed(s, properties *param.Map) {
	s.Set("properties", properties)
	s.Set("patternProperties", param.Of(mergedForm(), param.New()))
	s.Set("additionalProperties", false)
}

// mergedForm returns a regular expression that matches mergedKeys.
func mergedForm() string {
	var forms []string
	for _, key := range mergedKeys() {
		text, _ := param.AsString(key)
		forms = append(forms, text)
	}
	return "^(" + strings.Join(forms, "|") + ")$"
}

// require adds required keys, unless another object is merged.
func require(s *param.Map, keys ...string) {
	list := param.List{}
	for _, key := range keys {
		list = append(list, key)
	}
	if len(list) > 0 {
		s.Set("if", param.Of("propertyNames", param.Of("not", param.Of("enum", mergedKeys()))))
		s.Set("then", param.Of("required", list))
	}
}

// union returns the schema of a text, number or boolean, or of an object, or of one of these and a list of
// items. object and items may be nil.
func union(doc string, simple, object, items *param.Map) *param.Map {
	s := simple.Clone()
	value, _ := s.Get("type")
	types, _ := value.(param.List)
	types = slices.Clone(types)
	if object != nil {
		types = append(types, "object")
		for key, value := range object.All() {
			if !strings.HasPrefix(key, "pattern") || key == "patternProperties" {
				s.Set(key, value)
			}
		}
	}
	if items != nil {
		types = append(types, "array")
		s.Set("items", items)
	}
	s.Set("type", types)
	return about(s, doc)
}
