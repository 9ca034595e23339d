package stream

import (
	"maps"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/events"
)

// frameRows is the largest number of rows in a frame.
const frameRows = 500

// taskFrame is a row of a frame of tasks.
type taskFrame struct {
	ID         api.ID  `json:"id"`
	State      string  `json:"state"`
	Try        int     `json:"try"`
	StartedAt  *string `json:"startedAt"`
	FinishedAt *string `json:"finishedAt"`
	Reason     *string `json:"reason"`
}

// tasksOf is a frame of tasks. Instead of very many rows it has only the numbers by state, and the groups whose children
// the client must read again.
type tasksOf struct {
	AttemptID api.ID              `json:"attemptId"`
	Rows      api.List[taskFrame] `json:"rows"`
	Counts    map[string]int      `json:"counts"`
	Stale     api.List[api.ID]    `json:"stale"`
}

func tasksFrame(attempt trowel.AttemptID, tasks map[trowel.TaskID]*events.TaskRow) tasksOf {
	frame := tasksOf{AttemptID: api.ID(attempt), Counts: map[string]int{}}
	stale := map[api.ID]struct{}{}
	for _, id := range slices.Sorted(maps.Keys(tasks)) {
		row := tasks[id]
		frame.Counts[row.State.String()]++
		if len(tasks) > frameRows {
			stale[api.ID(row.ParentID)] = struct{}{}
		} else {
			frame.Rows = append(frame.Rows, taskFrame{
				ID: api.ID(id), State: row.State.String(), Try: row.Try,
				StartedAt: document.OptInstant(row.StartedAt), FinishedAt: document.OptInstant(row.FinishedAt), Reason: document.OptText(row.Reason),
			})
		}
	}
	frame.Stale = slices.Sorted(maps.Keys(stale))
	return frame
}
