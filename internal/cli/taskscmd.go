package cli

import (
	"context"
	"strings"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
)

// runTasks lists the tasks of an attempt (server 1.10.13).
func runTasks(ctx context.Context, c *call) error {
	id, err := c.firstID()
	if err != nil {
		return err
	}
	list := func(ctx context.Context, c *call, server *client.Client) error {
		tasks, err := server.ListTasks(ctx, id)
		if err != nil {
			return err
		}
		if len(tasks.Tasks) == 0 { // is there such an attempt?
			if _, err := server.FindAttempt(ctx, id); err != nil {
				return err
			}
		}
		if c.args.given("--json") {
			return c.printJSON(tasks)
		}
		for i := range tasks.Tasks {
			c.printTask(&tasks.Tasks[i])
		}
		say(c.env.Stdout, "%d entries.\n", len(tasks.Tasks))
		return nil
	}
	return remote(list)(ctx, c)
}

func (c *call) printTask(t *api.Task) {
	parent := "null"
	if t.ParentID != nil {
		parent = t.ParentID.String()
	}
	upstreams := make([]string, len(t.Upstreams))
	for i, id := range t.Upstreams {
		upstreams[i] = id.String()
	}
	say(c.env.Stdout, "   id: %s\n   name: %s\n   state: %s\n   started: %s\n   updated: %s\n",
		t.ID, t.FullName, c.status(t.State), c.optLocal(t.StartedAt), c.local(t.UpdatedAt))
	say(c.env.Stdout, "   config: %s\n   parent: %s\n   upstreams: [%s]\n", paramsText(t.Config), parent, strings.Join(upstreams, ", "))
	say(c.env.Stdout, "   export params: %s\n   store params: %s\n   state params: %s\n\n",
		paramsText(t.ExportParams), paramsText(t.StoreParams), paramsText(t.StateParams))
}
