package remotecmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// The forms of agents.
const (
	agentsList    = "list"
	agentsShow    = "show"
	agentsDrain   = "drain"
	agentsUndrain = "undrain"
)

// Agents returns the row of the command agents.
func Agents() cmd.Command {
	return cmd.Command{
		Name: "agents", Section: cmd.SectionServer, Remote: true, Extra: true,
		Lines: []cmd.Line{{Form: "agents [list|show|drain|undrain]", Text: "show agents, and let them take nothing new"}},
		Usage: []string{
			"agents [list]            show all agents",
			"agents show <agent>      show an agent, by id or name, and what it runs",
			"agents drain <agent>     let it take nothing new; what it runs goes on",
			"agents undrain <agent>   let it take tasks again",
		},
		Max: 2, Operand: cmd.OneOf(agentsList, agentsShow, agentsDrain, agentsUndrain),
		Options: []cmd.Option{noteOption, jsonOption},
		Run:     runAgents,
	}
}

// runAgents lists, shows and drains agents.
func runAgents(ctx context.Context, c *cmd.Call) error {
	form, rest := agentsList, c.Args.Positional
	if len(rest) > 0 {
		form, rest = rest[0], rest[1:]
	}
	forms := []string{agentsList, agentsShow, agentsDrain, agentsUndrain}
	switch {
	case !slices.Contains(forms, form):
		return c.UsageError("Invalid command").Hinting("%s", cmd.DidYouMean(cmd.NearWord(form, forms)))
	case form == agentsList && len(rest) > 0:
		return c.UsageError("agents list takes no argument")
	case form != agentsList && len(rest) == 0:
		return c.UsageError("agents "+form+" needs the id or name of an agent").Hinting("`%s` shows them", c.Hinted("agents"))
	case c.Args.Given("--note") && form != agentsDrain && form != agentsUndrain:
		return c.UsageError("--note is an option of agents drain and undrain")
	}
	return remote(func(ctx context.Context, c *cmd.Call, server *client.Client) error {
		all, err := listAgents(ctx, server)
		if err != nil || form == agentsList {
			return printAgents(c, all, err)
		}
		a, err := agentNamed(c, all, rest[0])
		if err != nil {
			return err
		}
		if form == agentsShow {
			return showAgent(ctx, c, server, a)
		}
		done, err := server.DrainAgent(ctx, a.ID, form == agentsUndrain, api.NoteRequest{Note: c.Args.Text("--note")})
		if err != nil {
			return err
		}
		if c.Args.Given("--json") {
			return cmd.PrintJSON(c, done)
		}
		if form == agentsUndrain {
			terminal.Say(c.Env.Stdout, "Agent '%s' takes tasks again.\n", done.Name)
		} else {
			terminal.Say(c.Env.Stdout, "Agent '%s' takes nothing new. It runs %s.\n", done.Name, textutil.Count(done.Used, "task", "tasks"))
		}
		return nil
	})(ctx, c)
}

// listAgents reads all agents.
func listAgents(ctx context.Context, server *client.Client) (*api.AgentList, error) {
	all := &api.AgentList{}
	for page := (client.Cursor{Limit: largestPage}); ; {
		list, err := server.ListAgents(ctx, page)
		if err != nil {
			return nil, err
		}
		all.Items = append(all.Items, list.Items...)
		if list.Next == nil {
			return all, nil
		}
		page.Next = *list.Next
	}
}

// agentNamed finds an agent by its id, or by its name if only one has it.
func agentNamed(c *cmd.Call, all *api.AgentList, text string) (*api.Agent, error) {
	var found []*api.Agent
	var names []string
	for i := range all.Items {
		a := &all.Items[i]
		if a.ID == text {
			return a, nil
		}
		if a.Name == text {
			found = append(found, a)
		}
		names = append(names, a.Name)
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		text := fmt.Sprintf("there is no agent with the id or name %q", text)
		if near := cmd.NearWord(text, names); near != "" {
			text += "\n" + cmd.DidYouMean(near)
		}
		return nil, &cmd.ComplaintError{Text: text}
	}
	return nil, &cmd.ComplaintError{Text: fmt.Sprintf("%d agents have the name %q\nfix: use the id of one, as `%s` shows it", len(found), text, c.Hinted("agents"))}
}

func printAgents(c *cmd.Call, all *api.AgentList, err error) error {
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, all)
	}
	slices.SortStableFunc(all.Items, func(a, b api.Agent) int { return cmp.Compare(a.Name, b.Name) })
	if view := newListView(c); view != nil {
		view.show(agentTable(view, all.Items), "There are no agents: nothing runs. A server has one unless it is told not to; `"+c.Program+" agent` starts another.")
		return nil
	}
	terminal.Say(c.Env.Stdout, "Agents:\n")
	for i := range all.Items {
		printAgent(c, &all.Items[i])
	}
	terminal.Say(c.Env.Stdout, "%d entries.\n", len(all.Items))
	return nil
}

func printAgent(c *cmd.Call, a *api.Agent) {
	slots := unlimitedText
	if a.Slots != nil {
		slots = strconv.Itoa(*a.Slots)
	}
	state := a.State
	if a.RestReason != nil {
		state += " (" + *a.RestReason + ")"
	}
	terminal.Say(c.Env.Stdout, "  id: %s\n  name: %s\n  state: %s\n  host: %s\n  version: %s\n  remote: %t\n", a.ID, a.Name, state, a.Host, a.Version, a.Remote)
	terminal.Say(c.Env.Stdout, "  queues: %s\n  labels: %s\n  slots: %s\n  used: %d\n", strings.Join(a.Queues, ", "), strings.Join(a.Labels, ", "), slots, a.Used)
	terminal.Say(c.Env.Stdout, "  limits: %s\n", limitsText(&a.Limits))
	terminal.Say(c.Env.Stdout, "  last heartbeat: %s\n  lease ends: %s\n  drained at: %s\n\n",
		localText(c, &a.HeartbeatAt), localText(c, &a.LeaseEndsAt), localText(c, a.DrainedAt))
}

// limitsText lists the limits of commands that an agent keeps, each with its bound if there is one.
func limitsText(l *api.KeptLimits) string {
	bounds := trowel.CommandLimits(l.Max)
	bounded := bounds.Names()
	var list []string
	for _, name := range l.Names {
		if slices.Contains(bounded, name) {
			name += " up to " + bounds.Text(name)
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

// showAgent shows an agent and what it runs.
func showAgent(ctx context.Context, c *cmd.Call, server *client.Client, a *api.Agent) error {
	tasks, err := server.ListAgentTasks(ctx, a.ID, client.Cursor{})
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, struct {
			Agent *api.Agent         `json:"agent"`
			Tasks *api.AgentTaskList `json:"tasks"`
		}{a, tasks})
	}
	printAgent(c, a)
	terminal.Say(c.Env.Stdout, "Running tasks:\n")
	for i := range tasks.Items {
		t := &tasks.Items[i]
		terminal.Say(c.Env.Stdout, "  attempt %s  %s/%s  %s  try: %d  since: %s\n", t.AttemptID, t.Project.Name, t.Workflow, t.FullName, t.Try, localText(c, &t.StartedAt))
	}
	more := ""
	if tasks.Next != nil {
		more = " There are more."
	}
	terminal.Say(c.Env.Stdout, "%d entries.%s\n", len(tasks.Items), more)
	return nil
}

// Queues returns the row of the command queues.
func Queues() cmd.Command {
	return cmd.Command{
		Name: "queues", Aliases: []string{"queue"}, Section: cmd.SectionServer, Remote: true, Extra: true,
		Lines:   []cmd.Line{{Form: "queues", Text: "show queues, and what is ready and runs in them"}},
		Options: []cmd.Option{jsonOption},
		Run:     remote(runQueues),
	}
}

// runQueues lists the queues.
func runQueues(ctx context.Context, c *cmd.Call, server *client.Client) error {
	list, err := server.ListQueues(ctx)
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, list)
	}
	if view := newListView(c); view != nil {
		view.show(queueTable(list.Items), "There are no queues: no agent serves one, and no task names one.")
		return nil
	}
	terminal.Say(c.Env.Stdout, "Queues:\n")
	for i := range list.Items {
		q := &list.Items[i]
		slots := unlimitedText
		if q.Slots != nil {
			slots = strconv.Itoa(*q.Slots)
		}
		terminal.Say(c.Env.Stdout, "  name: %s\n  ready: %d%s\n  running: %d\n  agents: %d\n  slots: %s\n%s\n", q.Name, q.Ready, waited(q.OldestReadyMS), q.Running, q.Agents, slots, paceText(q))
	}
	terminal.Say(c.Env.Stdout, "%d entries.\n", len(list.Items))
	return nil
}

// paceText says how fast tasks of a queue were recently handed to agents; empty if none were, or if the server does not
// say.
func paceText(q *api.Queue) string {
	if q.P50MS == nil || q.P99MS == nil || q.RatePerMin == nil {
		return ""
	}
	return fmt.Sprintf("  hand-off: half within %s, 99 %% within %s; %s tasks a minute\n", shortText(*q.P50MS), shortText(*q.P99MS), figure(*q.RatePerMin))
}

// shortText formats a duration that may be short.
func shortText(ms float64) string {
	if ms < 10_000 {
		return figure(ms) + " ms"
	}
	return lengthText(int64(ms))
}

// figure formats a number with three significant digits, and all those before the point.
func figure(x float64) string {
	if x >= 100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

func millis(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }
