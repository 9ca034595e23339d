package agent

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOutputRemembersLastLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2*keptLineBytes)
	var many, last []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("line %d", i))
	}
	last = many[100-keptLines:]
	tests := []struct {
		name   string
		writes []string
		want   []string
	}{
		{"nothing", nil, []string{}},
		{"one line", []string{"a\n"}, []string{"a"}},
		{"a line without an end", []string{"a\nb"}, []string{"a", "b"}},
		{"a line in pieces", []string{"a", "b", "c\nd\n"}, []string{"abc", "d"}},
		{"an empty line", []string{"a\n\nb\n"}, []string{"a", "", "b"}},
		{"lines of Windows", []string{"a\r\nb\r\n"}, []string{"a", "b"}},
		{"more lines than are kept, in one piece", []string{strings.Join(many, "\n") + "\n"}, last},
		{"more lines than are kept, one by one", strings.SplitAfter(strings.Join(many, "\n")+"\n", "\n"), last},
		{"a long line", []string{long, long, "\nb\n"}, []string{long[:keptLineBytes], "b"}},
		{"bytes that are no text", []string{"a\xffb\n"}, []string{"a\uFFFDb"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var passed bytes.Buffer
			o := &output{to: &passed}
			for _, text := range test.writes {
				if _, err := o.Write([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(test.want, o.lastLines()); diff != "" {
				t.Errorf("last lines (-want +got):\n%s", diff)
			}
			if want := strings.Join(test.writes, ""); passed.String() != want {
				t.Errorf("passed on %d bytes, want all %d", passed.Len(), len(want))
			}
		})
	}
}
