package dig

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// fault is what is wrong with a value. path leads from the value to the mistake.
type fault struct {
	path    []string
	message string
	hint    string
}

// judge finds what is wrong with the value of a key. name is the key for people. It skips values with expressions, which
// may become anything.
func judge(name string, value param.Value, v Value) []fault {
	if text, ok := value.(string); ok && isTemplate(text) || value == nil {
		return nil
	}
	wanted, hint := v.wants(value)
	if wanted != "" {
		return []fault{{message: fmt.Sprintf("'%s' must be %s, but is %s", name, wanted, sampleOf(value)), hint: hint}}
	}
	var faults []fault
	switch value := value.(type) {
	case *param.Map:
		faults = judgeObject(name, value, v)
	case param.List:
		if v.Items == nil {
			break
		}
		for i, item := range value {
			faults = append(faults, judge(fmt.Sprintf("%s[%d]", name, i), item, *v.Items)...)
		}
	}
	if len(faults) == 0 && v.Check != nil && !hasTemplate(value) {
		if err := v.Check(value); err != nil {
			message := inOwnWords(err.Error())
			switch {
			case strings.HasPrefix(message, "'"+name):
			case strings.HasPrefix(message, "must "):
				message = "'" + name + "' " + message
			default:
				message = fmt.Sprintf("'%s': %s", name, message)
			}
			return []fault{{message: message}}
		}
	}
	return faults
}

// What values should be, in words.
const (
	wantedObject  = "an object with keys of its own"
	wantedInstant = "a date and time with an offset"
)

// DurationHint says how to write a length of time.
const DurationHint = "write days, hours, minutes and seconds, such as `1h 30m` or `10s`"

// wants says what a value should be and how to write that. Both are empty if the value is right.
func (v Value) wants(value param.Value) (wanted, hint string) {
	text, isScalar := param.AsString(value)
	_, isText := value.(string)
	_, isList := value.(param.List)
	_, isObject := value.(*param.Map)
	ok := true
	switch v.Kind {
	case Anything:
	case Text:
		wanted, ok = "a text", isScalar
		if object, _ := value.(*param.Map); isObject && object.Len() == 1 && strings.HasPrefix(object.Keys()[0], "{") {
			hint = quoteHint + "{"
		}
		if isList {
			hint = "write one text; for more lines, put `|` behind the colon and indent them below"
		}
	case Integer:
		wanted, hint = "a whole number", ""
		_, ok = param.AsInt(value)
	case Boolean:
		wanted = "true or false"
		_, ok = param.AsBool(value)
		hint = booleanHint(text)
	case List:
		wanted, hint, ok = "a list", "write a list: `[a, b]`, or each item in a line of its own that begins with `- `", isList
	case Object:
		wanted, ok = wantedObject, isObject
	case JSONObject:
		wanted, ok = wantedObject, isObject || isText && isJSON[*param.Map](text)
	case JSONList:
		wanted, hint, ok = "a list", "write a list: `[a, b]`", isList || isText && isJSON[param.List](text)
	case TextOrList:
		wanted, ok = "a text or a list", isScalar || isList
	case Duration:
		wanted, hint = "a length of time", DurationHint
		_, err := param.ParseDuration(text)
		ok = isScalar && err == nil
	case Instant:
		wanted, hint = wantedInstant, "write it as 2026-01-31T00:00:00+09:00, or ${session_time}"
		ok = isText && isInstant(text)
	}
	if ok && len(v.Choices) > 0 && !slices.Contains(v.Choices, text) {
		wanted, hint, ok = alternatives(v.Choices), didYouMean(param.Similar(text, v.Choices)), false
	}
	if ok {
		return "", ""
	}
	return wanted, hint
}

// booleanHint suggests the boolean that a word means, or an expression for a comparison.
func booleanHint(text string) string {
	switch strings.ToLower(text) {
	case "yes", "on", "y", "t", "yep":
		return didYouMean([]string{"true"})
	case "no", "off", "n", "f", "nope":
		return didYouMean([]string{"false"})
	}
	if strings.ContainsAny(text, "=<>!&|") {
		return "write it as an expression: `${" + text + "}`"
	}
	return didYouMean(param.Similar(text, []string{"true", "false"}))
}

// judgeObject finds what is wrong with the keys of an object.
func judgeObject(name string, object *param.Map, v Value) []fault {
	if v.Fields == nil && v.Others == nil {
		return nil
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(v.Fields)), func(key string) bool { return v.Fields[key].Kind == Anything })
	var faults []fault
	var culprits []string
	for _, key := range v.Required {
		if value, _ := object.Get(key); value == nil {
			f := missingKey(name, key, object, v)
			faults, culprits = append(faults, f), append(culprits, f.path...)
		}
	}
	for key, inner := range object.All() {
		field, known := v.Fields[key]
		if !known && v.Others != nil {
			field, known = *v.Others, true
		}
		switch {
		case known && inner == nil && field.Kind == JSONList:
			faults = append(faults, fault{
				path: []string{key}, message: fmt.Sprintf(commandMissing, name+"."+key), hint: "write a list: `[a, b]`",
			})
		case known:
			for _, f := range judge(name+"."+key, inner, field) {
				f.path = append([]string{key}, f.path...)
				faults = append(faults, f)
			}
		case !slices.Contains(culprits, key):
			near := slices.DeleteFunc(param.Similar(key, names), object.Has)
			hint := didYouMean(near)
			if hint == "" {
				hint = "remove it: " + name + " takes " + alternativesAnd(names)
			}
			faults = append(faults, fault{
				path: []string{key}, message: fmt.Sprintf("'%s' does not read the key '%s'", name, key), hint: hint,
			})
		}
	}
	return faults
}

// missingKey returns the fault of an object without a key. If a key has almost that spelling, it is reported instead.
func missingKey(name, key string, object *param.Map, v Value) fault {
	f := fault{message: fmt.Sprintf("'%s' needs the key '%s'", name, key)}
	unknown := slices.DeleteFunc(object.Keys(), func(other string) bool { return known(v.Fields, other) })
	if near := param.Similar(key, unknown); len(near) > 0 {
		f.path = near[:1]
		f.message = fmt.Sprintf("'%s' needs the key '%s', and does not read '%s'", name, key, near[0])
		f.hint = didYouMean([]string{key})
	}
	return f
}

func known(fields map[string]Value, key string) bool {
	_, ok := fields[key]
	return ok
}

func alternativesAnd(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// isJSON reports whether a text is JSON of a T.
func isJSON[T param.Value](text string) bool {
	value, err := param.Parse(text)
	_, ok := value.(T)
	return err == nil && ok
}

// isInstant reports whether operators read a text as an instant. One with a region in brackets is not checked further.
func isInstant(text string) bool {
	text, _, _ = strings.Cut(strings.ToUpper(text), "[")
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00"} {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return false
}

// sampleOf returns a value for a message.
func sampleOf(value param.Value) string { return shortened(param.JSON(value)) }

// shortened returns a text in one line, cut to a length that fits into a message.
func shortened(text string) string {
	const longest = 60
	sample := []rune(strings.Join(strings.Fields(text), " "))
	if len(sample) > longest {
		sample = append(sample[:longest-3], []rune("...")...)
	}
	return string(sample)
}
