package trowel_test

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel"
)

func TestCheckPoolName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"default", "a", "db.big_1-x", "-", strings.Repeat("x", 64)} {
		if err := trowel.CheckPoolName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"":                      "a pool needs a name",
		"a b":                   `the name of a pool has letters, digits, _, - and . alone, not as in "a b"`,
		"a/b":                   `the name of a pool has letters, digits, _, - and . alone, not as in "a/b"`,
		"dä":                    `the name of a pool has letters, digits, _, - and . alone, not as in "dä"`,
		"x\xff":                 `the name of a pool has letters, digits, _, - and . alone, not as in "x\xff"`,
		strings.Repeat("x", 65): "the name of a pool has at most 64 letters, not 65",
	} {
		if err := trowel.CheckPoolName(name); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}
