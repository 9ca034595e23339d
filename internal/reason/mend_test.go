package reason_test

import (
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/reason"
)

func TestSetSecret(t *testing.T) {
	t.Parallel()
	missing := trowel.MissingSecretText
	for _, c := range []struct{ name, message, project, want string }{
		{"in a run", missing("nope"), "", "trowel secrets --local --set nope"},
		{"on a server", missing("db.password"), "etl", "trowel secrets --project etl --set db.password"},
		{"behind other words, with its kind", "x: " + missing("a-b_c") + " (secret not found)", "etl", "trowel secrets --project etl --set a-b_c"},
		{"a project that a shell would read", missing("k"), "it's; rm x", `trowel secrets --project 'it'\''s; rm x' --set k`},
		{"a key that cannot be set", missing("a; rm x"), "etl", ""},
		{"another failure", "Command failed with code 1", "etl", ""},
		{"none", "", "etl", ""},
	} {
		if got := reason.SetSecret(c.message, c.project); got != c.want {
			t.Errorf("%s: SetSecret = %q, want %q", c.name, got, c.want)
		}
	}
}
