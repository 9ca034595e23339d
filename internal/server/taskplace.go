package server

import (
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
)

// placeRoutes tell where tasks are written, which Digdag's answers about tasks do not have.
func placeRoutes() []route {
	return []route{{
		method: "GET", path: "/api/attempts/{id:64}/places", name: "getTaskPlaces", verb: access.GetTasksFromAttempt, answer: api.TaskPlaceList{},
		handle: getTaskPlaces, about: "Where the tasks of an attempt are written: file, line and column, by id of the task.",
	}}
}

func getTaskPlaces(c *call) (any, error) {
	tasks, err := attemptTasks(c)
	var list api.TaskPlaceList
	for _, t := range tasks {
		if t.Origin.Place != "" {
			list.Items = append(list.Items, api.TaskPlace{Task: api.TaskRef{ID: api.ID(t.ID), Name: t.FullName}, Place: t.Origin.Place})
		}
	}
	return list, err
}
