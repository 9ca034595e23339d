package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/hub"
)

const (
	linesType = "application/x-ndjson"
	// linkWrite is how long an agent may take to read a message before it is cut off.
	linkWrite = 15 * time.Second
)

// linkRoutes are the paths of remote agents (docs/agents.md). They are of one verb, which few callers have.
func linkRoutes() []route {
	const id = "/api/agents/{id}"
	return []route{
		{
			method: "POST", path: "/api/agents", name: "registerAgent", verb: access.RunAgent, answer: api.AgentRegistered{}, handle: linked(registerAgent),
			about: "Begin as a remote agent.", body: JSONBody(api.AgentRegistration{}),
		},
		{
			method: "DELETE", path: id, name: "deleteAgent", verb: access.RunAgent, answer: api.AgentDone{}, handle: linked(deleteAgent),
			about: "End as a remote agent.",
		},
		{
			method: "POST", path: id + "/leases", name: "streamLeases", verb: access.RunAgent, handle: linked(streamLeases), long: true,
			about: "Lines of JSON, as they come: leases of a remote agent, and which of its tries to end.", body: JSONBody(api.AgentHeld{}),
		},
		{
			method: "POST", path: id + "/heartbeat", name: "beatAgent", verb: access.RunAgent, answer: api.AgentBeat{}, handle: linked(beatAgent),
			about: "Renew the lease of a remote agent.", body: JSONBody(api.AgentHeld{}),
		},
		{
			method: "POST", path: id + "/reports", name: "reportTries", verb: access.RunAgent, answer: api.AgentAnswers{}, handle: linked(reportTries),
			about: "Tell how tries of a remote agent ended. The answer, which comes when that is stored, has a status for each of them.",
			body:  JSONBody(api.AgentReports{}),
		},
		{
			method: "POST", path: id + "/logs", name: "putAgentLogs", verb: access.RunAgent, answer: api.AgentDone{}, handle: linked(putAgentLogs),
			about: "Output of tries that run on a remote agent.", body: JSONBody(api.AgentLogs{}),
		},
		{
			method: "POST", path: id + "/secret", name: "getAgentSecret", verb: access.RunAgent, answer: api.AgentSecret{}, handle: linked(getAgentSecret),
			about: "A secret for a try that runs on a remote agent.", body: JSONBody(api.AgentSecretRequest{}),
		},
		{
			method: "POST", path: id + "/session", name: "startAgentSession", verb: access.RunAgent, answer: api.AgentSession{}, handle: linked(startAgentSession),
			about: "Start an attempt of a workflow for a try that runs on a remote agent.", body: JSONBody(api.AgentSessionRequest{}),
		},
		{
			method: "POST", path: id + "/params", name: "putAgentParams", verb: access.RunAgent, answer: api.AgentDone{}, handle: linked(putAgentParams),
			about: "Write parameters for a try that runs on a remote agent.", body: JSONBody(api.AgentParams{}),
		},
		{
			method: "POST", path: id + "/params/find", name: "findAgentParams", verb: access.RunAgent, answer: api.AgentParams{}, handle: linked(findAgentParams),
			about: "Read parameters for a try that runs on a remote agent.", body: JSONBody(api.AgentParamKeys{}),
		},
		{
			method: "GET", path: id + "/archives/{attempt:64}", name: "getAgentArchive", verb: access.RunAgent, handle: linked(getAgentArchive), redirects: true,
			about: "The archive of an attempt of which a try runs on a remote agent.", long: true,
			query: []parameter{QueryFlag("direct_download", "false to get it from this server in any case.")},
		},
	}
}

// linked is a handler of remote agents: it refuses those who may not be one, or are of another version.
func linked(handle func(c *call) (any, error)) func(c *call) (any, error) {
	return func(c *call) (any, error) {
		if c.opts.Agents == nil {
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
				c.opts.Version, api.AgentProtocol, speaks)
		}
		return handle(c)
	}
}

// token is that of the caller; zero for none.
func (c *call) token() trowel.TokenID {
	if c.caller.Token == nil {
		return 0
	}
	return c.caller.Token.ID
}

func registerAgent(c *call) (any, error) {
	var r api.AgentRegistration
	if err := c.decode(&r); err != nil {
		return nil, err
	}
	return c.opts.Agents.Register(c.ctx(), c.token(), r)
}

func deleteAgent(c *call) (any, error) {
	return api.AgentDone{}, c.opts.Agents.Leave(c.ctx(), c.text(), c.token())
}

func beatAgent(c *call) (any, error) {
	var held api.AgentHeld
	if err := c.decode(&held); err != nil {
		return nil, err
	}
	return c.opts.Agents.Beat(c.ctx(), c.text(), c.token(), held)
}

func reportTries(c *call) (any, error) {
	var r api.AgentReports
	if err := c.decode(&r); err != nil {
		return nil, err
	}
	return c.opts.Agents.Reports(c.ctx(), c.text(), c.token(), r)
}

func putAgentLogs(c *call) (any, error) {
	var logs api.AgentLogs
	if err := c.decode(&logs); err != nil {
		return nil, err
	}
	return api.AgentDone{}, c.opts.Agents.Logs(c.ctx(), c.text(), c.token(), logs.Chunks)
}

func getAgentSecret(c *call) (any, error) {
	var r api.AgentSecretRequest
	if err := c.decode(&r); err != nil {
		return nil, err
	}
	c.w.Header().Set("Cache-Control", "no-store")
	return c.opts.Agents.Secret(c.ctx(), c.text(), c.token(), r)
}

func startAgentSession(c *call) (any, error) {
	var r api.AgentSessionRequest
	if err := c.decode(&r); err != nil {
		return nil, err
	}
	return c.opts.Agents.Session(c.ctx(), c.text(), c.token(), &r)
}

func putAgentParams(c *call) (any, error) {
	var r api.AgentParams
	if err := c.decode(&r); err != nil {
		return nil, err
	}
	return api.AgentDone{}, c.opts.Agents.SetParams(c.ctx(), c.text(), c.token(), r)
}

func findAgentParams(c *call) (any, error) {
	var r api.AgentParamKeys
	if err := c.decode(&r); err != nil {
		return nil, err
	}
	return c.opts.Agents.FindParams(c.ctx(), c.text(), c.token(), r)
}

// getAgentArchive is getArchive for agents, who see no projects.
func getAgentArchive(c *call) (any, error) {
	archive, err := c.opts.Agents.Archive(c.ctx(), c.text(), c.token(), trowel.AttemptID(c.number()))
	if err != nil {
		return nil, err
	}
	return c.archive(&archive)
}

// streamLeases is the connection by which an agent gets its leases: each message is a line, sent at once.
// It ends when the agent goes, its token no longer holds, another stream of it begins, or the server ends.
func streamLeases(c *call) (any, error) {
	var held api.AgentHeld
	if err := c.decode(&held); err != nil {
		return nil, err
	}
	s, err := c.opts.Agents.Connect(c.ctx(), c.text(), c.token(), held)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	c.w.Header().Set("Content-Type", linesType)
	c.w.Header().Set("Cache-Control", "no-store")
	c.w.Header().Set("X-Accel-Buffering", "no")
	c.w.WriteHeader(http.StatusOK)
	l := &leaseLines{call: c, out: http.NewResponseController(c.w)}
	l.encoder = json.NewEncoder(&l.buffer)
	l.encoder.SetEscapeHTML(false)
	l.serve(s)
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
