package operator_test

import (
	"testing"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Language L48, L49, L53, operators 1.1, 1.17; the cases operator-null-command and
// flow-type-and-command-keys.
func TestSelect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		config         *param.Map
		want, log      string // configuration and log line
		kind, problem  string
		groupOrNothing bool
	}{
		{
			name: "operator key", config: param.Of("a", 1, "echo>", "hi", "b", 2),
			want: `{"a":1,"echo>":"hi","b":2,"_type":"echo","_command":"hi"}`, kind: "echo", log: "echo>: hi",
		},
		{
			name: "long form", config: param.Of("_type", "echo", "_command", "hi"),
			want: `{"_type":"echo","_command":"hi"}`, kind: "echo", log: "type: echo",
		},
		{
			name: "type without command", config: param.Of("_type", "echo"),
			want: `{"_type":"echo"}`, kind: "echo", log: "type: echo",
		},
		{
			name: "type before operator key", config: param.Of("echo>", "x", "_type", "fail"),
			want: `{"echo>":"x","_type":"fail"}`, kind: "fail", log: "type: fail",
		},
		{
			name: "command beside operator key", config: param.Of("_command", "hidden", "echo>", "shown"),
			want: `{"_command":"shown","echo>":"shown","_type":"echo"}`, kind: "echo", log: "echo>: shown",
		},
		{
			name: "null after operator key", config: param.Of("_command", "inherited", "echo>", nil),
			want: `{"echo>":null,"_type":"echo"}`, kind: "echo", log: "echo>: ",
		},
		{
			name: "null command", config: param.Of("_type", "echo", "_command", nil),
			want: `{"_type":"echo","_command":null}`, kind: "echo", log: "type: echo",
		},
		{
			name: "first of two keys", config: param.Of("exported>", 1, "echo>", "x"),
			want: `{"exported>":1,"echo>":"x","_type":"exported","_command":1}`, kind: "exported", log: "exported>: 1",
		},
		{
			name: "number as type", config: param.Of("_type", 5),
			want: `{"_type":5}`, kind: "5", log: "type: 5",
		},
		{
			name: "no name", config: param.Of(">", "x"),
			want: `{">":"x","_type":"","_command":"x"}`, log: ">: x",
		},
		{
			name: "map as command", config: param.Of("for_each>", param.Of("a", param.List{int64(1), "x", nil, true}, "b", param.New())),
			want: `{"for_each>":{"a":[1,"x",null,true],"b":{}},"_type":"for_each","_command":{"a":[1,"x",null,true],"b":{}}}`,
			kind: "for_each", log: "for_each>: {a=[1, x, null, true], b={}}",
		},
		{name: "null type", config: param.Of("_type", nil, "echo>", "x"), problem: "Parameter '_type' is required but null"},
		{
			name: "list as type", config: param.Of("_type", param.List{"a"}),
			problem: `Expected string type for key '_type' but got ["a"] (array)`,
		},
		{name: "no operator", config: param.Of("a", 1), groupOrNothing: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := param.JSON(c.config)
			selection, ok, err := operator.Select(c.config)
			if after := param.JSON(c.config); after != before {
				t.Errorf("Select changed its argument: %s, want %s", after, before)
			}
			if c.problem != "" {
				if err == nil || err.Error() != c.problem {
					t.Errorf("error = %v, want %q", err, c.problem)
				}
				return
			}
			if err != nil || ok == c.groupOrNothing {
				t.Fatalf("Select: ok = %v, error = %v", ok, err)
			}
			if c.groupOrNothing {
				return
			}
			if selection.Type != c.kind || param.JSON(selection.Config) != c.want {
				t.Errorf("Select = %q, %s, want %q, %s", selection.Type, param.JSON(selection.Config), c.kind, c.want)
			}
			if got := selection.String(); got != c.log {
				t.Errorf("log line = %q, want %q", got, c.log)
			}
		})
	}
}
