package remotecmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// The forms of pools.
const (
	poolsList   = "list"
	poolsShow   = "show"
	poolsSet    = "set"
	poolsDelete = "delete"
)

// unlimitedText is the word for a pool without limit, in arguments and output.
const unlimitedText = "unlimited"

// Pools returns the row of the command pools.
func Pools() cmd.Command {
	return cmd.Command{
		Name: "pools", Aliases: []string{"pool"}, Section: cmd.SectionServer, Remote: true, Extra: true,
		Lines: []cmd.Line{{Form: "pools [list|show|set|delete]", Text: "list, make, change and delete pools"}},
		Usage: []string{
			"pools [list]                 show all pools, how much of them is used",
			"pools show <name>            show a pool, who holds slots and who waits",
			"pools set <name> [<slots>]   make or change one: a number, or unlimited",
			"pools delete <name>          delete a pool",
		},
		Max: 3, Operand: cmd.OneOf(poolsList, poolsShow, poolsSet, poolsDelete),
		Options: []cmd.Option{
			cmd.TextOption("PROJECT", "the pool is that of a project: only its tasks may use it", "--project"),
			cmd.TextOption("TEXT", "set: what the pool is for", "--description"),
			cmd.FlagOption("set: tasks keep their slots while they are deferred", "--include-deferred"),
			cmd.FlagOption("set: they give them back", "--no-include-deferred"),
			noteOption,
			cmd.FlagOption("show what would be changed", "-d", "--dry-run"),
			jsonOption,
		},
		Run: runPools,
	}
}

// runPools lists, shows, makes, changes and deletes pools (control K801).
func runPools(ctx context.Context, c *cmd.Call) error {
	do, err := poolsForm(c)
	if err != nil {
		return err
	}
	return remote(do)(ctx, c)
}

// poolsForm checks the command line and returns what it asks for.
func poolsForm(c *cmd.Call) (func(context.Context, *cmd.Call, *client.Client) error, error) {
	form, rest := poolsList, c.Args.Positional
	if len(rest) > 0 {
		form, rest = rest[0], rest[1:]
	}
	if form != poolsSet {
		for _, option := range []string{"--description", "--include-deferred", "--no-include-deferred"} {
			if c.Args.Given(option) {
				return nil, c.UsageError(option + " is an option of pools " + poolsSet)
			}
		}
	}
	switch {
	case form == poolsList && len(rest) == 0:
		return listPools, nil
	case form == poolsShow && len(rest) == 1:
		return func(ctx context.Context, c *cmd.Call, server *client.Client) error {
			return showPool(ctx, c, server, rest[0])
		}, nil
	case form == poolsSet && (len(rest) == 1 || len(rest) == 2):
		request, err := poolRequest(c, rest[0], rest[1:])
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, c *cmd.Call, server *client.Client) error {
			done, err := server.SetPool(ctx, c.Args.Text("--project"), rest[0], request)
			return printPoolChange(c, done, err)
		}, nil
	case form == poolsDelete && len(rest) == 1:
		return func(ctx context.Context, c *cmd.Call, server *client.Client) error {
			done, err := server.DeletePool(ctx, c.Args.Text("--project"), rest[0], c.Args.Text("--note"), c.Args.Given("--dry-run"))
			return printPoolChange(c, done, err)
		}, nil
	}
	switch form {
	case poolsList:
		return nil, c.UsageError("pools list takes no argument")
	case poolsShow, poolsDelete:
		return nil, c.UsageError("pools " + form + " needs the name of a pool")
	case poolsSet:
		return nil, c.UsageError("pools set needs the name of a pool and a number of slots")
	}
	return nil, c.UsageError("Invalid command").Hinting("%s", cmd.DidYouMean(cmd.NearWord(form, []string{poolsList, poolsShow, poolsSet, poolsDelete})))
}

// poolRequest returns the request of pools set; slots has at most one text.
func poolRequest(c *cmd.Call, name string, slots []string) (api.PoolRequest, error) {
	r := api.PoolRequest{Note: c.Args.Text("--note"), DryRun: c.Args.Given("--dry-run")}
	if len(slots) == 1 {
		n, err := strconv.Atoi(slots[0])
		switch {
		case slots[0] == unlimitedText:
			n = -1
		case err != nil || n < -1:
			none := "with 0 slots nothing starts that names the pool"
			if name == trowel.DefaultPool && c.Args.Text("--project") == "" {
				none = "with 0 slots nothing starts that names no pool"
			}
			return r, c.UsageError("the number of slots must be 0 or more, or "+unlimitedText+", not "+strconv.Quote(slots[0])).Hinting("%s", none)
		}
		r.Slots = &n
	}
	if c.Args.Given("--description") {
		text := c.Args.Text("--description")
		r.Description = &text
	}
	include, without := c.Args.Given("--include-deferred"), c.Args.Given("--no-include-deferred")
	switch {
	case include && without:
		return r, c.UsageError("--include-deferred and --no-include-deferred don't work together")
	case include || without:
		r.IncludeDeferred = &include
	}
	if r.Slots == nil && r.Description == nil && r.IncludeDeferred == nil {
		return r, c.UsageError("pools set needs a number of slots, or an option that changes something")
	}
	return r, nil
}

// listPools shows all pools.
func listPools(ctx context.Context, c *cmd.Call, server *client.Client) error {
	all := &api.PoolList{}
	for page := (client.Cursor{Limit: largestPage}); ; {
		list, err := server.ListPools(ctx, c.Args.Text("--project"), page)
		if err != nil {
			return err
		}
		all.Items, all.Missing = append(all.Items, list.Items...), list.Missing
		if list.Next == nil {
			break
		}
		page.Next = *list.Next
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, all)
	}
	if view := newListView(c); view != nil {
		view.show(poolTable(all.Items), "There are no pools.")
	} else {
		terminal.Say(c.Env.Stdout, "Pools:\n")
		for i := range all.Items {
			printPool(c, &all.Items[i])
		}
		terminal.Say(c.Env.Stdout, "%d entries.\n", len(all.Items))
	}
	for _, m := range all.Missing {
		terminal.Say(c.Env.Stderr, "%s for the pool '%s', which does not exist%s. Use `%s` to make it.\n",
			textutil.Count(m.Waiting, "task waits", "tasks wait"), m.Name, waited(m.OldestWaitMS), c.Hinted("pools set "+textutil.ShellQuote(m.Name)+" SLOTS"))
	}
	return nil
}

// largestPage is how many items a page of Trowel's own lists has at most.
const largestPage = 500

func printPool(c *cmd.Call, p *api.Pool) {
	project := ""
	if p.Project != nil {
		project = p.Project.Name
	}
	open := unlimitedText
	if p.Open != nil {
		open = strconv.Itoa(*p.Open)
	}
	terminal.Say(c.Env.Stdout, "  name: %s\n  project: %s\n  slots: %s\n  used: %d\n  open: %s\n  waiting: %d%s\n  include deferred: %t\n  description: %s\n\n",
		p.Name, project, slotsText(p.Slots), p.Used, open, p.Waiting, waited(p.OldestWaitMS), p.IncludeDeferred, p.Description)
}

func slotsText(slots int) string {
	if slots < 0 {
		return unlimitedText
	}
	return strconv.Itoa(slots)
}

// waited says how long the oldest of some tasks has waited; empty if none does.
func waited(ms *int64) string {
	if ms == nil {
		return ""
	}
	return fmt.Sprintf(" (the oldest for %s)", lengthText(*ms))
}

// lengthText returns how long something is, whether it is past or future.
func lengthText(ms int64) string { return strings.TrimPrefix(textutil.Distance(millis(ms)), "in ") }

// showPool shows a pool, who holds it and who waits for it.
func showPool(ctx context.Context, c *cmd.Call, server *client.Client, name string) error {
	project := c.Args.Text("--project")
	p, err := server.FindPool(ctx, project, name)
	if err != nil {
		return err
	}
	holding, err := server.ListPoolTasks(ctx, project, name, false, client.Cursor{})
	if err != nil {
		return err
	}
	waiting, err := server.ListPoolTasks(ctx, project, name, true, client.Cursor{})
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, struct {
			Pool    *api.Pool         `json:"pool"`
			Holding *api.PoolTaskList `json:"holding"`
			Waiting *api.PoolTaskList `json:"waiting"`
		}{p, holding, waiting})
	}
	history, err := server.FindPoolHistory(ctx, project, name)
	if err != nil {
		return err
	}
	printPool(c, p)
	printPoolHistory(c, p, history)
	printPoolTasks(c, "Tasks that hold slots", holding)
	printPoolTasks(c, "Tasks that wait, in the order of their claims", waiting)
	return nil
}

// printPoolHistory prints the peak use of a pool so far; nothing if no server has measured it yet.
func printPoolHistory(c *cmd.Call, p *api.Pool, h *api.PoolHistory) {
	used, waiting := p.Used, p.Waiting
	for i := range h.Items {
		used, waiting = max(used, h.Items[i].MostUsed), max(waiting, h.Items[i].MostWaiting)
	}
	if len(h.Items) > 0 {
		terminal.Say(c.Env.Stdout, "Last 24 hours: at most %s used, at most %s.\n\n", textutil.Count(used, "slot", "slots"), textutil.Count(waiting, "task waited", "tasks waited"))
	}
}

func printPoolTasks(c *cmd.Call, title string, list *api.PoolTaskList) {
	terminal.Say(c.Env.Stdout, "%s:\n", title)
	for i := range list.Items {
		t := &list.Items[i]
		since := t.ReadyAt
		if t.StartedAt != nil {
			since = *t.StartedAt
		}
		name := "a task of a project that you may not see"
		if t.FullName != "" {
			name = fmt.Sprintf("attempt %s  %s/%s  %s", t.AttemptID, t.Project.Name, t.Workflow, t.FullName)
		}
		terminal.Say(c.Env.Stdout, "  %s  slots: %d  weight: %d  since: %s\n", name, t.Slots, t.Weight, localText(c, &since))
	}
	more := ""
	if list.Next != nil {
		more = " There are more."
	}
	terminal.Say(c.Env.Stdout, "%d entries.%s\n\n", len(list.Items), more)
}

// printPoolChange prints how a pool was changed.
func printPoolChange(c *cmd.Call, done *api.PoolChange, err error) error {
	if err != nil {
		return err
	}
	if c.Args.Given("--json") {
		return cmd.PrintJSON(c, done)
	}
	verb := map[string]string{"create": "made", "update": "changed", "delete": "deleted", "none": "as it was"}[done.Action]
	if done.DryRun && done.Action != "none" {
		verb = "to be " + verb + "; nothing is changed in a dry run"
	}
	terminal.Say(c.Env.Stdout, "Pool '%s' (%s slots) is %s.\n", done.Pool.Name, slotsText(done.Pool.Slots), verb)
	for _, note := range done.Notes {
		terminal.Say(c.Env.Stdout, "  %s\n", note)
	}
	return nil
}
