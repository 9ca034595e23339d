package rest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
)

// document serves the description of all routes.
type document struct {
	routes  []Route
	version string
}

// ownRoutes are the paths of the document. swagger adds those where Digdag has it (server 2.6.9).
func (d *document) ownRoutes(swagger bool) []Route {
	list := []Route{
		{Method: "GET", Path: "/api/openapi.json", Name: "getOpenAPI", Handle: d.getJSON, ContentTypes: []string{jsonType}, About: "This document."},
	}
	if swagger {
		list = append(list,
			Route{Method: "GET", Path: "/api/swagger.json", Name: "getSwaggerJSON", Handle: d.getJSON, About: "The same as openapi.json."},
			Route{Method: "GET", Path: "/api/swagger.yaml", Name: "getSwaggerYAML", Handle: d.getYAML, About: "The same as YAML."})
	}
	return list
}

func (d *document) getJSON(*Call) (any, error) { return describe(d.routes, d.version), nil }

// describe returns the OpenAPI document of routes.
func describe(routes []Route, version string) map[string]any {
	d := &description{schemas: map[string]any{}}
	paths := map[string]map[string]any{}
	for i := range routes {
		r := &routes[i]
		path := plainPath(r.Path)
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(r.Method)] = d.operation(r)
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "Trowel", "version": version,
			"description": "The REST API of Digdag 0.10, and what Trowel adds to it.",
			"license":     map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"paths": paths,
		"components": map[string]any{
			"schemas": d.schemas,
			"securitySchemes": map[string]any{
				"basic":  map[string]any{"type": "http", "scheme": "basic"},
				"bearer": map[string]any{"type": "http", "scheme": "bearer"},
			},
		},
	}
}

func (d *document) getYAML(*Call) (any, error) {
	text, err := json.Marshal(describe(d.routes, d.version))
	if err != nil {
		return nil, err
	}
	value, err := param.ParseMap(string(text))
	if err != nil {
		return nil, err
	}
	yaml := param.AppendYAML(nil, value, 0)
	return File{
		ContentType: "application/yaml", SizeBytes: int64(len(yaml)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(yaml)), nil },
	}, nil
}

// plainPath returns a path without the sizes of its numbers.
func plainPath(path string) string {
	for _, bits := range []string{":32}", ":64}"} {
		path = strings.ReplaceAll(path, bits, "}")
	}
	return path
}

// description collects the schemas of all types.
type description struct{ schemas map[string]any }

func (d *description) operation(r *Route) map[string]any {
	answers := map[string]any{"200": d.answer(r)}
	for _, status := range r.errorStatuses() {
		answers[strconv.Itoa(status)] = d.errorAnswer(r, status)
	}
	if r.Ranges {
		part, _ := answers["200"].(map[string]any)
		answers["206"] = map[string]any{"description": "The part that Range names.", "content": part["content"]}
		answers["304"] = map[string]any{"description": "The caller has it already, as If-None-Match says."}
		answers["416"] = map[string]any{"description": "No byte is in the range."}
	}
	operation := map[string]any{
		"operationId": r.Name, "summary": r.About, "parameters": d.parameters(r), "responses": answers,
	}
	if r.Open {
		operation["security"] = []any{}
	}
	if r.Verb != "" {
		operation["security"] = []any{map[string]any{"basic": []any{}}, map[string]any{"bearer": []any{}}, map[string]any{}}
	}
	if len(r.Body.types) > 0 {
		content := map[string]any{}
		for _, contentType := range r.Body.types {
			content[contentType] = map[string]any{"schema": d.bodySchema(r.Body)}
		}
		operation["requestBody"] = map[string]any{"required": !r.Body.optional, "content": content}
	}
	return operation
}

// errorStatuses are the statuses other than 200 that a route can answer with.
func (r *Route) errorStatuses() []int {
	statuses := slices.AppendSeq([]int{503}, maps.Keys(r.Errors))
	if !r.Open {
		statuses = append(statuses, 401, 429)
	}
	if r.Verb != "" {
		statuses = append(statuses, 403)
	}
	if strings.Contains(r.Path, "{") || len(r.Query) > 0 || len(r.Body.types) > 0 {
		statuses = append(statuses, 400, 404)
	}
	if r.Method != "GET" || r.Verb == access.RunAgent {
		statuses = append(statuses, 409)
	}
	if r.Expects {
		statuses = append(statuses, 412)
	}
	if len(r.Body.types) > 0 {
		statuses = append(statuses, 413, 415)
	}
	if r.Redirects {
		statuses = append(statuses, 303)
	}
	return statuses
}

func (d *description) answer(r *Route) map[string]any {
	if r.Answer == nil {
		content := map[string]any{}
		for _, contentType := range r.ContentTypes {
			content[contentType] = map[string]any{}
		}
		if len(content) == 0 {
			content[GzipType] = map[string]any{}
		}
		return map[string]any{"description": "OK", "content": content}
	}
	return map[string]any{"description": "OK", "content": map[string]any{jsonType: map[string]any{"schema": d.schema(reflect.TypeOf(r.Answer))}}}
}

// errorAnswer describes the answer of an error.
func (d *description) errorAnswer(r *Route, status int) map[string]any {
	schema := d.schema(reflect.TypeFor[api.Error]())
	switch {
	case status == 303:
		return map[string]any{"description": "The file is at the address in Location."}
	case status == 404:
		return map[string]any{"description": "No such thing; a path, id or query value that does not fit has no body."}
	case r.Errors[status] != nil:
		schema = d.schema(reflect.TypeOf(r.Errors[status]))
	}
	return map[string]any{
		"description": "An error, with a sentence that says what is wrong.",
		"content":     map[string]any{jsonType: map[string]any{"schema": schema}},
	}
}

func (d *description) parameters(r *Route) []any {
	list := []any{}
	for part := range strings.SplitSeq(r.Path, "/") {
		inner, isParameter := strings.CutPrefix(part, "{")
		if !isParameter {
			continue
		}
		name, bits, isNumber := strings.Cut(strings.TrimSuffix(inner, "}"), ":")
		schema := map[string]any{"type": "string"}
		if isNumber {
			schema = map[string]any{"type": "integer", "format": "int" + bits}
		}
		list = append(list, map[string]any{"name": name, "in": "path", "required": true, "schema": schema})
	}
	for _, p := range r.Query {
		list = append(list, map[string]any{
			"name": p.Name, "in": "query", "required": false, "description": p.about, "schema": map[string]any{"type": p.kind},
		})
	}
	return list
}

func (d *description) bodySchema(b Body) any {
	if b.value == nil {
		return map[string]any{}
	}
	return d.schema(reflect.TypeOf(b.value))
}

// schema describes the JSON form of a type.
func (d *description) schema(t reflect.Type) map[string]any {
	if known := fixedSchemas()[t]; known != nil {
		return known
	}
	switch t.Kind() { //nolint:exhaustive // the kinds that documents have; TestOpenAPI finds others
	case reflect.Pointer:
		return nullable(d.schema(t.Elem()))
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": []string{"string", "null"}, "contentEncoding": "base64"}
		}
		return map[string]any{"type": "array", "items": d.schema(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": d.schema(t.Elem())}
	case reflect.Struct:
		return d.object(t)
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	default:
		return map[string]any{}
	}
}

// fixedSchemas are those of types that have a JSON form of their own.
func fixedSchemas() map[reflect.Type]map[string]any {
	return map[reflect.Type]map[string]any{
		reflect.TypeFor[api.ID]():             {"type": "string", "pattern": `^-?\d+$`},
		reflect.TypeFor[api.Instant]():        {"type": "string", "format": "date-time"},
		reflect.TypeFor[api.OffsetTime]():     {"type": "string", "format": "date-time"},
		reflect.TypeFor[api.LocalOrInstant](): {"type": "string"},
		reflect.TypeFor[*param.Map]():         {"type": "object"},
	}
}

// requestFields are the required fields of requests. Answers always have all fields.
func requestFields() map[reflect.Type][]string {
	return map[reflect.Type][]string{
		reflect.TypeFor[api.AttemptRequest]():          {"workflowId", "sessionTime", "params"},
		reflect.TypeFor[api.ScheduleSkipRequest]():     {"dryRun"},
		reflect.TypeFor[api.ScheduleBackfillRequest](): {"fromTime", "attemptName", "dryRun"},
		reflect.TypeFor[api.ScheduleEnableRequest]():   {},
		reflect.TypeFor[api.SetSecretRequest]():        {"value"},
		reflect.TypeFor[api.TokenRequest]():            {"name", "role"},
		reflect.TypeFor[api.PoolRequest]():             {},
		reflect.TypeFor[api.NoteRequest]():             {},
	}
}

func nullable(schema map[string]any) map[string]any {
	if kind, ok := schema["type"].(string); ok {
		copied := maps.Clone(schema)
		copied["type"] = []string{kind, "null"}
		return copied
	}
	return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
}

// object returns a reference to the schema of a struct, and adds the schema under the name of the type.
func (d *description) object(t reflect.Type) map[string]any {
	name := t.Name()
	reference := map[string]any{"$ref": "#/components/schemas/" + name}
	if d.schemas[name] != nil {
		return reference
	}
	properties := map[string]any{}
	d.schemas[name] = map[string]any{} // ends the recursion of a type that contains itself
	required, isRequest := requestFields()[t]
	if required == nil {
		required = []string{}
	}
	for _, field := range reflect.VisibleFields(t) {
		tag, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag == "" || tag == "-" {
			continue
		}
		properties[tag] = d.schema(field.Type)
		if !strings.Contains(options, "omitempty") && !isRequest {
			required = append(required, tag)
		}
	}
	d.schemas[name] = map[string]any{"type": "object", "properties": properties, "required": required}
	return reference
}
