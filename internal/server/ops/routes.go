package ops

import (
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Options are what the handlers need.
type Options struct {
	Limits           Limits
	SchedulesChanged func(one *trowel.Schedule) // called with nil when any schedule may have changed
	AgentsChanged    func()                     // called after agents have been drained or undrained
	Aging            time.Duration              // after which a waiting task gains one of weight, see queue.aging; zero for never
}

// Routes are the paths of pools, queues, agents, pauses, tokens and the audit.
func Routes(o Options) []rest.Route {
	return slices.Concat(poolRoutes(&o), agentRoutes(&o), pauseRoutes(&o), tokenRoutes(), auditRoutes())
}

func poolRoutes(o *Options) []rest.Route {
	ofPool := rest.QueryText("project", "Name of the project whose own pool is meant; that of the site if it is missing.")
	changes, tasks := &poolChanges{o.Limits}, &poolTasks{o.Aging}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/pools", Name: "getPools", Verb: access.ListSessionsOfSite, Answer: api.PoolList{}, Handle: getPools,
			About: "Pools of the site, then those of projects, by name.",
			Query: append(rest.PageParams(), find.QueryProject()),
		},
		{
			Method: "GET", Path: "/api/pools/{name}", Name: "getPool", Verb: access.ListSessionsOfSite, Answer: api.Pool{}, Handle: getPool,
			About: "A pool.", Query: []rest.Parameter{ofPool},
		},
		{
			Method: "PUT", Path: "/api/pools/{name}", Name: "putPool", Expects: true, Verb: access.EditPools, Answer: api.PoolChange{}, Handle: changes.put,
			About: "Make a pool, or change it.", Query: []rest.Parameter{ofPool}, Body: rest.JSONBody(api.PoolRequest{}),
		},
		{
			Method: "DELETE", Path: "/api/pools/{name}", Name: "deletePool", Expects: true, Verb: access.EditPools, Answer: api.PoolChange{}, Handle: changes.delete,
			About: "Delete a pool. Tasks that hold slots of it run on, and those that name it wait.",
			Query: []rest.Parameter{
				ofPool,
				rest.QueryFlag("dryRun", "Only tell what would be."),
				rest.QueryText("expect", "Refuse unless it is in this state."),
				rest.QueryText("note", "For the audit."),
			},
		},
		{
			Method: "GET", Path: "/api/pools/{name}/tasks", Name: "getPoolTasks", Verb: access.ListSessionsOfSite, Answer: api.PoolTaskList{},
			Handle: tasks.list, About: "Tasks that hold slots of a pool, the longest first, or wait for some, in the order in which they are to be claimed.",
			Query: append(rest.PageParams(), ofPool, rest.QueryText("use", "holding, or waiting; holding if it is missing.")),
		},
		{
			Method: "GET", Path: "/api/pools/{name}/history", Name: "getPoolHistory", Verb: access.ListSessionsOfSite, Answer: api.PoolHistory{},
			Handle: getPoolHistory, About: "How much of a pool was used, and how many tasks waited for it, over the last 24 hours, from samples.",
			Query: []rest.Parameter{ofPool},
		},
	}
}

func agentRoutes(o *Options) []rest.Route {
	h := &drains{o.AgentsChanged}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/queues", Name: "getQueues", Verb: access.ListSessionsOfSite, Answer: api.QueueList{}, Handle: getQueues,
			About: "Queues that agents serve or tasks name.",
		},
		{
			Method: "GET", Path: "/api/agents", Name: "getAgents", Verb: access.ListSessionsOfSite, Answer: api.AgentList{}, Handle: getAgents,
			About: "Agents, by id.", Query: rest.PageParams(),
		},
		{
			Method: "GET", Path: "/api/agents/{id}", Name: "getAgent", Verb: access.ListSessionsOfSite, Answer: api.Agent{}, Handle: getAgent,
			About: "An agent.",
		},
		{
			Method: "GET", Path: "/api/agents/{id}/tasks", Name: "getAgentTasks", Verb: access.ListSessionsOfSite, Answer: api.AgentTaskList{},
			Handle: getAgentTasks, About: "Tasks that an agent runs, by id.", Query: rest.PageParams(),
		},
		{
			Method: "POST", Path: "/api/agents/{id}/drain", Name: "drainAgent", Verb: access.DrainAgents, Answer: api.Agent{}, Handle: h.drain,
			About: "Tell an agent to take nothing new.", Body: rest.OptionalJSON(api.NoteRequest{}),
		},
		{
			Method: "POST", Path: "/api/agents/{id}/undrain", Name: "undrainAgent", Verb: access.DrainAgents, Answer: api.Agent{}, Handle: h.undrain,
			About: "Let an agent take tasks again.", Body: rest.OptionalJSON(api.NoteRequest{}),
		},
	}
}

func pauseRoutes(o *Options) []rest.Route {
	h := &pauses{o.Limits, o.SchedulesChanged}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/projects/{id:32}/workflows/{name}/pause", Name: "getWorkflowState", Verb: access.GetWorkflow, Answer: api.WorkflowState{},
			Handle: getWorkflowState, About: "Whether a workflow is paused.",
		},
		{
			Method: "POST", Path: "/api/projects/{id:32}/workflows/{name}/pause", Name: "pauseWorkflow", Verb: access.DisableSchedule, Answer: api.WorkflowState{},
			Handle: h.pause, About: "Let no new attempt of a workflow begin; those that run go on.",
			Body: rest.OptionalJSON(api.NoteRequest{}),
		},
		{
			Method: "POST", Path: "/api/projects/{id:32}/workflows/{name}/resume", Name: "resumeWorkflow", Verb: access.EnableSchedule, Answer: api.WorkflowState{},
			Handle: h.resume, About: "End a pause: attempts that wait begin.",
			Body: rest.OptionalJSON(api.NoteRequest{}),
		},
	}
}

func tokenRoutes() []rest.Route {
	return []rest.Route{
		{
			Method: "GET", Path: "/api/tokens", Name: "getTokens", Verb: access.ManageTokens, Answer: api.TokenList{}, Handle: getTokens,
			About: "Tokens, by id. What was given to their bearers is not known any more.", Query: rest.PageParams(),
		},
		{
			Method: "POST", Path: "/api/tokens", Name: "postToken", Verb: access.ManageTokens, Answer: api.Token{}, Handle: postToken,
			About: "Make a token. Its secret is told this once.", Body: rest.JSONBody(api.TokenRequest{}),
		},
		{
			Method: "DELETE", Path: "/api/tokens/{id:64}", Name: "deleteToken", Verb: access.ManageTokens, Answer: api.Token{}, Handle: deleteToken,
			About: "Revoke a token.",
		},
	}
}

func auditRoutes() []rest.Route {
	h := &audits{&nameCache{}}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/audit", Name: "getAudit", Verb: access.ReadAudit, Answer: api.AuditList{}, Handle: h.list,
			About: "Who did what, newest first. With an attempt also every move of its tasks.", Query: auditParameters(),
		},
	}
}
