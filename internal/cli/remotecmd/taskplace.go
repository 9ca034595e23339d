package remotecmd

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
)

// placedTask is a task with its place, for programs.
type placedTask struct {
	*api.Task
	Place string `json:"place,omitempty"` // file:line:column
}

// taskPlaces returns the places of the tasks of an attempt by their ids. It has none if the server does not know them.
func taskPlaces(ctx context.Context, server *client.Client, id api.ID) map[api.ID]string {
	list, err := server.ListPlaces(ctx, id)
	if err != nil {
		return nil
	}
	places := make(map[api.ID]string, len(list.Items))
	for i := range list.Items {
		places[list.Items[i].Task.ID] = list.Items[i].Place
	}
	return places
}

// withPlaces adds their places to tasks.
func withPlaces(tasks []api.Task, places map[api.ID]string) any {
	placed := make([]placedTask, len(tasks))
	for i := range tasks {
		placed[i] = placedTask{&tasks[i], places[tasks[i].ID]}
	}
	return struct {
		Tasks []placedTask `json:"tasks"`
	}{placed}
}
