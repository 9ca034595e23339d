package operator_test

import (
	"testing"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Operators 2.8, language O27; the case fail-messages.
func TestFail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		own  *param.Map
		want string // message of the error object
	}{
		{"text", param.Of("fail>", "first\nsecond"), "first\nsecond"},
		{"empty", param.Of("fail>", ""), ""},
		{"missing", param.Of("fail>", nil), ""},
		{"null", param.Of("_type", "fail", "_command", nil), ""},
		{"number", param.Of("fail>", 42), "42"},
		{"no retry", param.Of("fail>", "once", "_retry", 2), "once"}, // language X28
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := newFixture(t, c.own).Run()
			if err == nil {
				t.Fatal("fail> succeeded")
			}
			if got, want := param.JSON(operator.ErrorObject(err)), param.JSON(param.Of("message", c.want)); got != want {
				t.Errorf("error object = %s, want %s", got, want)
			}
		})
	}
}

func TestFailWithObject(t *testing.T) {
	t.Parallel()
	_, err := newFixture(t, param.Of("fail>", param.Of("a", 1))).Run()
	const want = `Expected string type for key '_command' but got {"a":1} (object) (config)`
	if got := message(err); got != want {
		t.Errorf("message = %q, want %q", got, want)
	}
}
