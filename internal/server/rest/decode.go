package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// DecodeJSON reads a document. Its errors name JSON types, not Go types, and the place.
func DecodeJSON(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	if err == nil {
		return nil
	}
	message := err.Error()
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		what := "the body"
		if wrong.Field != "" {
			what = wrong.Field
		}
		message = fmt.Sprintf("%s must be %s, not %s", what, jsonKind(wrong.Type), jsonValue(wrong.Value))
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		message = fmt.Sprintf("the body is no JSON: %s, after %d bytes", syntax.Error(), syntax.Offset)
	}
	return Invalid("%s", message).Because(err)
}

// jsonKind names the JSON type of a Go type.
func jsonKind(t reflect.Type) string {
	switch kind := t.Kind(); {
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.String:
		return "a string"
	case kind == reflect.Slice, kind == reflect.Array:
		return "a list"
	case t.ConvertibleTo(reflect.TypeFor[int64]()) && kind != reflect.Float32 && kind != reflect.Float64:
		return "an integer"
	case kind == reflect.Float32, kind == reflect.Float64:
		return "a number"
	}
	return "an object"
}

// jsonValue names the JSON type that package json has found.
func jsonValue(found string) string {
	switch found {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	case "string", "number":
		return "a " + found
	}
	return found
}
