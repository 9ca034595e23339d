package remotecmd

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
)

// placedTask is a task with its place and what it has started and used outside, for programs.
type placedTask struct {
	*api.Task
	Place string     `json:"place,omitempty"` // file:line:column
	Links []api.Link `json:"links,omitempty"`
	Usage *api.Usage `json:"usage,omitempty"`
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

// withPlaces adds to tasks their places, and what they have started and used outside.
func withPlaces(tasks []api.Task, places map[api.ID]string, outside map[api.ID]*api.TaskOutside) any {
	placed := make([]placedTask, len(tasks))
	for i := range tasks {
		placed[i] = placedTask{Task: &tasks[i], Place: places[tasks[i].ID]}
		if o := outside[tasks[i].ID]; o != nil {
			placed[i].Links, placed[i].Usage = o.Links, o.Usage
		}
	}
	return struct {
		Tasks []placedTask `json:"tasks"`
	}{placed}
}
