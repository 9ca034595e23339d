package trowel_test

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel"
)

// A message that a workflow may go on names it, whatever its name is.
func TestAdmitTopic(t *testing.T) {
	t.Parallel()
	for _, w := range []trowel.WorkflowName{{ProjectID: 7, Name: "load"}, {ProjectID: 1 << 40, Name: "a/b c"}} {
		rest, ok := strings.CutPrefix(trowel.AdmitTopic(w), trowel.TopicAdmit+" ")
		if got, known := trowel.ParseAdmit(rest); !ok || !known || got != w {
			t.Errorf("ParseAdmit(%q) = %v, %v, want %v", rest, got, known, w)
		}
	}
	for _, text := range []string{"", "7", "7/", "x/y", "/y"} {
		if w, ok := trowel.ParseAdmit(text); ok {
			t.Errorf("ParseAdmit(%q) = %v", text, w)
		}
	}
}
