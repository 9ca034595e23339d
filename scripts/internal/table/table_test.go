package table

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := Write(&out, []string{"package", "files", "share", "note"}, [][]string{
		{"dig", "36", "7.5 %", "größer"},
		{"internal/server", "1,053", "", ""},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `package          files  share  note
dig                 36  7.5 %  größer
internal/server  1,053
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestWriteWithoutRows(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := Write(&out, []string{"a", "b"}, nil); err != nil || out.String() != "a  b\n" {
		t.Errorf("table without rows: %q, %v", out.String(), err)
	}
}
