package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/hub"
)

const (
	linesType = "application/x-ndjson"
	// linkWrite is how long an agent may take to read a message before it is cut off.
	linkWrite = 15 * time.Second
)

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
