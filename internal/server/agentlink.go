package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/hub"
)

const (
	linesType = "application/x-ndjson"
	// linkWrite is how long an agent may take to read a message before it is cut off.
	linkWrite = 15 * time.Second
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
	archive, err := l.agents.Archive(c.ctx(), c.text(), tokenID(c), trowel.AttemptID(c.number()))
	if err != nil {
		return nil, err
	}
	return l.archives.Answer(c, &archive)
}

// streamLeases is the connection by which an agent gets its leases: each message is a line, sent at once.
// It ends when the agent goes, its token no longer holds, another stream of it begins, or the server ends.
func (l *links) streamLeases(c *call) (any, error) {
	var held api.AgentHeld
	if err := c.decode(&held); err != nil {
		return nil, err
	}
	s, err := l.agents.Connect(c.ctx(), c.text(), tokenID(c), held)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	c.w.Header().Set("Content-Type", linesType)
	c.w.Header().Set("Cache-Control", "no-store")
	c.w.Header().Set("X-Accel-Buffering", "no")
	c.w.WriteHeader(http.StatusOK)
	lines := &leaseLines{call: c, out: http.NewResponseController(c.w)}
	lines.encoder = json.NewEncoder(&lines.buffer)
	lines.encoder.SetEscapeHTML(false)
	lines.serve(s)
	return stream{}, nil
}

// leaseLines writes the messages of an agent.
type leaseLines struct {
	*call

	out     *http.ResponseController
	encoder *json.Encoder
	buffer  bytes.Buffer
}

// maxIdleBuffer is what a connection keeps for its next message.
const maxIdleBuffer = 64 << 10

func (l *leaseLines) serve(s *hub.Stream) {
	if l.send(&api.AgentMessage{}) != nil {
		return // it has gone
	}
	for {
		message, err := s.Next(l.ctx())
		if err != nil {
			return
		}
		if l.send(message) != nil {
			return
		}
	}
}

func (l *leaseLines) send(message *api.AgentMessage) error {
	l.buffer.Reset()
	if err := l.encoder.Encode(message); err != nil {
		return err
	}
	if err := l.out.SetWriteDeadline(time.Now().Add(linkWrite)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := l.w.Write(l.buffer.Bytes()); err != nil {
		return err
	}
	if l.buffer.Cap() > maxIdleBuffer {
		l.buffer = bytes.Buffer{}
	}
	return l.out.Flush()
}
