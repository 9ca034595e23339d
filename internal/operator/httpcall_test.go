package operator_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Operators 2.2, language O18.
func TestHTTPCall(t *testing.T) {
	t.Parallel()
	const yaml = "text=%2Ba:%0A++echo>:+x"
	for _, c := range []struct {
		name, query, override string
		sub, file, message    string
		secrets               secretMap
	}{
		{name: "YAML", query: yaml + "&type=application/x-yaml", sub: `{"+a":{"echo>":"x"}}`, file: "+a:\n  echo>: x"},
		{name: "JSON", query: `text={"%2Ba":{"echo>":"x"}}&type=application/json%3Bcharset=utf-8`, sub: `{"+a":{"echo>":"x"}}`, file: "+a:\n  echo>: \"x\"\n"},
		{name: "empty", query: "text={}&type=application/json", sub: "{}", file: "{}\n"},
		{name: "override", query: yaml + "&type=text/plain", override: "application/x-yaml; charset=us-ascii", sub: `{"+a":{"echo>":"x"}}`, file: "+a:\n  echo>: x"},
		{name: "http.uri does not count", query: yaml + "&type=application/x-yaml", sub: `{"+a":{"echo>":"x"}}`, secrets: secretMap{"http.uri": "http://127.0.0.1:1/"}},
		{name: "no type", query: "text=x", message: "Content-Type must be set in the HTTP response but not set"},
		{name: "other type", query: "text=x&type=text/html%3Bcharset=utf-8", message: "Unsupported Content-Type (expected application/json or application/x-yaml): text/html"},
		{name: "other override", query: "text=x&type=application/json", override: "text/html", message: "Unsupported Content-Type (expected application/json or application/x-yaml): application/json"},
		{name: "no object", query: "text=[]&type=application/json", message: "Failed to parse response as JSON: want a JSON object, got array"},
		{name: "too large", query: "text=" + strings.Repeat("x", 101) + "&type=application/x-yaml", message: "Response content too large: 101 > 100"},
		{name: "bare operator", query: "text=echo>:+x&type=application/x-yaml", message: "Workflow 'http_call' includes unknown keys: [echo>] (config)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := newSite(t, httptest.NewServer)
			own := param.Of("http_call>", "SITE/text?"+strings.NewReplacer("{", "%7B", "}", "%7D", `"`, "%22", ">", "%3E").Replace(c.query))
			if c.override != "" {
				own.Set("content_type_override", c.override)
			}
			f := web(t, server, operator.HTTPOptions{MaxCallSize: 100}, own)
			if c.secrets != nil {
				f.Request.Secrets = c.secrets
			}
			outcome, err := f.Run()
			if got := message(err); got != c.message {
				t.Fatalf("message = %q, want %q", got, c.message)
			}
			if c.message != "" {
				return
			}
			if got := param.JSON(param.Merged(param.New(), outcome.Result.Subtasks)); got != c.sub {
				t.Errorf("subtasks = %s, want %s", got, c.sub)
			}
			if outcome.Result.Store.Len() != 0 {
				t.Errorf("stored = %s, want nothing", param.JSON(outcome.Result.Store))
			}
			data, err := os.ReadFile(filepath.Join(f.Project, "http_call.dig"))
			if err != nil || c.file != "" && string(data) != c.file {
				t.Errorf("http_call.dig = %q, error %v, want %q", data, err, c.file)
			}
		})
	}
}

// Operators 2.1, 2.2: if the task is in a folder, the fetched workflow works there.
func TestHTTPCallInFolder(t *testing.T) {
	t.Parallel()
	server := newSite(t, httptest.NewServer)
	f := web(t, server, operator.HTTPOptions{}, param.Of("http_call>", "SITE/text?type=application/json&text=%7B%7D"))
	f.With("_workdir", "sub").File("sub/x", "")
	outcome, err := f.Run()
	if err != nil {
		t.Fatal(err)
	}
	if got := param.JSON(outcome.Result.Subtasks); got != `{"_export":{"_workdir":"sub"}}` {
		t.Errorf("subtasks = %s", got)
	}
	if _, err := os.Stat(filepath.Join(f.Project, "sub", "http_call.dig")); err != nil {
		t.Error(err)
	}
}
