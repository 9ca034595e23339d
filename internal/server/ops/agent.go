package ops

import (
	"cmp"
	"log/slog"
	"slices"
	"strconv"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// agentOf returns the document of an agent. used is the number of tasks that it runs.
func agentOf(c *rest.Call, a *trowel.Agent, used int) api.Agent {
	shape := api.Agent{
		ID: a.ID, Name: a.Name, Host: a.Host, Version: a.Version, Queues: queuesOf(a), Labels: a.Labels, Used: used, Remote: a.Remote,
		Limits: api.KeptLimits{Names: a.Limits.Names, Container: a.Limits.Container, Max: api.CommandLimits(a.Limits.Max)},
		Server: a.ServerID, StartedAt: document.Instant(a.StartedAt), HeartbeatAt: document.Instant(a.SeenAt), LeaseEndsAt: document.Instant(a.LeaseEnds), DrainedAt: document.OptInstant(a.DrainedAt),
		State: agentState(a, used, c.Now), RestReason: document.OptText(a.SuspendReason), Can: can(c, 0, access.DrainAgents),
	}
	if a.Slots > 0 {
		shape.Slots = &a.Slots
	}
	return shape
}

func agentState(a *trowel.Agent, used int, now time.Time) string {
	switch alive := document.Liveness(a, now); {
	case alive == document.AgentDead:
		return document.AgentDead
	case !a.DrainedAt.IsZero() && used > 0:
		return document.AgentDraining
	case !a.DrainedAt.IsZero():
		return document.AgentDrained
	case alive == document.AgentLate:
		return document.AgentLate
	case a.SuspendReason != "":
		return document.AgentResting
	}
	return document.AgentLive
}

// usedSlots counts the running tasks of each agent.
func usedSlots(c *rest.Call, tx trowel.Tx) (map[string]int, error) {
	live, err := tx.CountLive(c.Ctx())
	used := map[string]int{}
	for i := range live {
		if live[i].State == trowel.TaskRunning {
			used[live[i].AgentID] += live[i].Count
		}
	}
	return used, err
}

// getAgents lists the agents by id.
func getAgents(c *rest.Call) (any, error) {
	limit, key, err := c.PageKey(1)
	if err != nil {
		return nil, err
	}
	var list api.AgentList
	err = c.View(func(tx trowel.Tx) error {
		agents, err := tx.ListAgents(c.Ctx())
		if err != nil {
			return err
		}
		used, err := usedSlots(c, tx)
		list = api.AgentList{Items: api.List[api.Agent]{}}
		slices.SortFunc(agents, func(a, b *trowel.Agent) int { return cmp.Compare(a.ID, b.ID) })
		for _, a := range agents {
			if key != nil && a.ID <= key[0] {
				continue
			}
			if len(list.Items) == limit {
				list.Next = rest.Cursor(list.Items[limit-1].ID)
				break
			}
			list.Items = append(list.Items, agentOf(c, a, used[a.ID]))
		}
		return err
	})
	return list, err
}

// findAgent returns the agent of the path.
func findAgent(c *rest.Call, tx trowel.Tx) (*trowel.Agent, error) {
	a, err := tx.FindAgent(c.Ctx(), c.PathText())
	return a, rest.OrNotFound(err, "an agent that is gone is forgotten once its lease has ended", "there is no agent with id %q", c.PathText())
}

func getAgent(c *rest.Call) (any, error) {
	var shape api.Agent
	err := c.View(func(tx trowel.Tx) error {
		a, err := findAgent(c, tx)
		if err != nil {
			return err
		}
		running, err := tx.ListRunningOf(c.Ctx(), a.ID)
		shape = agentOf(c, a, len(running))
		return err
	})
	return shape, err
}

// getAgentTasks lists the tasks that an agent runs, by id.
func getAgentTasks(c *rest.Call) (any, error) {
	limit, key, err := c.PageNumbers(1)
	if err != nil {
		return nil, err
	}
	var list api.AgentTaskList
	err = c.View(func(tx trowel.Tx) error {
		a, err := findAgent(c, tx)
		if err != nil {
			return err
		}
		running, err := tx.ListRunningOf(c.Ctx(), a.ID)
		if err != nil {
			return err
		}
		running = slices.DeleteFunc(running, func(t trowel.LiveTask) bool { return key != nil && int64(t.TaskID) <= key[0] })
		list = api.AgentTaskList{Items: api.List[api.AgentTask]{}}
		if len(running) > limit {
			running = running[:limit]
			list.Next = rest.NumberCursor(int64(running[limit-1].TaskID))
		}
		tasks := make(map[trowel.TaskID]trowel.AttemptID, len(running))
		for i := range running {
			tasks[running[i].TaskID] = running[i].AttemptID
		}
		names, err := tx.NameTasks(c.Ctx(), tasks)
		for i := range running {
			t := &running[i]
			if name := names[t.TaskID]; c.Authorize(name.ProjectID) == nil {
				list.Items = append(list.Items, api.AgentTask{
					ID: api.ID(t.TaskID), FullName: name.FullName, AttemptID: api.ID(t.AttemptID), Workflow: name.Workflow,
					Project: api.IDName{ID: api.ID(name.ProjectID), Name: name.Project}, Try: t.Try, StartedAt: document.Instant(t.StartedAt),
				})
			}
		}
		return err
	})
	return list, err
}

// drains are the handlers that drain agents.
type drains struct{ agentsChanged func() }

// drain makes an agent take no new tasks. The tasks that it runs go on.
func (h *drains) drain(c *rest.Call) (any, error) { return h.change(c, "agent.drain", c.Now) }

// undrain ends a drain.
func (h *drains) undrain(c *rest.Call) (any, error) { return h.change(c, "agent.undrain", time.Time{}) }

func (h *drains) change(c *rest.Call, action string, drainedAt time.Time) (any, error) {
	var request api.NoteRequest
	if err := c.DecodeOptional(&request); err != nil {
		return nil, err
	}
	if err := c.Authorize(0); err != nil {
		return nil, err
	}
	var shape api.Agent
	changed := false
	err := c.Update(func(tx trowel.Tx) error {
		a, err := findAgent(c, tx)
		if err != nil {
			return err
		}
		running, err := tx.ListRunningOf(c.Ctx(), a.ID)
		if err != nil {
			return err
		}
		if drainedAt.IsZero() && a.DrainedAt.IsZero() {
			return rest.Conflict(rest.CodeNotDraining, "agent %s takes tasks already", a.ID)
		}
		before := param.Of("drained", strconv.FormatBool(!a.DrainedAt.IsZero()))
		changed = a.DrainedAt.IsZero() || drainedAt.IsZero()
		if !changed { // already drained: keep the first time
			shape = agentOf(c, a, len(running))
			return nil
		}
		a.DrainedAt = drainedAt
		shape = agentOf(c, a, len(running))
		if err := tx.DrainAgent(c.Ctx(), a.ID, drainedAt); err != nil {
			return err
		}
		err = c.Record(tx, trowel.AuditRecord{
			Action: action, ObjectKind: "agent", ObjectID: a.ID, Object: a.Name, Note: request.Note,
			Before: before, After: param.Of("drained", strconv.FormatBool(!drainedAt.IsZero())),
		})
		if err != nil {
			return err
		}
		return tx.Notify(c.Ctx(), cluster.Agents{}.String())
	})
	if err == nil && changed {
		h.agentsChanged()
		c.Log().Info("agent changed", slog.String("action", action), slog.String("agent", shape.Name), slog.String("actor", c.Caller.Name))
	}
	return shape, err
}
