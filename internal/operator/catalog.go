package operator

import (
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

// Catalog is what the operators of a table and an evaluator know about workflow files, for dig.Check.
func (t Table) Catalog(templates *template.Evaluator) dig.Catalog {
	c := dig.Catalog{Operators: map[string]dig.Operator{}}
	for name, d := range t {
		o := dig.Operator{
			Keys: d.Keys, Open: d.Open, Command: d.Command, NeedsCommand: d.NeedsCommand, Generates: d.Generates,
		}
		if d.Section {
			o.Section = name
		}
		c.Operators[name] = o
	}
	c.Expression = func(text string) (code, fault string) {
		found, _ := templates.Check(text)
		return found.Code, found.Message
	}
	return c
}

// Values of options, as they stand in the table.
func text() dig.Value     { return dig.Value{Kind: dig.Text} }
func integer() dig.Value  { return dig.Value{Kind: dig.Integer} }
func boolean() dig.Value  { return dig.Value{Kind: dig.Boolean} }
func object() dig.Value   { return dig.Value{Kind: dig.Object} }
func list() dig.Value     { return dig.Value{Kind: dig.List} }
func anything() dig.Value { return dig.Value{} }

func oneOf(choices ...string) dig.Value { return dig.Value{Kind: dig.Text, Choices: choices} }

func listOf(items dig.Value) dig.Value { return dig.Value{Kind: dig.List, Items: &items} }

// httpKeys are the options of requests, and more.
func httpKeys(more map[string]dig.Value) map[string]dig.Value {
	keys := map[string]dig.Value{
		"content": anything(), "content_format": text(), "content_type": text(), "follow_redirects": boolean(),
		"headers": {Kind: dig.List, Check: headersOf}, "insecure": boolean(), "method": {Kind: dig.Text, Check: methodOf},
		"proxy": {Kind: dig.Object, Fields: map[string]dig.Value{
			"enabled": boolean(), "host": text(), "port": integer(), "tls": boolean(),
		}},
		"query": anything(), "retry": boolean(), "timeout": integer(),
	}
	for key, value := range more {
		keys[key] = value
	}
	return keys
}

// headersOf reads the option headers.
func headersOf(value param.Value) error {
	headers, _ := value.(param.List)
	for _, element := range headers {
		if name, content, ok := onlyEntry(element); !ok || !isHeader(name, content) {
			return param.Errorf(httpInvalidHeader, param.JSON(element)+", write each as `- Name: value`")
		}
	}
	return nil
}

func methodOf(value param.Value) error {
	if method, _ := param.AsString(value); !isHeader(method, "") {
		return param.Errorf(httpInvalidMethod, param.JSON(value))
	}
	return nil
}

func mailKeys() map[string]dig.Value {
	return map[string]dig.Value{
		"attach_files": listOf(dig.Value{
			Kind: dig.Object, Required: []string{"path"},
			Fields: map[string]dig.Value{"path": text(), "filename": text(), "content_type": text()},
		}),
		"bcc": listOf(text()), "body": text(), "cc": listOf(text()), "debug": boolean(), "from": text(), "host": text(),
		"html": boolean(), "password": text(), "port": integer(), "ssl": boolean(), "subject": text(), "tls": boolean(),
		"to": {Kind: dig.TextOrList}, "username": text(),
	}
}

// rangeOf is what for_range> takes.
func rangeOf() dig.Value {
	return dig.Value{
		Kind: dig.JSONObject, Required: []string{"from", "to"},
		Fields: map[string]dig.Value{"from": integer(), "to": integer(), "step": integer(), "slices": integer()},
		Check: func(value param.Value) error {
			command, err := parsedMap(param.NewReader(param.Of("_command", value)), "_command")
			if err == nil {
				_, err = readSpan(param.NewReader(command))
			}
			return err
		},
	}
}

// axesOf is what for_each> takes: lists by the names of their variables.
func axesOf() dig.Value {
	return dig.Value{Kind: dig.JSONObject, Others: &dig.Value{Kind: dig.JSONList}}
}
