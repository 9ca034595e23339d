package operator_test

import (
	"testing"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Language L54, operators 1.18; the case operator-unknown.
func TestUnknownOperator(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"frobnicate": "Unknown task type: frobnicate (config)",
		"nop":        "Unknown task type: nop (config)",
		"Echo":       "Unknown task type: Echo (config)",
		"":           "Unknown task type:  (config)",
	} {
		_, err := newFixture(t, param.Of(name+">", "x", "_retry", 3)).Run()
		if got := message(err); got != want {
			t.Errorf("%s>: message = %q, want %q", name, got, want)
		}
	}
}

// Language X27, X28: which of Digdag's operators have a working directory and use _retry.
func TestWrapped(t *testing.T) {
	t.Parallel()
	table := operator.Core(operator.Options{})
	for _, name := range []string{"call", "http", "http_call", "mail", "param_get", "param_set", "py", "rb", "require", "sh"} {
		if !table[name].Wrapped {
			t.Errorf("%s: Wrapped = false, want true", name)
		}
	}
	for _, name := range []string{"echo", "fail", "for_each", "for_range", "if", "loop", "notify", "wait"} {
		if d, ok := table[name]; !ok || d.Wrapped {
			t.Errorf("%s: is there: %v, Wrapped = %v, want true and false", name, ok, d.Wrapped)
		}
	}
}

// Operators 1.6, language 5.6; the case secrets-mounts.
func TestSecretsOfTasks(t *testing.T) {
	t.Parallel()
	mounts := func(m *param.Map) *param.Map { return param.Of("_secrets", m) }
	for _, c := range []struct {
		name, output, message string
		own, inherited        *param.Map
	}{
		{name: "found", own: param.Of("sh>", "echo '${secret: db.password }'"), output: "<db.password>\n"},
		{
			name: "renamed", own: param.Of("sh>", "echo '${secret:db.password}'"),
			inherited: mounts(param.Of("db", param.Of("password", "prod.password"))), output: "<prod.password>\n",
		},
		{name: "granted", own: param.Of("sh>", "echo '${secret:db.x}'", "_secrets", param.Of("db", true)), output: "<db.x>\n"},
		{name: "not a variable", own: param.Of("sh>", "env | grep -c ^_secrets || true"), inherited: mounts(param.Of("db", "prod")), output: "0\n"},
		{
			name: "missing names the key asked for", own: param.Of("sh>", "echo ${secret:db.password}"),
			inherited: mounts(param.Of("db", "no.such")), message: "Secret not found for key: 'db.password' (secret not found)",
		},
		{
			name: "wrong value", own: param.Of("sh>", "echo ${secret:db.password}"),
			inherited: mounts(param.Of("db", 5)), message: "Illegal value in _secrets: 5 (config)",
		},
		{name: "wrong value not used", own: param.Of("sh>", "echo x"), inherited: mounts(param.Of("db", 5)), output: "x\n"},
		{
			name: "no object", own: param.Of("echo>", "x"), inherited: param.Of("_secrets", "x"),
			message: "Parameter '_secrets' must be an object (config)",
		},
		{name: "null", own: param.Of("echo>", "x"), inherited: param.Of("_secrets", nil), output: "x\n"},
		{name: "other word", own: param.Of("sh>", "echo ${env:HOME}"), message: "Invalid parametrization: '${env:HOME}' (config)"},
		{name: "shell default", own: param.Of("sh>", "echo ${foo:-x}"), message: "Invalid parametrization: '${foo:-x}' (config)"},
		{
			name: "own variable", own: param.Of("sh>", "echo $A", "_env", param.Of("A", "1 ${secret:db.x}")), output: "1 <db.x>\n",
		},
		{
			name: "own variables are not renamed", own: param.Of("sh>", "echo $A", "_env", param.Of("A", "${secret:db.x}")),
			inherited: mounts(param.Of("db", "prod")), output: "<db.x>\n",
		},
		{
			name: "missing in own variable", own: param.Of("sh>", "true", "_env", param.Of("A", "${secret:no.such}")),
			message: "Secret not found for key: 'no.such' (secret not found)",
		},
		{
			name: "raw text of own variables has no secret", own: param.Of("sh>", "echo \"$_env\"", "_env", param.Of("A", "${secret:a}")),
			output: "{\"A\":\"${secret:a}\"}\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, c.own)
			f.Inherited.Merge(c.inherited)
			_, err := f.Run()
			if got := message(err); got != c.message {
				t.Errorf("message = %q, want %q", got, c.message)
			}
			if got := f.Output.String(); got != c.output {
				t.Errorf("output = %q, want %q", got, c.output)
			}
		})
	}
}
