package cluster_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
)

func ids(n ...trowel.AttemptID) []trowel.AttemptID { return n }

// Servers of other versions read messages in this form.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text    string
		message cluster.Message
	}{
		{"", cluster.Gap{}},
		{"limits", cluster.Limits{}},
		{"agents", cluster.Agents{}},
		{"writers", cluster.Writers{}},
		{"logins", cluster.Logins{}},
		{"admit 7/load", cluster.Admit{ProjectID: 7, Name: "load"}},
		{"admit 1099511627776/a/b c", cluster.Admit{ProjectID: 1 << 40, Name: "a/b c"}},
		{"schedules", cluster.Schedules{}},
		{"schedules 7 3 a b", cluster.Schedules{ID: 7, ProjectID: 3, Workflow: "a b"}},
		{"attempts", cluster.Attempts{Any: true}},
		{"attempts 7", cluster.Attempts{Changed: ids(7)}},
		{"attempts +7 ^5", cluster.Attempts{Changed: ids(7), Ready: ids(7), Weight: 5}},
		{"attempts 1 +2 3 !3 !2 limits", cluster.Attempts{Changed: ids(1, 2, 3), Ready: ids(2), Noted: ids(3, 2), Limits: true}},
		{"attempts limits", cluster.Attempts{Limits: true}},
		{"output", cluster.Output{}},
		{
			`output [{"a":4,"t":"+a b","o":5,"s":11},{"a":5,"t":"+a","o":0,"s":7}]`,
			cluster.Output{Tasks: []cluster.TaskOutput{{AttemptID: 4, Task: "+a b", Offset: 5, Size: 11}, {AttemptID: 5, Task: "+a", Size: 7}}},
		},
	} {
		if got := tc.message.String(); got != tc.text {
			t.Errorf("message of %+v = %q, want %q", tc.message, got, tc.text)
		}
		if diff := cmp.Diff(tc.message, cluster.Parse(tc.text)); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", tc.text, diff)
		}
	}
}

// A message from a newer server, or a broken one, is skipped or means that anything may have changed.
func TestParseOthers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]cluster.Message{
		"assets 7": nil, "admit": nil, "admit 7": nil, "admit 7/": nil, "admit x/y": nil, "admit /y": nil,
		"schedules x 3 w": cluster.Schedules{}, "schedules 7 x w": cluster.Schedules{}, "schedules 7 3": cluster.Schedules{},
		"output [": cluster.Output{}, "attempts 1 ?2 x !": cluster.Attempts{Changed: ids(1)}, "attempts x": cluster.Attempts{Any: true},
		"attempts 7 +7 7 +7": cluster.Attempts{Changed: ids(7), Ready: ids(7)},
	} {
		if diff := cmp.Diff(want, cluster.Parse(text)); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", text, diff)
		}
	}
}

// A message never has more bytes than PostgreSQL accepts. If it would, it does not name anything.
func TestMessagesAreShort(t *testing.T) {
	t.Parallel()
	const largest = trowel.AttemptID(math.MaxInt64)
	many := make([]trowel.AttemptID, 150)
	for i := range many {
		many[i] = largest - trowel.AttemptID(i)
	}
	more := append(slices.Clone(many), 1)
	chunks := make([]trowel.LogChunk, 1000)
	for i := range chunks {
		chunks[i] = trowel.LogChunk{AttemptID: trowel.AttemptID(i), File: "+a@x.log.gz", TextBytes: 5}
	}
	for _, message := range []cluster.Message{
		cluster.Attempts{Changed: many, Ready: many, Noted: many, Weight: math.MinInt32, Limits: true},
		cluster.Attempts{Changed: more, Noted: many},
		cluster.OutputOf(chunks[:100]), cluster.OutputOf(chunks),
	} {
		if text := message.String(); len(text) >= 8000 {
			t.Errorf("message of %d bytes", len(text))
		}
	}
	if got := (cluster.Attempts{Changed: more, Noted: many}).String(); got != "attempts" {
		t.Errorf("message about 301 ids = %q, want attempts", got)
	}
	if got := cluster.OutputOf(chunks).String(); got != "output" {
		t.Errorf("message about 1,000 tasks = %q, want output", got)
	}
}

// Among several pieces of a task's output the message has the last one.
func TestOutputOf(t *testing.T) {
	t.Parallel()
	got := cluster.OutputOf([]trowel.LogChunk{
		{AttemptID: 4, File: "+a b@x.log.gz", TextBytes: 5},
		{AttemptID: 5, File: "+a b@x.log.gz", TextBytes: 7},
		{AttemptID: 4, File: "+a b@x.log.gz", Offset: 5, TextBytes: 6},
	})
	want := cluster.Output{Tasks: []cluster.TaskOutput{{AttemptID: 4, Task: "+a b", Offset: 5, Size: 11}, {AttemptID: 5, Task: "+a b", Size: 7}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// FuzzParse proves that any text is read, and that a message that was read and written is read as the same.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "attempts 1 +2 !3 ^5 limits", "admit 7/a", "schedules 1 2 w", `output [{"a":1}]`, "limits", "agents", "other"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		message := cluster.Parse(text)
		if message == nil || len(text) > 500 {
			return // a message that is too long loses its content
		}
		if diff := cmp.Diff(message, cluster.Parse(message.String())); diff != "" {
			t.Errorf("message of %q (-first +again):\n%s", text, diff)
		}
	})
}
