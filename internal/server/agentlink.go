package server

import (
	"fmt"
	"net/http"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/hub"
)

// links are the handlers of remote agents.
type links struct {
	agents   *hub.Hub // nil if there can be none
	archives *Archives
	version  string // of the server
}

// linked is a handler of remote agents: it refuses those who may not be one, or are of another version.
func (l *links) linked(handle func(c *call) (any, error)) func(c *call) (any, error) {
	return func(c *call) (any, error) {
		if l.agents == nil {
			return nil, Errorf(http.StatusServiceUnavailable, "this server does not move tasks on, so it has none for agents: connect to another one")
		}
		if c.caller.Project != 0 {
			return nil, Errorf(http.StatusForbidden,
				"the token of %s is for one project, and agents run tasks of all: make a token of the role agent without a project", c.caller.Name)
		}
		if err := c.may(0); err != nil {
			return nil, err
		}
		if got := c.r.Header.Get(api.AgentProtocolHeader); got != api.AgentProtocol {
			speaks := fmt.Sprintf("the agent %q", got)
			if got == "" {
				speaks = "the request has no header " + api.AgentProtocolHeader
			}
			return nil, Errorf(http.StatusConflict,
				"this server (%s) speaks version %s of the agents' protocol, and %s: run an agent of the server's version",
				l.version, api.AgentProtocol, speaks)
		}
		return handle(c)
	}
}

// tokenID is that of the caller; zero for none.
func tokenID(c *call) trowel.TokenID {
	if c.caller.Token == nil {
		return 0
	}
	return c.caller.Token.ID
}

func (l *links) registerAgent(c *call) (any, error) {
	var r api.AgentRegistration
	if err := c.decode(&r); err != nil {
		return nil, err
	}
	return l.agents.Register(c.ctx(), tokenID(c), r)
}

func (l *links) deleteAgent(c *call) (any, error) {
	return api.AgentDone{}, l.agents.Leave(c.ctx(), c.text(), tokenID(c))
}

func (l *links) beatAgent(c *call) (any, error) {
	var held api.AgentHeld
	if err := c.decode(&held); err != nil {
		return nil, err
	}
	return l.agents.Beat(c.ctx(), c.text(), tokenID(c), held)
}

func (l *links) reportTries(c *call) (any, error) {
	var r api.AgentReports
	if err := c.decode(&r); err != nil {
		return nil, err
	}
	return l.agents.Reports(c.ctx(), c.text(), tokenID(c), r)
}

func (l *links) putAgentLogs(c *call) (any, error) {
	var logs api.AgentLogs
	if err := c.decode(&logs); err != nil {
		return nil, err
	}
	return api.AgentDone{}, l.agents.Logs(c.ctx(), c.text(), tokenID(c), logs.Chunks)
}

func (l *links) getAgentSecret(c *call) (any, error) {
	var r api.AgentSecretRequest
	if err := c.decode(&r); err != nil {
		return nil, err
	}
	c.w.Header().Set("Cache-Control", "no-store")
	return l.agents.Secret(c.ctx(), c.text(), tokenID(c), r)
}

func (l *links) startAgentSession(c *call) (any, error) {
	var r api.AgentSessionRequest
	if err := c.decode(&r); err != nil {
		return nil, err
	}
	return l.agents.Session(c.ctx(), c.text(), tokenID(c), &r)
}

func (l *links) putAgentParams(c *call) (any, error) {
	var r api.AgentParams
	if err := c.decode(&r); err != nil {
		return nil, err
	}
	return api.AgentDone{}, l.agents.SetParams(c.ctx(), c.text(), tokenID(c), r)
}

func (l *links) findAgentParams(c *call) (any, error) {
	var r api.AgentParamKeys
	if err := c.decode(&r); err != nil {
		return nil, err
	}
	return l.agents.FindParams(c.ctx(), c.text(), tokenID(c), r)
}

// getAgentArchive is getArchive for agents, who see no projects.
func (l *links) getAgentArchive(c *call) (any, error) {
	archive, err := l.agents.Archive(c.ctx(), c.text(), tokenID(c), trowel.AttemptID(c.number(0)))
	if err != nil {
		return nil, err
	}
	return l.archives.Answer(c, &archive)
}
