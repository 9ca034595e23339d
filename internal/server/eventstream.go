package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
)

const (
	frameEvery   = 250 * time.Millisecond // at most one set of frames (ui.md, A5)
	commentEvery = 15 * time.Second       // so that nobody on the way takes the stream for dead
	frameRows    = 500                    // more rows than that are not told one by one
)

// getEvents is a stream of server-sent events. It wakes when something of its topic happened, sends
// what gathered, and then gathers for a while: frames have at most that age and are few.
func getEvents(c *call) (any, error) {
	topic, err := parseTopic(c.query.Get("topic"))
	if err != nil {
		return nil, err
	}
	if err := c.mayWatch(topic); err != nil {
		return nil, err
	}
	after := c.query.Get("after")
	if last := c.r.Header.Get("Last-Event-ID"); last != "" {
		after = last
	}
	w, lost := c.opts.Events.watch(topic, after)
	defer c.opts.Events.leave(w)
	s := &eventStream{call: c, watcher: w, out: http.NewResponseController(c.w)}
	header := c.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	c.w.WriteHeader(http.StatusOK)
	if err := s.begin(lost); err != nil {
		return stream{}, nil // the caller has gone
	}
	s.serve()
	return stream{}, nil
}

// mayWatch refuses a topic of something that does not exist, or that the caller may not see.
func (c *call) mayWatch(t topic) error {
	return c.view(func(tx trowel.Tx) error {
		switch {
		case t.attempt != 0:
			s, err := tx.FindAttemptSummary(c.ctx(), t.attempt)
			if err != nil {
				return missed(err, "session attempt id=%d", t.attempt)
			}
			return c.may(s.Project.ID)
		case t.project != 0:
			p, err := tx.FindProjectByID(c.ctx(), t.project)
			if err != nil {
				return missed(err, "project id=%d", t.project)
			}
			return c.may(p.ID)
		default:
			return c.may(0)
		}
	})
}

// eventStream writes one stream.
type eventStream struct {
	*call
	watcher *watcher
	out     *http.ResponseController
}

// begin tells a new watcher where it is, or one who was away for too long that it must read anew.
func (s *eventStream) begin(lost bool) error {
	var b bytes.Buffer
	b.WriteString(": trowel\n\n")
	if lost {
		g, _ := s.watcher.take()
		fmt.Fprintf(&b, "id: %s\nevent: reset\ndata: {}\n\n", g.position)
	}
	return s.write(b.Bytes())
}

func (s *eventStream) serve() {
	comment := time.NewTicker(commentEvery)
	defer comment.Stop()
	for {
		select {
		case <-s.ctx().Done():
			return
		case <-comment.C:
			if s.write([]byte(": still here\n\n")) != nil {
				return
			}
		case <-s.watcher.ready:
			g, open := s.watcher.take()
			if !open || s.send(g) != nil || !s.pause() {
				return
			}
		}
	}
}

func (s *eventStream) pause() bool {
	timer := time.NewTimer(frameEvery)
	defer timer.Stop()
	select {
	case <-s.ctx().Done():
		return false
	case <-timer.C:
		return true
	}
}

// write sends bytes at once. Who does not read them for long is cut off.
func (s *eventStream) write(data []byte) error {
	deadline := time.Now().Add(commentEvery)
	if err := s.out.SetWriteDeadline(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := s.w.Write(data); err != nil {
		return err
	}
	return s.out.Flush()
}

// send writes what was gathered as frames.
func (s *eventStream) send(g gathered) error {
	var b bytes.Buffer
	frame := func(name string, data any) {
		text, err := json.Marshal(data)
		if err == nil {
			fmt.Fprintf(&b, "id: %s\nevent: %s\ndata: %s\n\n", g.position, name, text)
		}
	}
	err := s.view(func(tx trowel.Tx) error {
		b.Reset()
		for _, id := range slices.Sorted(maps.Keys(g.attempts)) {
			summary, err := tx.FindAttemptSummary(s.ctx(), id)
			if errors.Is(err, trowel.ErrNotFound) {
				continue // deleted meanwhile
			}
			if err != nil {
				return err
			}
			frame("attempt", attemptOf(summary))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(g.tasks) > 0 {
		frame("tasks", tasksFrame(s.watcher.topic.attempt, g.tasks))
	}
	for _, name := range slices.Sorted(maps.Keys(g.logs)) {
		frame("log", map[string]any{"task": name, "offset": g.logs[name].Offset, "size": g.logs[name].Size})
	}
	for _, id := range slices.Sorted(maps.Keys(g.schedules)) {
		frame("schedule", map[string]any{"id": api.ID(id)})
	}
	if b.Len() == 0 {
		return nil
	}
	return s.write(b.Bytes())
}

// taskFrame is a row of the frame "tasks".
type taskFrame struct {
	ID         api.ID  `json:"id"`
	State      string  `json:"state"`
	Try        int     `json:"try"`
	StartedAt  *string `json:"startedAt"`
	FinishedAt *string `json:"finishedAt"`
	Reason     *string `json:"reason"`
}

// tasksOf is the frame "tasks". Of very many rows it has only how many are in which
// state, and the groups whose children are to be read anew.
type tasksOf struct {
	AttemptID api.ID              `json:"attemptId"`
	Rows      api.List[taskFrame] `json:"rows"`
	Counts    map[string]int      `json:"counts"`
	Stale     api.List[api.ID]    `json:"stale"`
}

func tasksFrame(attempt trowel.AttemptID, tasks map[trowel.TaskID]*TaskRow) tasksOf {
	frame := tasksOf{AttemptID: api.ID(attempt), Counts: map[string]int{}}
	stale := map[api.ID]struct{}{}
	for _, id := range slices.Sorted(maps.Keys(tasks)) {
		row := tasks[id]
		frame.Counts[row.State.String()]++
		if len(tasks) > frameRows {
			stale[api.ID(row.ParentID)] = struct{}{}
		} else {
			frame.Rows = append(frame.Rows, taskFrame{
				ID: api.ID(id), State: row.State.String(), Try: row.Try,
				StartedAt: optional(row.StartedAt), FinishedAt: optional(row.FinishedAt), Reason: optional(row.Reason),
			})
		}
	}
	frame.Stale = slices.Sorted(maps.Keys(stale))
	return frame
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
