package agentapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/hub"
	"github.com/trowel-project/trowel/internal/server/rest"
)

const (
	ndjsonType = "application/x-ndjson"
	// writeTimeout is how long an agent may take to read a message.
	writeTimeout = 15 * time.Second
)

// streamLeases sends an agent its leases. Each message is a line, and is sent at once. The stream ends when the agent
// leaves or opens another one, when its token becomes invalid, or when the server stops.
func (h *handlers) streamLeases(c *rest.Call) (any, error) {
	var held api.AgentHeld
	if err := c.Decode(&held); err != nil {
		return nil, err
	}
	s, err := h.agents.Connect(c.Ctx(), c.PathText(), tokenID(c), held)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	c.Writer.Header().Set("Content-Type", ndjsonType)
	c.Writer.Header().Set("Cache-Control", "no-store")
	c.Writer.Header().Set("X-Accel-Buffering", "no")
	c.Writer.WriteHeader(http.StatusOK)
	lines := &leaseLines{Call: c, out: http.NewResponseController(c.Writer)}
	lines.encoder = json.NewEncoder(&lines.buffer)
	lines.encoder.SetEscapeHTML(false)
	lines.serve(s)
	return rest.Streamed{}, nil
}

// leaseLines writes the messages of an agent.
type leaseLines struct {
	*rest.Call

	out     *http.ResponseController
	encoder *json.Encoder
	buffer  bytes.Buffer
}

// maxIdleBuffer is the largest buffer that a connection keeps between messages.
const maxIdleBuffer = 64 << 10

func (l *leaseLines) serve(s *hub.Stream) {
	if l.send(&api.AgentMessage{}) != nil {
		return // the agent has gone
	}
	for {
		message, err := s.Next(l.Ctx())
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
	if err := l.out.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := l.Writer.Write(l.buffer.Bytes()); err != nil {
		return err
	}
	if l.buffer.Cap() > maxIdleBuffer {
		l.buffer = bytes.Buffer{}
	}
	return l.out.Flush()
}
