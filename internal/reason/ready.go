package reason

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/queue"
)

// ready lists what keeps a ready task from an agent, in the order of control K819; Dispatch alone if nothing
// does.
func ready(t *trowel.Task, f *Facts) []Reason {
	m := f.Market
	own := &queue.Ready{
		Attempt: t.AttemptID, Task: t.ID, At: t.ReadyAt, Workflow: f.Workflow, Needs: t.Needs, Control: f.Control, Held: t.Holds,
	}
	asked := asking{Facts: f, Market: m, own: own, since: t.ReadyAt}
	if t.Flags&trowel.TaskCancelRequested != 0 {
		asked.add(f.canceling(t.Outline()))
	}
	demands, missing := m.Limits.Demands(own)
	if missing != "" {
		asked.add(asked.missing(missing))
	}
	asked.pools(demands)
	asked.concurrency(demands)
	asked.activeTasks(demands)
	asked.agents()
	asked.site(demands)
	if len(asked.found) == 0 {
		asked.add(Reason{Code: Dispatch, Text: "an agent is about to take it", Fields: param.New()})
	}
	return asked.found
}

// asking is a question about one ready task.
type asking struct {
	*Facts
	*Market

	own   *queue.Ready
	since time.Time
	found []Reason
}

func (a *asking) add(r Reason) {
	if r.Since.IsZero() {
		r.Since = a.since
	}
	a.found = append(a.found, r)
}

// full reports whether a demand has no room.
func (a *asking) full(d queue.Demand) bool {
	return d.Limit != trowel.Unlimited && a.Limits.Open(d) < d.Amount
}

func (a *asking) missing(name string) Reason {
	text := fmt.Sprintf("there is no pool `%s`", name)
	var known []string
	for _, p := range a.Limits.Pools {
		if p.ProjectID == 0 || p.ProjectID == a.Workflow.ProjectID {
			known = append(known, p.Name)
		}
	}
	if near := param.Near(name, known); len(near) > 0 {
		text += fmt.Sprintf("; did you mean `%s`?", near[0])
	}
	return Reason{
		Code: PoolMissing, Text: text, Fields: param.Of("pool", name), Blockers: []Blocker{{Kind: "pool", Name: name, Detail: "missing"}},
		Offers: []Offer{{ActionSetPool, command("pools", "set", name, "1")}},
	}
}

// pools tells of pools that can never have enough slots, and then of those that have not enough now.
func (a *asking) pools(demands []queue.Demand) {
	for _, d := range demands {
		if pool := a.poolOf(d); pool != nil && d.Limit != trowel.Unlimited && d.Amount > d.Limit {
			text := fmt.Sprintf("wants %s of pool `%s`, which has %d in all", slots(d.Amount), pool.Name, d.Limit)
			if d.Limit == 0 {
				text = fmt.Sprintf("pool `%s` has no slots, so nothing starts in it", pool.Name)
			}
			a.add(Reason{
				Code: PoolTooSmall, Text: text, Fields: param.Of("pool", pool.Name, "slots", int64(d.Amount), "total", int64(d.Limit)),
				Blockers: []Blocker{a.poolBlocker(pool, d)}, Offers: []Offer{a.setPool(pool, d.Amount)},
			})
		}
	}
	for _, d := range demands {
		pool := a.poolOf(d)
		if pool == nil || d.Limit == trowel.Unlimited || d.Amount > d.Limit {
			continue
		}
		kept := a.reservedFor(a.own, d, a.Now)
		if a.full(d) || kept != nil {
			a.add(a.fullPool(pool, d, kept))
		}
	}
}

func (a *asking) fullPool(pool *trowel.Pool, d queue.Demand, kept *trowel.BusyTask) Reason {
	used := a.Limits.Uses[d.Use]
	place := a.position(a.own, a.Now, func(r *ask) bool { return r.takes(d.Use) > 0 })
	text := fmt.Sprintf("waits for a slot of pool `%s`: %d of %d slots are used", pool.Name, used, d.Limit)
	if d.Amount > 1 {
		text = fmt.Sprintf("waits for %d slots of pool `%s`: %d of %d slots are used", d.Amount, pool.Name, used, d.Limit)
	}
	r := Reason{Code: Pool, Blockers: []Blocker{a.poolBlocker(pool, d)}, Offers: []Offer{a.setPool(pool, used+d.Amount)}}
	by := param.List{}
	var names []string
	holders := a.holders(d.Use, d.Unkept)
	for _, h := range holders[:min(len(holders), 5)] {
		by = append(by, param.Of("attempt", idText(h.BusyTask, int64(h.AttemptID)), "id", idText(h.BusyTask, int64(h.TaskID)), "name", h.FullName,
			"project", h.Project, "workflow", h.Workflow, "slots", int64(h.amount), "since", instant(h.ClaimedAt)))
		names = append(names, a.taskName(h.BusyTask))
		r.Blockers = append(r.Blockers, holdingBlocker(h.BusyTask, slots(h.amount)))
	}
	if len(names) > 0 {
		text += " by " + enumerate(names[:min(len(names), 3)], len(holders))
	}
	var reserved param.Value
	if kept != nil {
		reserved = param.Of("attempt", idText(kept, int64(kept.AttemptID)), "id", idText(kept, int64(kept.TaskID)), "name", kept.FullName)
		text += fmt.Sprintf("; they are kept for %s, which waits for several", a.taskName(kept))
	}
	r.Text = text + a.line("task", place)
	r.Fields = param.Of("pool", pool.Name, "slots", int64(d.Amount), "open", int64(a.Limits.Open(d)), "used_by", by,
		"position", position(place), "reserved", reserved)
	return r
}

// taskName names a task, with its attempt if that is another one.
func (a *asking) taskName(b *trowel.BusyTask) string {
	if b.AttemptID == a.Attempt.ID || b.Hidden {
		return b.FullName
	}
	return fmt.Sprintf("%s of attempt %d", b.FullName, b.AttemptID)
}

// idText is an id of a task; empty if that is hidden.
func idText(b *trowel.BusyTask, id int64) string {
	if b.Hidden {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

func holdingBlocker(b *trowel.BusyTask, detail string) Blocker {
	if b.Hidden {
		return Blocker{Kind: "task", Name: b.FullName, Detail: detail}
	}
	return Blocker{Kind: "task", Attempt: b.AttemptID, Task: b.TaskID, Name: b.FullName, Detail: detail}
}

func (a *asking) poolOf(d queue.Demand) *trowel.Pool {
	if !d.Pool {
		return nil
	}
	i := slices.IndexFunc(a.Limits.Pools, func(p *trowel.Pool) bool { return p.Use() == d.Use })
	if i < 0 {
		return nil
	}
	return a.Limits.Pools[i]
}

func (a *asking) poolBlocker(p *trowel.Pool, d queue.Demand) Blocker {
	return Blocker{
		Kind: "pool", ID: fmt.Sprint(p.ID), Name: p.Name, Detail: fmt.Sprintf("%d of %d slots used", a.Limits.Uses[d.Use], d.Limit),
	}
}

func (a *asking) setPool(p *trowel.Pool, n int) Offer {
	words := []string{"pools", "set", p.Name, strconv.Itoa(n)}
	if p.ProjectID != 0 {
		words = append(words, "--project", a.Project)
	}
	return Offer{ActionSetPool, command(words...)}
}

func (a *asking) concurrency(demands []queue.Demand) {
	if a.own.Needs == nil || a.own.Needs.Concurrency == nil {
		return
	}
	c := a.own.Needs.Concurrency
	use := queue.ConcurrencyUse(c, a.Workflow, a.own.Attempt)
	for _, d := range demands {
		if d.Use != use || !a.full(d) {
			continue
		}
		active := a.Limits.Uses[use]
		r := Reason{
			Code: Concurrency, Text: fmt.Sprintf("%d of %d tasks with the concurrency key `%s` are begun", active, d.Limit, c.Key),
			Fields: param.Of("key", c.Key, "limit", int64(d.Limit), "active", int64(active), "per", c.Per),
		}
		var names []string
		for _, h := range a.holders(use, false) {
			if len(names) < 3 {
				names = append(names, a.taskName(h.BusyTask))
				r.Blockers = append(r.Blockers, holdingBlocker(h.BusyTask, "begun"))
			}
		}
		if len(names) > 0 {
			r.Text += ": " + enumerate(names, active)
		}
		a.add(r)
	}
}

func (a *asking) activeTasks(demands []queue.Demand) {
	if limit := a.Control.TasksPerAttempt; limit > 0 && a.Running >= limit {
		a.add(Reason{
			Code: MaxActiveTasks, Text: fmt.Sprintf("%d of %d tasks of the attempt run, as max_active_tasks says", a.Running, limit),
			Fields: param.Of("scope", trowel.PerAttempt, "limit", int64(limit), "active", int64(a.Running)),
		})
	}
	use := queue.WorkflowUse(a.Workflow)
	for _, d := range demands {
		if d.Use == use && a.full(d) {
			active := a.Limits.Uses[use]
			a.add(Reason{
				Code: MaxActiveTasks, Text: fmt.Sprintf("%d of %d tasks of workflow %s run, as max_active_tasks says", active, d.Limit, a.Workflow.Name),
				Fields: param.Of("scope", trowel.PerWorkflow, "limit", int64(d.Limit), "active", int64(active)),
			})
		}
	}
}

func (a *asking) site(demands []queue.Demand) {
	for _, d := range demands {
		if d.Use == queue.SiteUse && a.full(d) {
			active := a.Limits.Uses[d.Use]
			a.add(Reason{
				Code: SiteLimit, Text: fmt.Sprintf("%d of %d tasks run in all, as executor.max_running_tasks says", active, d.Limit),
				Fields: param.Of("limit", int64(d.Limit), "active", int64(active)),
			})
		}
	}
}

// agents tells that nobody serves the task, or that all who do are busy.
func (a *asking) agents() {
	name := a.own.Needs.QueueName()
	var labels []string
	if a.own.Needs != nil {
		labels = a.own.Needs.Labels
	}
	var seen time.Time
	var idle []*trowel.Agent
	serving, total, used, free := 0, 0, 0, false
	for _, agent := range a.Agents {
		switch {
		case !agent.Serves(a.own.Needs):
			continue
		case !agent.LeaseEnds.After(a.Now):
		case !agent.DrainedAt.IsZero() || agent.RestReason != "":
			idle = append(idle, agent)
		default:
			serving++
			total += agent.Slots
			used += a.Busy[agent.ID]
			free = free || agent.Slots == 0 || a.Busy[agent.ID] < agent.Slots
		}
		seen = later(agent.SeenAt, seen)
	}
	switch {
	case serving == 0:
		a.add(a.noAgent(name, labels, idle, seen))
	case !free:
		place := a.position(a.own, a.Now, func(r *ask) bool { return r.Needs.QueueName() == name })
		text := fmt.Sprintf("all agents that serve queue `%s` are busy: %d of %s of %s are used", name, used, slots(total), agents(serving))
		a.add(Reason{
			Code: AgentSlots, Text: text + a.line("task", place),
			Fields:   param.Of("queue", name, "agents", int64(serving), "slots", int64(total), "position", position(place)),
			Blockers: []Blocker{{Kind: "queue", ID: name, Name: name, Detail: slots(used) + " used"}},
		})
	}
}

// whyIdle says why an agent that is there takes nothing.
func whyIdle(agent *trowel.Agent) string {
	if !agent.DrainedAt.IsZero() {
		return "is drained"
	}
	return "rests: " + agent.RestReason
}

func (a *asking) noAgent(name string, labels []string, idle []*trowel.Agent, seen time.Time) Reason {
	list := param.List{}
	for _, label := range labels {
		list = append(list, label)
	}
	text := fmt.Sprintf("no live agent serves queue `%s`", name)
	switch len(labels) {
	case 0:
	case 1:
		text += fmt.Sprintf(" and has label `%s`", labels[0])
	default:
		text += fmt.Sprintf(" and has labels `%s`", strings.Join(labels, "`, `"))
	}
	r := Reason{
		Code: NoAgent, Fields: param.Of("queue", name, "labels", list, "last_seen_at", instant(seen)),
		Blockers: []Blocker{{Kind: "queue", ID: name, Name: name, Detail: "no agent"}},
	}
	switch {
	case len(idle) > 0:
		text += fmt.Sprintf("; agent %s would, but %s", idle[0].Name, whyIdle(idle[0]))
		for _, agent := range idle {
			detail := "rests"
			if !agent.DrainedAt.IsZero() {
				detail = "drained"
				r.Offers = append(r.Offers, Offer{ActionUndrain, command("agents", "undrain", agent.Name)})
			}
			r.Blockers = append(r.Blockers, Blocker{Kind: "agent", ID: agent.ID, Name: agent.Name, Detail: detail})
		}
	case !seen.IsZero():
		text += fmt.Sprintf("; one was last seen at %s", a.clock(seen))
	}
	r.Text = text
	return r
}

func slots(n int) string {
	if n == 1 {
		return "1 slot"
	}
	return fmt.Sprintf("%d slots", n)
}

func agents(n int) string {
	if n == 1 {
		return "1 agent"
	}
	return fmt.Sprintf("%d agents", n)
}
