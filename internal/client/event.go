package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Limits of an event stream.
const (
	quietTime  = 45 * time.Second // without a sign of life, which Trowel's server sends every 15 s
	maxEvent   = 16 << 20         // bytes of one line, and of the data of one event
	streamType = "text/event-stream"
)

// ErrNoEvents is the error about a server without event streams, such as Digdag's.
var ErrNoEvents = errors.New("the server has no stream of events")

// Event is one event of a stream.
type Event struct {
	Position string // the position with which Events continues after it
	Name     string // attempt, tasks, log, schedule, or reset if events got lost
	Data     []byte // JSON
}

// Events is an open stream of events. It is for one goroutine.
type Events struct {
	body   io.ReadCloser
	lines  *bufio.Scanner
	quiet  *time.Timer
	cancel context.CancelFunc
}

// Events opens the stream of a topic, such as attempt:1, after a position, or from now on if that is empty. It
// returns ErrNoEvents if the server has no streams. The stream ends with ctx.
func (c *Client) Events(ctx context.Context, topic, after string) (*Events, error) {
	ctx, cancel := context.WithCancel(ctx)
	res, err := c.send(ctx, request{
		method: http.MethodGet, address: c.address("/api/events", query{"topic": topic, "after": after}), accept: streamType, own: true,
	})
	if err != nil {
		cancel()
		if refused, ok := errors.AsType[*StatusError](err); ok &&
			(refused.Code == http.StatusNotFound || refused.Code == http.StatusMethodNotAllowed || refused.Code == http.StatusNotAcceptable) {
			return nil, ErrNoEvents
		}
		return nil, err
	}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), streamType) {
		cancel()
		_ = res.Body.Close() // it is something else
		return nil, ErrNoEvents
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, maxEvent)
	return &Events{body: res.Body, lines: lines, quiet: time.AfterFunc(quietTime, cancel), cancel: cancel}, nil
}

// Next waits for the next event. It returns an error when the stream has ended or there is no sign of
// life any more.
func (e *Events) Next() (Event, error) {
	var event Event
	for e.lines.Scan() {
		e.quiet.Reset(quietTime)
		line := e.lines.Text()
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && event.Name != "":
			return event, nil
		case line == "":
			event.Data = nil // an event without a name, which Trowel's server does not send
		case field == "id":
			event.Position = value
		case field == "event":
			event.Name = value
		case field == "data":
			if len(event.Data)+len(value) > maxEvent {
				return Event{}, fmt.Errorf("an event has more than %d MiB", maxEvent>>20)
			}
			event.Data = append(event.Data, value...)
		}
	}
	if err := e.lines.Err(); err != nil {
		return Event{}, err
	}
	return Event{}, io.EOF
}

// Close ends the stream.
func (e *Events) Close() {
	e.quiet.Stop()
	e.cancel()
	_ = e.body.Close() // nobody reads it any more
}
