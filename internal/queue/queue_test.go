package queue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
)

// waiting is a source with some ready tasks, in their order.
type waiting struct{ ready []trowel.TaskID }

func (w *waiting) NextReady() (trowel.TaskID, bool) {
	if len(w.ready) == 0 {
		return 0, false
	}
	return w.ready[0], true
}

func TestPickTakesOneOfEachInTurn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		room    int
		sources [][]trowel.TaskID
		want    []trowel.TaskID
	}{
		{"no room", 0, [][]trowel.TaskID{{1}}, nil},
		{"no source", 3, nil, nil},
		{"nothing ready", 3, [][]trowel.TaskID{{}, {}}, nil},
		{"a wide one beside a small one", 3, [][]trowel.TaskID{{1, 2, 3, 4}, {11}}, []trowel.TaskID{1, 11, 2}},
		{"room for more than there is", 9, [][]trowel.TaskID{{1, 2}, {}, {21, 22, 23}}, []trowel.TaskID{1, 21, 2, 22, 23}},
		{"room for fewer than there are sources", 2, [][]trowel.TaskID{{1}, {11}, {21}}, []trowel.TaskID{1, 11}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var sources []*waiting
			for _, ready := range test.sources {
				sources = append(sources, &waiting{ready})
			}
			var got []trowel.TaskID
			given := queue.Pick(sources, test.room, func(w *waiting, id trowel.TaskID) {
				w.ready = w.ready[1:]
				got = append(got, id)
			})
			if diff := cmp.Diff(test.want, got); diff != "" || given != len(got) {
				t.Errorf("Pick = %d, claims (-want +got):\n%s", given, diff)
			}
		})
	}
}
