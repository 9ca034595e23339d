package agentapi

import (
	"fmt"
	"net/http"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/hub"
	"github.com/trowel-project/trowel/internal/server/download"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// handlers answer remote agents.
type handlers struct {
	agents   *hub.Hub // nil if the server can have none
	archives *download.Archives
	version  string // of the server
}

// forAgents makes a handler that checks first that the caller may be an agent, and speaks this version of the protocol.
func (h *handlers) forAgents(handle func(c *rest.Call) (any, error)) func(c *rest.Call) (any, error) {
	return func(c *rest.Call) (any, error) {
		if h.agents == nil {
			return nil, rest.Errorf(http.StatusServiceUnavailable, "this server does not move tasks on, so it has none for agents: connect to another one")
		}
		if c.Caller.Project != 0 {
			return nil, rest.Errorf(http.StatusForbidden,
				"the token of %s is for one project, and agents run tasks of all: make a token of the role agent without a project", c.Caller.Name)
		}
		if err := c.Authorize(0); err != nil {
			return nil, err
		}
		if got := c.Request.Header.Get(api.AgentProtocolHeader); got != api.AgentProtocol {
			speaks := fmt.Sprintf("the agent %q", got)
			if got == "" {
				speaks = "the request has no header " + api.AgentProtocolHeader
			}
			return nil, rest.Errorf(http.StatusConflict,
				"this server (%s) speaks version %s of the agents' protocol, and %s: run an agent of the server's version",
				h.version, api.AgentProtocol, speaks)
		}
		return handle(c)
	}
}

// tokenID returns the token of the caller; zero for none.
func tokenID(c *rest.Call) trowel.TokenID {
	if c.Caller.Token == nil {
		return 0
	}
	return c.Caller.Token.ID
}

func (h *handlers) registerAgent(c *rest.Call) (any, error) {
	var r api.AgentRegistration
	if err := c.Decode(&r); err != nil {
		return nil, err
	}
	return h.agents.Register(c.Ctx(), tokenID(c), r)
}

func (h *handlers) deleteAgent(c *rest.Call) (any, error) {
	return api.AgentDone{}, h.agents.Leave(c.Ctx(), c.PathText(), tokenID(c))
}

func (h *handlers) beatAgent(c *rest.Call) (any, error) {
	var held api.AgentHeld
	if err := c.Decode(&held); err != nil {
		return nil, err
	}
	return h.agents.Beat(c.Ctx(), c.PathText(), tokenID(c), held)
}

func (h *handlers) reportTries(c *rest.Call) (any, error) {
	var r api.AgentReports
	if err := c.Decode(&r); err != nil {
		return nil, err
	}
	return h.agents.Reports(c.Ctx(), c.PathText(), tokenID(c), r)
}

func (h *handlers) putAgentLogs(c *rest.Call) (any, error) {
	var logs api.AgentLogs
	if err := c.Decode(&logs); err != nil {
		return nil, err
	}
	return api.AgentDone{}, h.agents.Logs(c.Ctx(), c.PathText(), tokenID(c), logs.Chunks)
}

func (h *handlers) getAgentSecret(c *rest.Call) (any, error) {
	var r api.AgentSecretRequest
	if err := c.Decode(&r); err != nil {
		return nil, err
	}
	c.Writer.Header().Set("Cache-Control", "no-store")
	return h.agents.Secret(c.Ctx(), c.PathText(), tokenID(c), r)
}

func (h *handlers) startAgentSession(c *rest.Call) (any, error) {
	var r api.AgentSessionRequest
	if err := c.Decode(&r); err != nil {
		return nil, err
	}
	return h.agents.Session(c.Ctx(), c.PathText(), tokenID(c), &r)
}

func (h *handlers) putAgentParams(c *rest.Call) (any, error) {
	var r api.AgentParams
	if err := c.Decode(&r); err != nil {
		return nil, err
	}
	return api.AgentDone{}, h.agents.SetParams(c.Ctx(), c.PathText(), tokenID(c), r)
}

func (h *handlers) findAgentParams(c *rest.Call) (any, error) {
	var r api.AgentParamKeys
	if err := c.Decode(&r); err != nil {
		return nil, err
	}
	return h.agents.FindParams(c.Ctx(), c.PathText(), tokenID(c), r)
}

// getAgentArchive answers with the archive of an attempt, since agents do not see projects.
func (h *handlers) getAgentArchive(c *rest.Call) (any, error) {
	archive, err := h.agents.Archive(c.Ctx(), c.PathText(), tokenID(c), trowel.AttemptID(c.PathNumber(0)))
	if err != nil {
		return nil, err
	}
	return h.archives.Answer(c, &archive)
}
