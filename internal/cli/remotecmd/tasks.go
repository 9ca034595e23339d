package remotecmd

import (
	"context"
	"fmt"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Tasks returns the row of the command task.
func Tasks() cmd.Command {
	return cmd.Command{
		Name: "task", Aliases: []string{"tasks"}, Section: cmd.SectionSession, Remote: true,
		Lines: []cmd.Line{{Form: "tasks <attempt-id>", Text: "show the tasks of an attempt"}},
		Min:   1, Max: 1,
		Options: []cmd.Option{
			cmd.TextOption("STATE", "show only those in this state, as in error or running", "--status").
				Offering(cmd.OneOf(taskStates()...)).Checked(knownState),
			jsonOption,
		},
		Run: runTasks,
	}
}

// runTasks lists the tasks of an attempt (server 1.10.13).
func runTasks(ctx context.Context, c *cmd.Call) error {
	id, err := firstID(c)
	if err != nil {
		return err
	}
	list := func(ctx context.Context, c *cmd.Call, server *client.Client) error {
		tasks, err := server.ListTasks(ctx, id)
		if err != nil {
			return err
		}
		if len(tasks.Tasks) == 0 { // is there such an attempt?
			if _, err := server.FindAttempt(ctx, id); err != nil {
				return err
			}
		}
		shown := tasksIn(tasks.Tasks, c.Args.Text("--status"))
		var outside map[api.ID]*api.TaskOutside
		if len(shown) > 0 {
			outside = tasksOutside(ctx, server, id)
		}
		if c.Args.Given("--json") {
			return cmd.PrintJSON(c, withPlaces(shown, taskPlaces(ctx, server, id), outside))
		}
		reasons := waitReasons(ctx, server, id, tasks)
		if view := newListView(c); view != nil {
			for task := range reasons {
				reasons[task] = view.localTimes(reasons[task])
			}
			none := fmt.Sprintf("Attempt %s has no tasks", id)
			if state := c.Args.Text("--status"); state != "" {
				none += " of the state " + state
			}
			view.show(taskTable(view, shown, loopNames(tasks.Tasks), reasons, taskPlaces(ctx, server, id), outside), none+".", view.failureHint(id, shown), view.timesHint())
			return nil
		}
		for i := range shown {
			printTask(c, &shown[i], reasons[shown[i].ID], outside[shown[i].ID])
		}
		terminal.Say(c.Env.Stdout, "%d entries.\n", len(shown))
		return nil
	}
	return remote(list)(ctx, c)
}

// taskStates returns the values of --status.
func taskStates() []string {
	var words []string
	for state := trowel.TaskBlocked; state <= trowel.TaskAwaitingInput; state++ {
		words = append(words, state.String())
	}
	return words
}

// knownState checks --status.
func knownState(value string) string { return statusAmong(value, taskStates()) }

// waitReasons returns why tasks wait, by their ids, while the attempt goes on. Tasks that an ended attempt did not reach
// have no reason. A server may not know the reasons.
func waitReasons(ctx context.Context, server *client.Client, id api.ID, tasks *api.TaskCollection) map[api.ID]string {
	if len(tasks.Tasks) == 0 || !goesOn(tasks.Tasks[0].State) {
		return nil
	}
	texts := map[api.ID]string{}
	for cursor := ""; len(texts) < maxReasons; {
		page, err := server.ListReasons(ctx, id, cursor)
		if err != nil {
			return texts
		}
		for i := range page.Items {
			item := &page.Items[i]
			texts[item.Task.ID] = item.Reason.Text
		}
		if page.Next == nil {
			return texts
		}
		cursor = *page.Next
	}
	return texts
}

// maxReasons is for how many tasks a server is asked for the reason.
const maxReasons = 2000

// goesOn reports whether a root in this state, or an attempt of this status, is not done.
func goesOn(state string) bool {
	switch state {
	case "success", "error", "group_error", "canceled", "killed":
		return false
	}
	return true
}

func printTask(c *cmd.Call, t *api.Task, reason string, outside *api.TaskOutside) {
	parent := "null"
	if t.ParentID != nil {
		parent = t.ParentID.String()
	}
	upstreams := make([]string, len(t.Upstreams))
	for i, id := range t.Upstreams {
		upstreams[i] = id.String()
	}
	terminal.Say(c.Env.Stdout, "   id: %s\n   name: %s\n   state: %s\n   started: %s\n   updated: %s\n",
		t.ID, t.FullName, statusText(c, t.State), optLocalTime(c, t.StartedAt), localTime(c, t.UpdatedAt))
	terminal.Say(c.Env.Stdout, "   config: %s\n   parent: %s\n   upstreams: [%s]\n", paramsText(t.Config), parent, strings.Join(upstreams, ", "))
	terminal.Say(c.Env.Stdout, "   export params: %s\n   store params: %s\n   state params: %s\n",
		paramsText(t.ExportParams), paramsText(t.StoreParams), paramsText(t.StateParams))
	if reason != "" {
		terminal.Say(c.Env.Stdout, "   reason: %s\n", reason)
	}
	for _, link := range linkLines(outside) {
		terminal.Say(c.Env.Stdout, "   link: %s\n", link)
	}
	if used := usageText(outside); used != "" && c.Env.Terminals.Stdout { // programs read the form that Digdag has
		terminal.Say(c.Env.Stdout, "   used: %s\n", used)
	}
	terminal.Say(c.Env.Stdout, "\n")
}
