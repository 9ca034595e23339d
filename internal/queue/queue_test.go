package queue_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
)

// source has ready tasks with ids from first on.
type source struct {
	name  string
	ready []trowel.TaskID
}

func (s *source) NextReady() (trowel.TaskID, bool) {
	if len(s.ready) == 0 {
		return 0, false
	}
	return s.ready[0], true
}

// Sources take turns, each gives its tasks in order, and no more is given than asked for.
func TestPick(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		ready []string // a letter for each source, as often as it has tasks
		n     int
		want  string
	}{
		{"nobody has anything", []string{"", ""}, 5, ""},
		{"no sources", nil, 5, ""},
		{"no room", []string{"aa", "b"}, 0, ""},
		{"less than no room", []string{"aa", "b"}, -1, ""},
		{"one source", []string{"aaa"}, 2, "aa"},
		{"all of it", []string{"aaa"}, 9, "aaa"},
		{"a wide one does not keep a small one waiting", []string{"aaaaaa", "bb", "c"}, 6, "abcaba"},
		{"the room ends in the middle of a turn", []string{"aaa", "bbb", "ccc"}, 5, "abcab"},
		{"empty ones are passed over", []string{"", "bbb", "", "d"}, 9, "bdbb"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var sources []*source
			for i, letters := range row.ready {
				s := &source{name: letters}
				for j := range len(letters) {
					s.ready = append(s.ready, trowel.TaskID(100*i+j))
				}
				sources = append(sources, s)
			}
			var got strings.Builder
			last := map[*source]trowel.TaskID{}
			given := queue.Pick(sources, row.n, func(s *source, id trowel.TaskID) {
				if before, ok := last[s]; ok && id <= before {
					t.Errorf("task %d is given after %d", id, before)
				}
				last[s] = id
				s.ready = s.ready[1:]
				got.WriteByte(s.name[0])
			})
			if diff := cmp.Diff(row.want, got.String()); diff != "" || given != len(row.want) {
				t.Errorf("Pick gave %d tasks (-want +got):\n%s", given, diff)
			}
		})
	}
}
