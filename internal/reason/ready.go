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
	"github.com/trowel-project/trowel/internal/textutil"
)

// ready lists what keeps a ready task from an agent, in the order of control K819; WaitDispatch alone if nothing does.
func ready(t *trowel.Task, f *Facts) []Reason {
	m := f.Market
	own := &queue.Ready{
		Attempt: t.AttemptID, Task: t.ID, At: t.ReadyAt, Workflow: f.Workflow, Requirements: t.Requirements, Limits: f.WorkflowLimits, Acquired: t.Acquired,
		Flags: t.Flags,
	}
	asked := asking{Facts: f, Market: m, own: own, since: t.ReadyAt}
	if t.Flags&trowel.TaskCancelRequested != 0 {
		asked.add(f.canceling(t.Outline()))
	}
	demands, missing := m.Limits.Demands(own)
	for _, b := range m.Limits.Blocked(queue.Candidate{
		Task: own, Demands: demands, Missing: missing != "", Running: m.Running,
		Reserved: func(d queue.Demand) bool { return m.reservedFor(own, d, f.Now) != nil },
	}) {
		asked.add(asked.blocked(b, missing))
	}
	asked.agents()
	slices.SortStableFunc(asked.found, func(a, b Reason) int { return f.Tree.ranks[a.Code] - f.Tree.ranks[b.Code] })
	if len(asked.found) == 0 {
		asked.add(Reason{Code: trowel.WaitDispatch, Text: "an agent is about to take it", Fields: param.New()})
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

// blocked words what package queue found. missing is the name of the pool that does not exist.
func (a *asking) blocked(b queue.Blocked, missing string) Reason {
	switch b.Code {
	case trowel.WaitPoolMissing:
		return a.missing(missing)
	case trowel.WaitPoolTooSmall:
		return a.smallPool(b.Demand)
	case trowel.WaitPool:
		return a.fullPool(b.Demand)
	case trowel.WaitConcurrency:
		return a.concurrency(b.Demand)
	case trowel.WaitMaxActiveTasks:
		return a.activeTasks(b.Demand)
	case trowel.WaitSiteLimit:
		return a.site(b.Demand)
	case trowel.WaitCanceling, trowel.WaitWorkflowPaused, trowel.WaitAttemptsLimit, trowel.WaitBackfill, trowel.WaitParent, trowel.WaitParentSkipped,
		trowel.WaitParentFailed, trowel.WaitParentCanceled, trowel.WaitNotReached, trowel.WaitUpstream, trowel.WaitEvaluating, trowel.WaitNoAgent,
		trowel.WaitAgentSlots, trowel.WaitDispatch, trowel.WaitRetry, trowel.WaitPoll, trowel.WaitGroupRetry, trowel.WaitDeferred,
		trowel.WaitAwaitingInput, trowel.WaitChildren, trowel.WaitHandlers: // no limits
	}
	return a.otherLimit(b)
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
		Code: trowel.WaitPoolMissing, Text: text, Fields: param.Of("pool", name), Blockers: []Blocker{{Kind: "pool", Name: name, Detail: "missing"}},
		Offers: []Offer{{ActionSetPool, command("pools", "set", name, "1")}},
	}
}

func (a *asking) smallPool(d queue.Demand) Reason {
	pool := a.poolOf(d)
	text := fmt.Sprintf("wants %s of pool `%s`, which has %d in all", textutil.Plural(d.Amount, "slot"), pool.Name, d.Limit)
	if d.Limit == 0 {
		text = fmt.Sprintf("pool `%s` has no slots, so nothing starts in it", pool.Name)
	}
	return Reason{
		Code: trowel.WaitPoolTooSmall, Text: text, Fields: param.Of("pool", pool.Name, "slots", int64(d.Amount), "total", int64(d.Limit)),
		Blockers: []Blocker{a.poolBlocker(pool, d)}, Offers: []Offer{a.setPool(pool, d.Amount)},
	}
}

func (a *asking) fullPool(d queue.Demand) Reason {
	pool, kept := a.poolOf(d), a.reservedFor(a.own, d, a.Now)
	used := a.Limits.Counters[d.Counter]
	place := a.position(a.own, a.Now, func(r *ask) bool { return r.takes(d.Counter) > 0 })
	text := fmt.Sprintf("waits for a slot of pool `%s`: %d of %d slots are used", pool.Name, used, d.Limit)
	if d.Amount > 1 {
		text = fmt.Sprintf("waits for %d slots of pool `%s`: %d of %d slots are used", d.Amount, pool.Name, used, d.Limit)
	}
	r := Reason{Code: trowel.WaitPool, Blockers: []Blocker{a.poolBlocker(pool, d)}, Offers: []Offer{a.setPool(pool, used+d.Amount)}}
	by := param.List{}
	var names []string
	holders := a.holders(d.Counter, d.Implicit)
	for _, h := range holders[:min(len(holders), 5)] {
		by = append(by, param.Of("attempt", idText(h.BusyTask, int64(h.AttemptID)), "id", idText(h.BusyTask, int64(h.TaskID)), "name", h.FullName,
			"project", h.Project, "workflow", h.Workflow, "slots", int64(h.amount), "since", instant(h.ClaimedAt)))
		names = append(names, a.taskName(h.BusyTask))
		r.Blockers = append(r.Blockers, holdingBlocker(h.BusyTask, textutil.Plural(h.amount, "slot")))
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
	r.Fields = param.Of("pool", pool.Name, "slots", int64(d.Amount), "open", int64(a.Limits.Available(d)), "used_by", by,
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

// idText is an id as text; empty for a hidden task.
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

// poolOf is the pool of a demand.
func (a *asking) poolOf(d queue.Demand) *trowel.Pool {
	return a.Limits.Pools[slices.IndexFunc(a.Limits.Pools, func(p *trowel.Pool) bool { return p.Counter() == d.Counter })]
}

func (a *asking) poolBlocker(p *trowel.Pool, d queue.Demand) Blocker {
	return Blocker{
		Kind: "pool", ID: fmt.Sprint(p.ID), Name: p.Name, Detail: fmt.Sprintf("%d of %d slots used", a.Limits.Counters[d.Counter], d.Limit),
	}
}

func (a *asking) setPool(p *trowel.Pool, n int) Offer {
	words := []string{"pools", "set", p.Name, strconv.Itoa(n)}
	if p.ProjectID != 0 {
		words = append(words, "--project", a.Project)
	}
	return Offer{ActionSetPool, command(words...)}
}

func (a *asking) concurrency(d queue.Demand) Reason {
	c, active := a.own.Requirements.Concurrency, a.Limits.Counters[d.Counter]
	r := Reason{
		Code: trowel.WaitConcurrency, Text: fmt.Sprintf("%d of %d tasks with the concurrency key `%s` are begun", active, d.Limit, c.Key),
		Fields: param.Of("key", c.Key, "limit", int64(d.Limit), "active", int64(active), "per", c.Per),
	}
	var names []string
	for _, h := range a.holders(d.Counter, false) {
		if len(names) < 3 {
			names = append(names, a.taskName(h.BusyTask))
			r.Blockers = append(r.Blockers, holdingBlocker(h.BusyTask, "begun"))
		}
	}
	if len(names) > 0 {
		r.Text += ": " + enumerate(names, active)
	}
	return r
}

// activeTasks is about the limit of the attempt, which has no counter, or that of the workflow.
func (a *asking) activeTasks(d queue.Demand) Reason {
	scope, of, active := trowel.PerAttempt, "the attempt", a.Running
	if d.Counter != "" {
		scope, of, active = trowel.PerWorkflow, "workflow "+a.Workflow.Name, a.Limits.Counters[d.Counter]
	}
	return Reason{
		Code: trowel.WaitMaxActiveTasks, Text: fmt.Sprintf("%d of %d tasks of %s run, as max_active_tasks says", active, d.Limit, of),
		Fields: param.Of("scope", scope, "limit", int64(d.Limit), "active", int64(active)),
	}
}

func (a *asking) site(d queue.Demand) Reason {
	active := a.Limits.Counters[d.Counter]
	return Reason{
		Code: trowel.WaitSiteLimit, Text: fmt.Sprintf("%d of %d tasks run in all, as executor.max_running_tasks says", active, d.Limit),
		Fields: param.Of("limit", int64(d.Limit), "active", int64(active)),
	}
}

// otherLimit is about a limit that has no sentence of its own.
func (a *asking) otherLimit(b queue.Blocked) Reason {
	active := a.Limits.Counters[b.Demand.Counter]
	return Reason{
		Code: b.Code, Text: fmt.Sprintf("limit `%s` has no room: %d of %d are used", b.Code, active, b.Demand.Limit),
		Fields: param.Of("limit", int64(b.Demand.Limit), "active", int64(active)),
	}
}

// agents adds a reason if no agent serves the task, or if all agents that do are busy.
func (a *asking) agents() {
	name := a.own.Requirements.QueueName()
	var labels []string
	if a.own.Requirements != nil {
		labels = a.own.Requirements.Labels
	}
	var seen time.Time
	var idle []*trowel.Agent
	var lacking *trowel.Agent // serves the queue, but does not keep all limits
	serving, total, used, free := 0, 0, 0, false
	allowed := slices.ContainsFunc(a.Agents, func(agent *trowel.Agent) bool { // agents with too low bounds do not take it then
		return agent.LeaseEnds.After(a.Now) && agent.Serves(a.own.Requirements) && agent.Allows(a.own.Requirements)
	})
	for _, agent := range a.Agents {
		switch {
		case !agent.Serves(a.own.Requirements), allowed && !agent.Allows(a.own.Requirements):
			if lacking == nil && agent.ServesQueue(a.own.Requirements) && len(agent.Limits.Lacking(a.own.Requirements)) > 0 && agent.LeaseEnds.After(a.Now) {
				lacking = agent
			}
			continue
		case !agent.LeaseEnds.After(a.Now):
		case !agent.DrainedAt.IsZero() || agent.SuspendReason != "":
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
		r := a.noAgent(name, labels, idle, seen)
		if lacking != nil && len(idle) == 0 {
			a.noLimits(&r, lacking)
		}
		a.add(r)
	case !free:
		place := a.position(a.own, a.Now, func(r *ask) bool { return r.Requirements.QueueName() == name })
		text := fmt.Sprintf("all agents that serve queue `%s` are busy: %d of %s of %s are used", name, used, textutil.Plural(total, "slot"), textutil.Plural(serving, "agent"))
		a.add(Reason{
			Code: trowel.WaitAgentSlots, Text: text + a.line("task", place),
			Fields:   param.Of("queue", name, "agents", int64(serving), "slots", int64(total), "position", position(place)),
			Blockers: []Blocker{{Kind: "queue", ID: name, Name: name, Detail: textutil.Plural(used, "slot") + " used"}},
		})
	}
}

// whyIdle says why a connected agent takes no tasks.
func whyIdle(agent *trowel.Agent) string {
	if !agent.DrainedAt.IsZero() {
		return "is drained"
	}
	return "rests: " + agent.SuspendReason
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
		Code: trowel.WaitNoAgent, Fields: param.Of("queue", name, "labels", list, "limits", param.List{}, "last_seen_at", instant(seen)),
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

// noLimits words that agents would take the task if they kept all limits that it asks for. It names what one of them lacks.
func (a *asking) noLimits(r *Reason, agent *trowel.Agent) {
	list := param.List{}
	lacks := agent.Limits.Lacking(a.own.Requirements)
	for _, name := range lacks {
		list = append(list, name)
	}
	r.Fields.Set("limits", list)
	kept := agent.Limits.Names
	if a.own.Requirements.Container {
		kept = agent.Limits.Container
	}
	keeps := "keeps no limits of commands"
	if len(kept) > 0 {
		keeps = "keeps only limits of " + enumerate(kept, len(kept))
	}
	limits := "limit"
	if len(lacks) > 1 {
		limits = "limits"
	}
	r.Text = fmt.Sprintf("no live agent of queue `%s` keeps the %s `%s`; agent %s %s",
		a.own.Requirements.QueueName(), limits, strings.Join(lacks, "`, `"), agent.Name, keeps)
	r.Blockers = append(r.Blockers, Blocker{Kind: "agent", ID: agent.ID, Name: agent.Name, Detail: "does not keep the " + limits})
}
