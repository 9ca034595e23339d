package operator_test

import (
	"testing"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Operators 2.9, language O28; the cases echo-values and echo-errors.
func TestEcho(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, output, message string
		own                   *param.Map
	}{
		{name: "text", own: param.Of("echo>", `Grüße, 世界 🌍 "q" \`), output: "Grüße, 世界 🌍 \"q\" \\\n"},
		{name: "number", own: param.Of("echo>", 1000), output: "1000\n"},
		{name: "float", own: param.Of("echo>", 1e3), output: "1000.0\n"},
		{name: "boolean", own: param.Of("echo>", true), output: "true\n"},
		{name: "empty", own: param.Of("echo>", ""), output: "\n"},
		{name: "secrets stay", own: param.Of("echo>", "${secret:a}"), output: "${secret:a}\n"},
		{
			name: "object", own: param.Of("echo>", param.Of("a", 1)),
			message: `Expected string type for key '_command' but got {"a":1} (object) (config)`,
		},
		{
			name: "list", own: param.Of("echo>", param.List{int64(1), int64(2)}),
			message: `Expected string type for key '_command' but got [1,2] (array) (config)`,
		},
		{name: "null", own: param.Of("echo>", nil), message: "Parameter '_command' is required but not set (config)"},
		{name: "bare", own: param.Of("_type", "echo"), message: "Parameter '_command' is required but not set (config)"},
		{
			name: "null command", own: param.Of("_type", "echo", "_command", nil),
			message: "Parameter '_command' is required but null (config)",
		},
		{
			name: "no retry", own: param.Of("_retry", 2, "echo>", param.New()), // language X28
			message: "Expected string type for key '_command' but got {} (object) (config)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, c.own)
			_, err := f.Run()
			if got := message(err); got != c.message {
				t.Errorf("echo: message = %q, want %q", got, c.message)
			}
			if got := f.Output.String(); got != c.output {
				t.Errorf("echo: output = %q, want %q", got, c.output)
			}
		})
	}
}

// Operators 2.9: if there is only a log, an empty text leaves nothing in it; the case
// log-filter of the command line.
func TestEchoIntoLog(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "a": "a\n", " ": " \n"} {
		f := newFixture(t, param.Of("echo>", text))
		f.Table = operator.Core(operator.Options{LogOnly: true})
		if _, err := f.Run(); err != nil {
			t.Fatal(err)
		}
		if got := f.Output.String(); got != want {
			t.Errorf("echo of %q: output = %q, want %q", text, got, want)
		}
	}
}
