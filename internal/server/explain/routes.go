package explain

import (
	"time"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Options are the settings by which the flusher chooses tasks.
type Options struct {
	Aging        time.Duration // after which a waiting task gains one of weight, see queue.aging; zero for never
	ReserveAfter time.Duration // see pool.reserve_after; zero for none
	MaxRunning   int           // see executor.max_running_tasks; zero for no limit
}

// Routes are the paths that explain why tasks do not run.
func Routes(o Options) []rest.Route {
	h := &handlers{rules{queue: queue.Rules{Aging: o.Aging, ReserveAfter: o.ReserveAfter}, maxRunning: o.MaxRunning}}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/attempts/{id:64}/why", Name: "getAttemptWhy", Verb: access.GetTasksFromAttempt, Answer: api.AttemptWhy{},
			Handle: h.getAttemptWhy, About: "Why an attempt, or a task of it, does not run or end, and how many of its tasks wait for what.",
			Query: []rest.Parameter{rest.QueryText("task", "The end of the full name of a task, from a + on; the attempt as a whole if it is missing.")},
		},
		{
			Method: "GET", Path: "/api/attempts/{id:64}/reasons", Name: "getReasons", Verb: access.GetTasksFromAttempt, Answer: api.TaskReasonList{},
			Handle: h.getReasons, About: "The first reason of each task of an attempt that neither runs nor is done, by id.", Query: rest.PageParams(),
		},
		{
			Method: "GET", Path: "/api/attempts/{id:64}/tasks/{task:64}", Name: "getTask", Verb: access.GetTasksFromAttempt, Answer: api.TaskDetail{},
			Handle: h.getTask, About: "A task with its tries, and why it does not run.",
		},
		{
			Method: "GET", Path: "/api/attempts/{id:64}/tasks/{task:64}/why", Name: "getTaskWhy", Verb: access.GetTasksFromAttempt, Answer: api.Why{},
			Handle: h.getTaskWhy, About: "Why a task does not run: all reasons, and what is behind the first.",
		},
	}
}
