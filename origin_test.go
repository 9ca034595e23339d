package trowel_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
)

// What is stored of where a task is written comes back as it was, and a place in another file keeps its own.
func TestOrigin(t *testing.T) {
	t.Parallel()
	const stored = `{"@":"a:b.dig:4:1","_do":{"@":"6:3","+b":"c.dig:7:5"},"_export":{"@":"1:1","_error":"3:3"},"_check":"5:1"}`
	whole := trowel.ParseOrigin(stored)
	if got := whole.Text(); got != stored {
		t.Errorf("Text() = %s, want %s", got, stored)
	}
	do := whole.Of("_do")
	inner, _ := do.Inside("+b")
	kept := whole.Keep([]string{"_do", "_check", "_else_do"}, func(key string) bool { return key != "_do" })
	got := map[string]string{
		"the task": whole.Place, "_do": do.Text(), "+b": inner.Text(), "_error of _export": whole.Of("_error").Text(),
		"_sla": whole.Of("_sla").Text(), "kept": kept.Text(), "nothing": trowel.ParseOrigin("").Text(),
		"a file with a brace": trowel.ParseOrigin("{x.dig:1:1").Text(), "no places": trowel.ParseOrigin(`{"@":1,"_do":[2]}`).Of("_do").Text(),
	}
	want := map[string]string{
		"the task": "a:b.dig:4:1", "_do": `{"@":"a:b.dig:6:3","+b":"c.dig:7:5"}`, "+b": "c.dig:7:5", "_error of _export": "a:b.dig:3:3",
		"_sla": "a:b.dig:4:1", "kept": `{"@":"a:b.dig:4:1","_check":"5:1"}`, "nothing": "", "a file with a brace": "{x.dig:1:1", "no places": "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if _, ok := whole.Inside("@"); ok {
		t.Error("Inside(@) is a body, want none")
	}
}
