package reason_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/reason"
)

var update = flag.Bool("update", false, "write the table of docs/why.md anew")

// docs/why.md has all codes at its end; -update writes them.
func TestDocument(t *testing.T) {
	t.Parallel()
	const path, head = "../../docs/why.md", "| state | code | fields |"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, found, _ := strings.Cut(string(data), head)
	want := document(head)
	if *update {
		if err := os.WriteFile(path, []byte(text+want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, head+found); diff != "" {
		t.Errorf("%s is not that of Codes, write it anew with -update (-want +got):\n%s", path, diff)
	}
}

func document(head string) string {
	var b strings.Builder
	b.WriteString(head + " what it means | what to do |\n|---|---|---|---|---|\n")
	last := trowel.TaskState(255)
	for _, e := range reason.Codes() {
		state, fields, mend := "", "", e.Mend
		if e.State != last {
			state, last = e.State.String(), e.State
		}
		for field := range strings.SplitSeq(e.Fields, ", ") {
			if field != "" {
				fields += ", `" + field + "`"
			}
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", state, e.Code, strings.TrimPrefix(fields, ", "), e.About, mend)
	}
	return b.String()
}
