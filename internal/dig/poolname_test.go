package dig_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/dig"
)

// K803: pools that are named without an expression, anywhere, are known or reported.
func TestUnknownPools(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"main.dig": {Data: []byte(strings.TrimPrefix(`
_pool: [a, {name: known}, {name: b, slots: 2}, "${c}"]
_defaults: {_pool: d}
_error: {echo>: x, _pool: e}
+x: {echo>: x, _pool: default}
+y: {loop>: 2, _pool: null, _do: {echo>: x, _pool: f}}
+z: {echo>: x, _pool: "${g}", _pool_slots: none}
`, "\n"))}}
	var got []string
	for _, f := range dig.UnknownPools(files, "/project", func(name string) bool { return name == "known" }) {
		got = append(got, fmt.Sprintf("%s %s [%s]", f.Place, f.Message, f.ID))
	}
	const wait = "': tasks that name it wait until it is created [pool-unknown]"
	want := []string{
		"main.dig:1:1 There is no pool 'a" + wait, "main.dig:1:1 There is no pool 'b" + wait,
		"main.dig:2:13 There is no pool 'd" + wait, "main.dig:3:20 There is no pool 'e" + wait,
		"main.dig:5:45 There is no pool 'f" + wait,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}
