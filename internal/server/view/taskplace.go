package view

import (
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

func getTaskPlaces(c *rest.Call) (any, error) {
	tasks, err := find.ReadTasks(c)
	var list api.TaskPlaceList
	for _, t := range tasks {
		if t.Origin.Place != "" {
			list.Items = append(list.Items, api.TaskPlace{Task: api.TaskRef{ID: api.ID(t.ID), Name: t.FullName}, Place: t.Origin.Place})
		}
	}
	return list, err
}
