package explain

import (
	"time"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/server/outline"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Options are the settings by which the flusher chooses tasks.
type Options struct {
	Aging        time.Duration // after which a waiting task gains one of weight, see queue.aging; zero for never
	ReserveAfter time.Duration // see pool.reserve_after; zero for none
	MaxRunning   int           // see executor.max_running_tasks; zero for no limit
}

// Routes are the paths that explain why tasks do not run. outlines has the trees of attempts.
func Routes(o Options, outlines *outline.Cache) []rest.Route {
	h := &handlers{
		rules:    rules{queue: queue.Rules{Aging: o.Aging, ReserveAfter: o.ReserveAfter}, maxRunning: o.MaxRunning},
		outlines: outlines,
	}
	h.lists = h.rules
	h.lists.competitors = &competitors{}
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
		{
			Method: "GET", Path: "/api/projects/{id:32}/workflows/{name}/why", Name: "getSessionWhy", Verb: access.GetWorkflow, Answer: api.SessionWhy{},
			Handle: whySession, About: "Why a session of a workflow has no attempt.",
			Query: []rest.Parameter{rest.QueryText("sessionTime", "The session time, as 2026-01-02T00:00:00+09:00.")},
		},
		{
			Method: "GET", Path: "/api/attempts/{id:64}/tree", Name: "getTree", Verb: access.GetTasksFromAttempt, Answer: api.TreePage{},
			Handle: h.getTree, About: "The tasks of an attempt as a tree, by level and page, with how many of those below are in which state.",
			Query: append(rest.PageParams(),
				rest.QueryText("parent", "Only tasks below the one of this id; from the root on if it is missing."),
				rest.QueryInt("depth", "So many levels; 1 if it is missing."),
				rest.QueryText("filter", "Only tasks of these states, and what is above them: words with commas between them. failed, waiting, queued, not_reached, superseded, or the name of a state."),
				rest.QueryText("q", "Only tasks whose full name has this part, and what is above them."),
				rest.QueryFlag("flat", "All levels."),
				rest.QueryText("sort", "order for as written, ms for the longest first, start for the earliest first; order if it is missing."),
				rest.QueryText("around", "The id or full name of a task: what is above it, and as many of its siblings as limit says."),
				rest.QueryText("fields", "What is not always needed: tries, reason, with commas between them; reason if it is missing."),
			),
		},
	}
}
