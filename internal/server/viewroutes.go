package server

import (
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
)

// viewRoutes are lists that are made for people: they join what the nouns have apart.
func viewRoutes() []route {
	return []route{
		{
			method: "GET", path: "/api/search/attempts", name: "searchAttempts", verb: access.ListSessionsOfSite, answer: api.AttemptSearch{},
			handle: searchAttempts, about: "Attempts by status, project, workflow and time, the newest first.",
			query: append(limitAndCursor(),
				QueryText("unit", "attempt, or session for the last attempt of each session alone; attempt if it is missing."),
				QueryText("status", "Only those of this status: running, success, error or killed."),
				QueryText("project", "Only those of the project of that name."),
				QueryText("workflow", "Only those of this workflow of the project."),
				QueryText("createdFrom", "Only those that were made then or later: an instant, as in 2026-01-02T03:04:05Z."),
				QueryText("createdTo", "Only those that were made before then."),
				QueryText("sort", "-createdAt, or createdAt for the oldest first; -createdAt if it is missing.")),
		},
		{
			method: "GET", path: "/api/attempts/{id:64}/places", name: "getTaskPlaces", verb: access.GetTasksFromAttempt, answer: api.TaskPlaceList{},
			handle: getTaskPlaces, about: "Where the tasks of an attempt are written: file, line and column, by id of the task.",
		},
	}
}
