package server

import (
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/hub"
)

// AgentOptions are what the handlers work with.
type AgentOptions struct {
	Agents   *hub.Hub // nil if the server can have no remote agents
	Archives *Archives
	Version  string // of the server
}

// linkRoutes are the paths of remote agents (docs/agents.md). They need one verb, which few callers have.
func linkRoutes(o AgentOptions) []route {
	l := &links{o.Agents, o.Archives, o.Version}
	const id = "/api/agents/{id}"
	return []route{
		{
			method: "POST", path: "/api/agents", name: "registerAgent", verb: access.RunAgent, answer: api.AgentRegistered{}, handle: l.linked(l.registerAgent),
			about: "Begin as a remote agent.", body: JSONBody(api.AgentRegistration{}),
		},
		{
			method: "DELETE", path: id, name: "deleteAgent", verb: access.RunAgent, answer: api.AgentDone{}, handle: l.linked(l.deleteAgent),
			about: "End as a remote agent.",
		},
		{
			method: "POST", path: id + "/leases", name: "streamLeases", verb: access.RunAgent, handle: l.linked(l.streamLeases), long: true,
			about: "Lines of JSON, as they come: leases of a remote agent, and which of its tries to end.", body: JSONBody(api.AgentHeld{}),
		},
		{
			method: "POST", path: id + "/heartbeat", name: "beatAgent", verb: access.RunAgent, answer: api.AgentBeat{}, handle: l.linked(l.beatAgent),
			about: "Renew the lease of a remote agent.", body: JSONBody(api.AgentHeld{}),
		},
		{
			method: "POST", path: id + "/reports", name: "reportTries", verb: access.RunAgent, answer: api.AgentAnswers{}, handle: l.linked(l.reportTries),
			about: "Tell how tries of a remote agent ended. The answer, which comes when that is stored, has a status for each of them.",
			body:  JSONBody(api.AgentReports{}),
		},
		{
			method: "POST", path: id + "/logs", name: "putAgentLogs", verb: access.RunAgent, answer: api.AgentDone{}, handle: l.linked(l.putAgentLogs),
			about: "Output of tries that run on a remote agent.", body: JSONBody(api.AgentLogs{}),
		},
		{
			method: "POST", path: id + "/secret", name: "getAgentSecret", verb: access.RunAgent, answer: api.AgentSecret{}, handle: l.linked(l.getAgentSecret),
			about: "A secret for a try that runs on a remote agent.", body: JSONBody(api.AgentSecretRequest{}),
		},
		{
			method: "POST", path: id + "/session", name: "startAgentSession", verb: access.RunAgent, answer: api.AgentSession{}, handle: l.linked(l.startAgentSession),
			about: "Start an attempt of a workflow for a try that runs on a remote agent.", body: JSONBody(api.AgentSessionRequest{}),
		},
		{
			method: "POST", path: id + "/params", name: "putAgentParams", verb: access.RunAgent, answer: api.AgentDone{}, handle: l.linked(l.putAgentParams),
			about: "Write parameters for a try that runs on a remote agent.", body: JSONBody(api.AgentParams{}),
		},
		{
			method: "POST", path: id + "/params/find", name: "findAgentParams", verb: access.RunAgent, answer: api.AgentParams{}, handle: l.linked(l.findAgentParams),
			about: "Read parameters for a try that runs on a remote agent.", body: JSONBody(api.AgentParamKeys{}),
		},
		{
			method: "GET", path: id + "/archives/{attempt:64}", name: "getAgentArchive", verb: access.RunAgent, handle: l.linked(l.getAgentArchive), redirects: true,
			about: "The archive of an attempt of which a try runs on a remote agent.", long: true,
			query: []parameter{QueryFlag("direct_download", "false to get it from this server in any case.")},
		},
	}
}
