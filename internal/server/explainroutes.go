package server

import (
	"time"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/queue"
)

// ExplainOptions are the rules by which the flusher decides about ready tasks.
type ExplainOptions struct {
	Aging        time.Duration // a waiting task gains one of weight after it, see queue.aging; zero for never
	ReserveAfter time.Duration // see pool.reserve_after; zero for none
	MaxRunning   int           // see executor.max_running_tasks; zero for no limit
}

// explainRoutes tell why tasks do not run (ui.md, A28, A30).
func explainRoutes(o ExplainOptions) []route {
	h := &explainer{rules: queue.Rules{Aging: o.Aging, ReserveAfter: o.ReserveAfter}, maxRunning: o.MaxRunning}
	return []route{
		{
			method: "GET", path: "/api/attempts/{id:64}/why", name: "getAttemptWhy", verb: access.GetTasksFromAttempt, answer: api.AttemptWhy{},
			handle: h.getAttemptWhy, about: "Why an attempt, or a task of it, does not run or end, and how many of its tasks wait for what.",
			query: []parameter{QueryText("task", "The end of the full name of a task, from a + on; the attempt as a whole if it is missing.")},
		},
		{
			method: "GET", path: "/api/attempts/{id:64}/reasons", name: "getReasons", verb: access.GetTasksFromAttempt, answer: api.TaskReasonList{},
			handle: h.getReasons, about: "The first reason of each task of an attempt that neither runs nor is done, by id.", query: limitAndCursor(),
		},
		{
			method: "GET", path: "/api/attempts/{id:64}/tasks/{task:64}", name: "getTask", verb: access.GetTasksFromAttempt, answer: api.TaskDetail{},
			handle: h.getTask, about: "A task with its tries, and why it does not run.",
		},
		{
			method: "GET", path: "/api/attempts/{id:64}/tasks/{task:64}/why", name: "getTaskWhy", verb: access.GetTasksFromAttempt, answer: api.Why{},
			handle: h.getTaskWhy, about: "Why a task does not run: all reasons, and what is behind the first.",
		},
	}
}
