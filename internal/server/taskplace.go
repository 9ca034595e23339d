package server

import (
	"github.com/trowel-project/trowel/internal/api"
)

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
