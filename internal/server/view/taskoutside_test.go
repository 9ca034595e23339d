package view_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// Links and usage of tries stand in the document of their task and in the list of an attempt, added up for each task, and
// not in Digdag's list of tasks.
func TestTasksOutside(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	id := h.InsertTasks(t, "one", &trowel.Task{FullName: "+main+a", State: trowel.TaskRetryWaiting}, &trowel.Task{FullName: "+main+b", State: trowel.TaskReady})
	rows := servertest.Read[api.TaskCollection](t, h.Get(t, "/api/attempts/1/tasks"), 200).Tasks
	if len(rows) < 2 {
		t.Fatalf("%d tasks, want two at least", len(rows))
	}
	first, second := rows[len(rows)-2], rows[len(rows)-1]
	job, log := trowel.Link{Name: "job", URL: "https://example.com/1?a=b&c=d"}, trowel.Link{Name: "log", URL: "https://example.com/log"}
	at := time.Unix(1705276800, 0)
	try := func(task api.ID, number int, used trowel.Usage, links ...trowel.Link) trowel.Try {
		return trowel.Try{
			AttemptID: id, TaskID: trowel.TaskID(task), Number: number, FullName: "+main", EndedAt: at, Exit: trowel.ExitPoll, Links: links, Usage: used,
		}
	}
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		return tx.InsertTries(t.Context(), []trowel.Try{
			try(first.ID, 1, trowel.Usage{PeakMemory: 9, CPUTime: time.Second, BytesWritten: 1}, job),
			try(first.ID, 2, trowel.Usage{}),
			try(first.ID, 3, trowel.Usage{PeakMemory: 7, CPUTime: time.Second}, job, log),
			try(second.ID, 1, trowel.Usage{}),
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	links := api.List[api.Link]{{Name: job.Name, URL: job.URL}, {Name: log.Name, URL: log.URL}}
	used := &api.Usage{PeakMemoryBytes: 9, CPUTimeMs: 2000, BytesWritten: 1}
	list := servertest.Read[api.TaskOutsideList](t, h.Get(t, "/api/attempts/1/outside"), 200)
	want := api.List[api.TaskOutside]{{Task: api.TaskRef{ID: first.ID, Name: "+main"}, Links: links, Usage: used}}
	if diff := cmp.Diff(want, list.Items); diff != "" {
		t.Errorf("the list (-want +got):\n%s", diff)
	}
	detail := servertest.Read[api.TaskDetail](t, h.Get(t, "/api/attempts/1/tasks/"+first.ID.String()), 200)
	if diff := cmp.Diff(links, detail.Links) + cmp.Diff(used, detail.Usage); diff != "" {
		t.Errorf("links and usage of the task (-want +got):\n%s", diff)
	}
	if len(detail.Tries) != 3 || len(detail.Tries[0].Links) != 1 || detail.Tries[1].Usage != nil || detail.Tries[2].Usage.PeakMemoryBytes != 7 {
		t.Errorf("tries = %+v, want each with its own links and usage", detail.Tries)
	}
	if text := h.Get(t, "/api/attempts/1/tasks").Body; strings.Contains(text, "example.com") || strings.Contains(text, "usage") {
		t.Errorf("Digdag's list of tasks has links or usage: %s", text)
	}
}
