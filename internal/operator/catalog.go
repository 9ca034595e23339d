package operator

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/template"
)

// Catalog returns what the operators of a table and an evaluator know about workflow files, for dig.Check.
func (t Table) Catalog(templates *template.Evaluator) dig.Catalog {
	c := dig.Catalog{Operators: map[string]dig.Operator{}}
	for name, d := range t {
		o := dig.Operator{
			Doc: d.Doc, Keys: d.Keys, Open: d.Open, Command: d.Command, NeedsCommand: d.NeedsCommand, Generates: d.Generates,
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

// Kinds of values in the table.
func text() dig.Value     { return dig.Value{Kind: dig.Text} }
func integer() dig.Value  { return dig.Value{Kind: dig.Integer} }
func boolean() dig.Value  { return dig.Value{Kind: dig.Boolean} }
func object() dig.Value   { return dig.Value{Kind: dig.Object} }
func anything() dig.Value { return dig.Value{} }

func oneOf(choices ...string) dig.Value { return dig.Value{Kind: dig.Text, Choices: choices} }

func listOf(items dig.Value) dig.Value { return dig.Value{Kind: dig.List, Items: &items} }

// httpKeys returns the options of requests, together with more.
func httpKeys(more map[string]dig.Value) map[string]dig.Value {
	keys := map[string]dig.Value{
		"content":          anything().About("the body: a text, or any value that is sent in `content_format`"),
		"content_format":   dig.Value{Kind: dig.Text, Check: formatOf}.About("`text`, `json` or `form`; lists and objects are JSON unless this says otherwise"),
		"content_type":     text().About("the header Content-Type, in place of that of the format"),
		"follow_redirects": boolean().About("whether redirects are followed; true"),
		"headers":          dig.Value{Kind: dig.List, Check: headersOf}.About("a list of `- Name: value`"),
		"insecure":         boolean().About("whether any TLS certificate is accepted; false"),
		"method":           dig.Value{Kind: dig.Text, Check: methodOf}.About("GET unless it says otherwise"),
		"proxy": {Kind: dig.Object, Doc: "`{enabled: true, host: ..., port: ..., tls: false}`", Fields: map[string]dig.Value{
			"enabled": boolean(), "host": text(), "port": integer(), "tls": boolean(),
		}},
		"query":   anything().About("what is added to the query: an object, or text such as `a=1&b=2`"),
		"retry":   boolean().About("whether it is tried again; true for GET, HEAD, OPTIONS and TRACE"),
		"timeout": integer().About("seconds for one request; 30"),
	}
	maps.Copy(keys, more)
	return keys
}

// headersOf checks the option headers.
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

func formatOf(value param.Value) error {
	format, _ := param.AsString(value)
	if !slices.Contains([]string{"text", "json", "form"}, strings.ToLower(format)) {
		return param.Errorf("must be text, json or form, but is %s", param.JSON(value))
	}
	return nil
}

// addressOf checks the command of http>. Spaces around it, and what a URL cannot contain, are reported when it runs.
func addressOf(value param.Value) error {
	address, _ := param.AsString(value)
	scheme, rest, found := strings.Cut(address, "://")
	if address != "" && (!found || rest == "" || scheme != "http" && scheme != "https") {
		return param.Errorf("must begin with http:// or https:// and a host, but is %s", param.JSON(value))
	}
	return nil
}

// mailTextOf checks the command of mail>, which is the name of a file or an object with the text.
func mailTextOf(value param.Value) error {
	if object, ok := value.(*param.Map); ok && !object.Has("data") {
		return param.Errorf("must be the name of a file, or `{data: TEXT}`, but is %s", param.JSON(value))
	}
	return nil
}

// pythonPath is the form in which py> names what it calls.
var pythonPath = regexp.MustCompile(`^[\pL_][\pL\pN_]*(\.[\pL_][\pL\pN_]*)*$`)

// pythonOf checks the command of py>.
func pythonOf(value param.Value) error {
	path, _ := param.AsString(value)
	if strings.HasSuffix(path, ".py") || !pythonPath.MatchString(path) {
		return param.Errorf("must be names with dots between them, as in package.module.function, but is %s", param.JSON(value))
	}
	return nil
}

func mailKeys() map[string]dig.Value {
	return map[string]dig.Value{
		"attach_files": listOf(dig.Value{
			Kind: dig.Object, Required: []string{"path"},
			Fields: map[string]dig.Value{"path": text(), "filename": text(), "content_type": text()},
		}).About("files of the project: a list of `{path: ..., filename: ..., content_type: ...}`"),
		"bcc":      listOf(text()).About("who gets it unseen by others"),
		"body":     text().About("the text, where there is no command"),
		"cc":       listOf(text()).About("who gets a copy"),
		"debug":    boolean().About("whether the conversation with the server is written to the task's log; false"),
		"from":     text().About("the sender; the system may have one"),
		"host":     text().About("the mail server; the secret `mail.host` comes first"),
		"html":     boolean().About("whether the text is HTML; false"),
		"password": text().About("has no effect: use the secret `mail.password`"),
		"port":     integer().About("the port of the mail server; the secret `mail.port` comes first"),
		"ssl":      boolean().About("TLS from the start; false"),
		"subject":  text().About("the subject; the system may have one"),
		"tls":      boolean().About("STARTTLS where the server offers it; true"),
		"to":       dig.Value{Kind: dig.TextOrList}.About("who gets it: one address, or a list of them"),
		"username": text().About("the user to log in as; the secret `mail.username` comes first"),
	}
}

// rangeOf returns the value that for_range> takes.
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

// axesOf returns the value that for_each> takes: lists by the names of their variables.
func axesOf() dig.Value {
	return dig.Value{Kind: dig.JSONObject, Others: &dig.Value{Kind: dig.JSONList}}
}

// DefaultCatalog returns what this version knows about workflow files, without settings. Messages use folder as the name
// of the project's folder.
func DefaultCatalog(folder string) dig.Catalog {
	catalog := Builtin(Options{}).Catalog(template.New(template.Options{}))
	catalog.Folder = folder
	return catalog
}
