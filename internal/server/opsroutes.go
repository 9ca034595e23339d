package server

import (
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
)

// OpsOptions are what the handlers work with.
type OpsOptions struct {
	Limits           Limits
	SchedulesChanged func(one *trowel.Schedule) // called with nil after any number of schedules may have changed
	AgentsChanged    func()                     // called after agents were drained or undrained
	Aging            time.Duration              // a waiting task gains one of weight after it, see queue.aging; zero for never
}

// opsRoutes are what operators look at and change: pools, queues, agents, pauses, tokens and the audit (ui.md,
// section 4).
func opsRoutes(o OpsOptions) []route {
	return slices.Concat(poolRoutes(&o), agentRoutes(&o), pauseRoutes(&o), tokenRoutes(), auditRoutes())
}

func poolRoutes(o *OpsOptions) []route {
	ofPool := QueryText("project", "Name of the project whose own pool is meant; that of the site if it is missing.")
	changes, tasks := &poolChanges{o.Limits}, &poolTasks{o.Aging}
	return []route{
		{
			method: "GET", path: "/api/pools", name: "getPools", verb: access.ListSessionsOfSite, answer: api.PoolList{}, handle: getPools,
			about: "Pools of the site, then those of projects, by name.",
			query: append(limitAndCursor(), QueryText("project", "Only those of the project of that name.")),
		},
		{
			method: "GET", path: "/api/pools/{name}", name: "getPool", verb: access.ListSessionsOfSite, answer: api.Pool{}, handle: getPool,
			about: "A pool.", query: []parameter{ofPool},
		},
		{
			method: "PUT", path: "/api/pools/{name}", name: "putPool", expects: true, verb: access.EditPools, answer: api.PoolChange{}, handle: changes.put,
			about: "Make a pool, or change it.", query: []parameter{ofPool}, body: JSONBody(api.PoolRequest{}),
		},
		{
			method: "DELETE", path: "/api/pools/{name}", name: "deletePool", expects: true, verb: access.EditPools, answer: api.PoolChange{}, handle: changes.delete,
			about: "Delete a pool. Tasks that hold slots of it run on, and those that name it wait.",
			query: []parameter{
				ofPool,
				QueryFlag("dryRun", "Only tell what would be."),
				QueryText("expect", "Refuse unless it is in this state."),
				QueryText("note", "For the audit."),
			},
		},
		{
			method: "GET", path: "/api/pools/{name}/tasks", name: "getPoolTasks", verb: access.ListSessionsOfSite, answer: api.PoolTaskList{},
			handle: tasks.list, about: "Tasks that hold slots of a pool, the longest first, or wait for some, in the order in which they are to be claimed.",
			query: append(limitAndCursor(), ofPool, QueryText("use", "holding, or waiting; holding if it is missing.")),
		},
		{
			method: "GET", path: "/api/pools/{name}/history", name: "getPoolHistory", verb: access.ListSessionsOfSite, answer: api.PoolHistory{},
			handle: getPoolHistory, about: "How much of a pool was used, and how many tasks waited for it, over the last 24 hours, from samples.",
			query: []parameter{ofPool},
		},
	}
}

func agentRoutes(o *OpsOptions) []route {
	h := &drains{o.AgentsChanged}
	return []route{
		{
			method: "GET", path: "/api/queues", name: "getQueues", verb: access.ListSessionsOfSite, answer: api.QueueList{}, handle: getQueues,
			about: "Queues that agents serve or tasks name.",
		},
		{
			method: "GET", path: "/api/agents", name: "getAgents", verb: access.ListSessionsOfSite, answer: api.AgentList{}, handle: getAgents,
			about: "Agents, by id.", query: limitAndCursor(),
		},
		{
			method: "GET", path: "/api/agents/{id}", name: "getAgent", verb: access.ListSessionsOfSite, answer: api.Agent{}, handle: getAgent,
			about: "An agent.",
		},
		{
			method: "GET", path: "/api/agents/{id}/tasks", name: "getAgentTasks", verb: access.ListSessionsOfSite, answer: api.AgentTaskList{},
			handle: getAgentTasks, about: "Tasks that an agent runs, by id.", query: limitAndCursor(),
		},
		{
			method: "POST", path: "/api/agents/{id}/drain", name: "drainAgent", verb: access.DrainAgents, answer: api.Agent{}, handle: h.drain,
			about: "Tell an agent to take nothing new.", body: MaybeJSON(api.NoteRequest{}),
		},
		{
			method: "POST", path: "/api/agents/{id}/undrain", name: "undrainAgent", verb: access.DrainAgents, answer: api.Agent{}, handle: h.undrain,
			about: "Let an agent take tasks again.", body: MaybeJSON(api.NoteRequest{}),
		},
	}
}

func pauseRoutes(o *OpsOptions) []route {
	h := &pauses{o.Limits, o.SchedulesChanged}
	return []route{
		{
			method: "GET", path: "/api/projects/{id:32}/workflows/{name}/pause", name: "getWorkflowState", verb: access.GetWorkflow, answer: api.WorkflowState{},
			handle: getWorkflowState, about: "Whether a workflow is paused.",
		},
		{
			method: "POST", path: "/api/projects/{id:32}/workflows/{name}/pause", name: "pauseWorkflow", verb: access.DisableSchedule, answer: api.WorkflowState{},
			handle: h.pause, about: "Let no new attempt of a workflow begin; those that run go on.",
			body: MaybeJSON(api.NoteRequest{}),
		},
		{
			method: "POST", path: "/api/projects/{id:32}/workflows/{name}/resume", name: "resumeWorkflow", verb: access.EnableSchedule, answer: api.WorkflowState{},
			handle: h.resume, about: "End a pause: attempts that wait begin.",
			body: MaybeJSON(api.NoteRequest{}),
		},
	}
}

func tokenRoutes() []route {
	return []route{
		{
			method: "GET", path: "/api/tokens", name: "getTokens", verb: access.ManageTokens, answer: api.TokenList{}, handle: getTokens,
			about: "Tokens, by id. What was given to their bearers is not known any more.", query: limitAndCursor(),
		},
		{
			method: "POST", path: "/api/tokens", name: "postToken", verb: access.ManageTokens, answer: api.Token{}, handle: postToken,
			about: "Make a token. Its secret is told this once.", body: JSONBody(api.TokenRequest{}),
		},
		{
			method: "DELETE", path: "/api/tokens/{id:64}", name: "deleteToken", verb: access.ManageTokens, answer: api.Token{}, handle: deleteToken,
			about: "Revoke a token.",
		},
	}
}

func auditRoutes() []route {
	h := &audits{&nameCache{}}
	return []route{
		{
			method: "GET", path: "/api/audit", name: "getAudit", verb: access.ReadAudit, answer: api.AuditList{}, handle: h.list,
			about: "Who did what, newest first. With an attempt also every move of its tasks.", query: auditParameters(),
		},
	}
}
