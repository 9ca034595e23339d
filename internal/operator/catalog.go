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
		c.Operators[name] = dig.Operator{
			Doc: d.Doc, Keys: d.Keys, Open: d.Open, Blocks: d.Blocks, Command: d.Command, NeedsCommand: d.NeedsCommand, Generates: d.Generates, Needs: d.Needs,
		}
	}
	c.Expression = func(text string) (code, fault string) {
		found, _ := templates.Check(text)
		return found.Code, found.Message
	}
	return c
}

// httpKeys returns the options of requests, together with more.
func httpKeys(more map[string]dig.Value) map[string]dig.Value {
	keys := map[string]dig.Value{
		"content":          Anything().About("the body: a text, or any value that is sent in `content_format`"),
		"content_format":   dig.Value{Kind: dig.Text, Check: formatOf}.About("`text`, `json` or `form`; lists and objects are JSON unless this says otherwise"),
		"content_type":     Text().About("the header Content-Type, in place of that of the format"),
		"follow_redirects": Boolean().About("whether redirects are followed").Or("true"),
		"headers":          dig.Value{Kind: dig.List, Check: headersOf}.About("a list of `- Name: value`"),
		"insecure":         Boolean().About("whether any TLS certificate is accepted").Or("false"),
		"method":           dig.Value{Kind: dig.Text, Check: methodOf}.About("the method of the request").Or("`GET`"),
		"proxy": {Kind: dig.Object, Doc: "`{enabled: true, host: ..., port: ..., tls: false}`", Fields: map[string]dig.Value{
			"enabled": Boolean(), "host": Text(), "port": Integer(), "tls": Boolean(),
		}},
		"query":   Anything().About("what is added to the query: an object, or text such as `a=1&b=2`"),
		"retry":   Boolean().About("whether it is tried again").Or("true for GET, HEAD, OPTIONS and TRACE"),
		"timeout": Integer().About("seconds for one request").Or("30"),
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
		"attach_files": ListOf(dig.Value{
			Kind: dig.Object, Required: []string{"path"},
			Fields: map[string]dig.Value{"path": Text(), "filename": Text(), "content_type": Text()},
		}).About("files of the project: a list of `{path: ..., filename: ..., content_type: ...}`"),
		"bcc":      ListOf(Text()).About("who gets it unseen by others"),
		"body":     Text().About("the text, where there is no command"),
		"cc":       ListOf(Text()).About("who gets a copy"),
		"debug":    Boolean().About("whether the conversation with the server is written to the task's log").Or("false"),
		"from":     Text().About("the sender; the system may have one"),
		"host":     Text().About("the mail server; the secret `mail.host` comes first"),
		"html":     Boolean().About("whether the text is HTML").Or("false"),
		"password": Text().About("has no effect: use the secret `mail.password`"),
		"port":     Integer().About("the port of the mail server; the secret `mail.port` comes first"),
		"ssl":      Boolean().About("TLS from the start").Or("false"),
		"subject":  Text().About("the subject; the system may have one"),
		"tls":      Boolean().About("STARTTLS where the server offers it").Or("true"),
		"to":       dig.Value{Kind: dig.TextOrList}.About("who gets it: one address, or a list of them"),
		"username": Text().About("the user to log in as; the secret `mail.username` comes first"),
	}
}

// rangeOf returns the value that for_range> takes.
func rangeOf() dig.Value {
	return dig.Value{
		Kind: dig.JSONObject, Required: []string{"from", "to"},
		Fields: map[string]dig.Value{"from": Integer(), "to": Integer(), "step": Integer(), "slices": Integer()},
		Check: func(value param.Value) error {
			command, err := ParsedMap(param.NewReader(param.Of("_command", value)), "_command")
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
