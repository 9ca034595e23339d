package agentapi

import (
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/hub"
	"github.com/trowel-project/trowel/internal/server/download"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Options are what the handlers need.
type Options struct {
	Agents   *hub.Hub // nil if the server can have no remote agents
	Archives *download.Archives
	Version  string // of the server
}

// Routes are the paths of remote agents (docs/agents.md). All need the same verb.
func Routes(o Options) []rest.Route {
	h := &handlers{o.Agents, o.Archives, o.Version}
	const id = "/api/agents/{id}"
	return []rest.Route{
		{
			Method: "POST", Path: "/api/agents", Name: "registerAgent", Verb: access.RunAgent, Answer: api.AgentRegistered{}, Handle: h.forAgents(h.registerAgent),
			About: "Begin as a remote agent.", Body: rest.JSONBody(api.AgentRegistration{}),
		},
		{
			Method: "DELETE", Path: id, Name: "deleteAgent", Verb: access.RunAgent, Answer: api.AgentDone{}, Handle: h.forAgents(h.deleteAgent),
			About: "End as a remote agent.",
		},
		{
			Method: "POST", Path: id + "/leases", Name: "streamLeases", Verb: access.RunAgent, Handle: h.forAgents(h.streamLeases), Long: true,
			About: "Lines of JSON, as they come: leases of a remote agent, and which of its tries to end.", Body: rest.JSONBody(api.AgentHeld{}),
		},
		{
			Method: "POST", Path: id + "/heartbeat", Name: "beatAgent", Verb: access.RunAgent, Answer: api.AgentBeat{}, Handle: h.forAgents(h.beatAgent),
			About: "Renew the lease of a remote agent.", Body: rest.JSONBody(api.AgentHeld{}),
		},
		{
			Method: "POST", Path: id + "/reports", Name: "reportTries", Verb: access.RunAgent, Answer: api.AgentAnswers{}, Handle: h.forAgents(h.reportTries),
			About: "Tell how tries of a remote agent ended. The answer, which comes when that is stored, has a status for each of them.",
			Body:  rest.JSONBody(api.AgentReports{}),
		},
		{
			Method: "POST", Path: id + "/logs", Name: "putAgentLogs", Verb: access.RunAgent, Answer: api.AgentDone{}, Handle: h.forAgents(h.putAgentLogs),
			About: "Output of tries that run on a remote agent.", Body: rest.JSONBody(api.AgentLogs{}),
		},
		{
			Method: "POST", Path: id + "/secret", Name: "getAgentSecret", Verb: access.RunAgent, Answer: api.AgentSecret{}, Handle: h.forAgents(h.getAgentSecret),
			About: "A secret for a try that runs on a remote agent.", Body: rest.JSONBody(api.AgentSecretRequest{}),
		},
		{
			Method: "POST", Path: id + "/session", Name: "startAgentSession", Verb: access.RunAgent, Answer: api.AgentSession{}, Handle: h.forAgents(h.startAgentSession),
			About: "Start an attempt of a workflow for a try that runs on a remote agent.", Body: rest.JSONBody(api.AgentSessionRequest{}),
		},
		{
			Method: "POST", Path: id + "/params", Name: "putAgentParams", Verb: access.RunAgent, Answer: api.AgentDone{}, Handle: h.forAgents(h.putAgentParams),
			About: "Write parameters for a try that runs on a remote agent.", Body: rest.JSONBody(api.AgentParams{}),
		},
		{
			Method: "POST", Path: id + "/params/find", Name: "findAgentParams", Verb: access.RunAgent, Answer: api.AgentParams{}, Handle: h.forAgents(h.findAgentParams),
			About: "Read parameters for a try that runs on a remote agent.", Body: rest.JSONBody(api.AgentParamKeys{}),
		},
		{
			Method: "GET", Path: id + "/archives/{attempt:64}", Name: "getAgentArchive", Verb: access.RunAgent, Handle: h.forAgents(h.getAgentArchive), Redirects: true,
			About: "The archive of an attempt of which a try runs on a remote agent.", Long: true,
			Query: []rest.Parameter{download.QueryDirect()},
		},
	}
}
