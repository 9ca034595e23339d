package operator_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Language L55, operators 1.17.
func TestUnused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		own  *param.Map
		want []string
	}{
		{name: "nothing", own: param.Of("echo>", "x")},
		{
			name: "unknown key", own: param.Of("echo>", "x", "colour", 1, "_retry", 2),
			want: []string{"Parameter 'colour' is not used at task +a.", "Parameter '_retry' is not used at task +a."},
		},
		{
			name: "near miss", own: param.Of("wait>", "1s", "blockin", true),
			want: []string{"Parameter 'blockin' is not used at task +a.", "  > Did you mean [blocking]?"},
		},
		{
			name: "operator key beside type", own: param.Of("_type", "echo", "_command", "x", "echo>", "y"),
			want: []string{"Parameter 'echo>' is not used at task +a."},
		},
		{name: "own variables", own: param.Of("echo>", "x", "_env", param.New())},
		{name: "wrapped", own: param.Of("sh>", "true", "anything", 1)},
		{name: "loop", own: param.Of("loop>", 0, "_do", param.New(), "anything", 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, c.own)
			selection, _, err := operator.Select(c.own)
			if err != nil {
				t.Fatal(err)
			}
			params := param.NewReader(selection.Config)
			request := f.Request
			request.Params, request.Local, request.Project, request.Output = params, c.own, f.Project, &f.Output
			if _, err := operator.Core(operator.Options{}).Run(t.Context(), selection.Type, &request); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, operator.Unused("+a", c.own, params)); diff != "" {
				t.Errorf("Unused differs (-want +got):\n%s", diff)
			}
		})
	}
}
