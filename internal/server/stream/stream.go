package stream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/events"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

const (
	minInterval  = 250 * time.Millisecond // between sets of frames: changes of that time come together
	maxInterval  = 5 * time.Second        // if reading takes long
	commentEvery = 15 * time.Second       // so that proxies keep the connection open
)

// streamer has the handler of streams.
type streamer struct {
	events  *events.Feed
	streams *streams
}

// maxTopics is how many topics one stream may have.
const maxTopics = 100

// serve sends server-sent events. When there are events of its topics it sends what the watchers have collected, and then
// lets them collect for a while, so that there are few frames.
func (e *streamer) serve(c *rest.Call) (any, error) {
	topics, gone, err := readTopics(c)
	if err != nil {
		return nil, err
	}
	leave, err := e.streams.acquire(c)
	if err != nil {
		return nil, err
	}
	defer leave()
	after := c.Query.Get("after")
	if last := c.Request.Header.Get("Last-Event-ID"); last != "" {
		after = last
	}
	s := &eventStream{Call: c, ready: make(chan struct{}, 1), gone: gone, out: http.NewResponseController(c.Writer)}
	lost := false
	for _, t := range topics {
		w, missed := e.events.Watch(t.topic, after, t.watched.Version)
		defer e.events.Leave(w)
		lost = lost || missed
		part := &topicStream{eventStream: s, watcher: w, flags: t.watched.Flags}
		if len(topics)+len(gone) > 1 {
			part.name = t.name
		}
		s.parts = append(s.parts, part)
		go s.forward(w)
	}
	header := c.Writer.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	c.Writer.WriteHeader(http.StatusOK)
	if err := s.begin(lost); err != nil {
		return rest.Streamed{}, nil // the client has gone
	}
	s.serve()
	return rest.Streamed{}, nil
}

// namedTopic is a topic as it was asked for.
type namedTopic struct {
	name    string
	topic   events.Topic
	watched trowel.Attempt // of the topic, if it has one
}

// readTopics reads the topics of a request. Of several, those that do not exist or that the caller may not see are gone; if
// no other is left, it fails.
func readTopics(c *rest.Call) (topics []namedTopic, gone []string, err error) {
	names := c.Query["topic"]
	if len(names) > maxTopics {
		return nil, nil, rest.Invalid("a stream has at most %d topics, not %d", maxTopics, len(names))
	}
	if len(names) == 0 {
		names = []string{""}
	}
	var refused error
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		t, err := events.ParseTopic(name)
		if err != nil {
			return nil, nil, rest.Invalid("%s", err)
		}
		watched, err := authorizeTopic(c, t)
		if err != nil && !rest.IsRefusal(err) {
			return nil, nil, err
		}
		if err != nil {
			refused = err
			gone = append(gone, name)
			continue
		}
		topics = append(topics, namedTopic{name, t, watched})
	}
	if len(topics) == 0 {
		return nil, nil, refused
	}
	return topics, gone, nil
}

// authorizeTopic checks that the topic exists and that the caller may see it. It returns the attempt of the topic, if
// it has one.
func authorizeTopic(c *rest.Call, t events.Topic) (watched trowel.Attempt, err error) {
	err = c.View(func(tx trowel.Tx) error {
		switch {
		case t.Attempt != 0:
			s, err := find.AttemptByID(c, tx, t.Attempt)
			if err != nil {
				return rest.OrNoResource(err, "session attempt id=%d", t.Attempt)
			}
			watched = s.Attempt
			return c.Authorize(s.Project.ID)
		case t.Project != 0:
			p, err := tx.FindProjectByID(c.Ctx(), t.Project)
			if err == nil {
				err = c.CheckVisible(p.ID)
			}
			if err != nil {
				return rest.OrNoResource(err, "project id=%d", t.Project)
			}
			return c.Authorize(p.ID)
		default:
			return c.Authorize(0)
		}
	})
	return watched, err
}

// eventStream writes one stream.
type eventStream struct {
	*rest.Call
	parts []*topicStream
	gone  []string      // topics that cannot be watched
	ready chan struct{} // gets a value when any watcher has something; has room for one
	out   *http.ResponseController
}

// topicStream has what a stream knows of one of its topics.
type topicStream struct {
	*eventStream
	watcher *events.Watcher
	name    string // as it was asked for, to be told with each event; empty in a stream of one topic

	// The last state that was read, for the topic of an attempt.
	flags   trowel.AttemptFlags
	version int64 // up to which tasks were read; zero if they never were
}

// forward wakes the stream whenever a watcher has something.
func (s *eventStream) forward(w *events.Watcher) {
	for {
		select {
		case <-s.Ctx().Done():
			return
		case <-w.Ready:
			select {
			case s.ready <- struct{}{}:
			default:
			}
		}
	}
}

// begin starts the stream. lost makes the client read everything again.
func (s *eventStream) begin(lost bool) error {
	var b bytes.Buffer
	b.WriteString(": trowel\n\n")
	for _, name := range s.gone {
		text, err := json.Marshal(map[string]string{"topic": name})
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "event: gone\ndata: %s\n\n", text)
	}
	if lost {
		position := ""
		for _, t := range s.parts {
			g, _ := t.watcher.Take()
			position = cmp.Or(position, g.Position)
		}
		fmt.Fprintf(&b, "id: %s\nevent: reset\ndata: {}\n\n", position)
	}
	return s.write(b.Bytes())
}

func (s *eventStream) serve() {
	comment := time.NewTicker(commentEvery)
	defer comment.Stop()
	for {
		select {
		case <-s.Ctx().Done():
			return
		case <-comment.C:
			if s.write([]byte(": still here\n\n")) != nil {
				return
			}
		case <-s.ready:
			took, open, err := s.sendAll()
			if !open || err != nil || !s.linger(took) {
				return
			}
		}
	}
}

// sendAll sends what the watchers have collected. All of it has the position of the first one: who comes back with it gets
// some of the others' events again, and misses none.
func (s *eventStream) sendAll() (took time.Duration, open bool, err error) {
	position := ""
	for _, t := range s.parts {
		g, open := t.watcher.Take()
		if !open {
			return took, false, nil
		}
		position = cmp.Or(position, g.Position)
		g.Position = position
		reading, err := t.send(g)
		took += reading
		if err != nil {
			return took, true, err
		}
	}
	return took, true, nil
}

// linger lets the watcher collect for a while. It waits nine times as long as reading took, so that reading takes a tenth of the
// time.
func (s *eventStream) linger(took time.Duration) bool {
	timer := time.NewTimer(min(max(minInterval, 9*took), maxInterval))
	defer timer.Stop()
	select {
	case <-s.Ctx().Done():
		return false
	case <-timer.C:
		return true
	}
}

// write sends bytes at once. It fails if the client does not read for long.
func (s *eventStream) write(data []byte) error {
	deadline := time.Now().Add(commentEvery)
	if err := s.out.SetWriteDeadline(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := s.Writer.Write(data); err != nil {
		return err
	}
	return s.out.Flush()
}

// send sends what was collected as frames. took is how long reading the attempts took.
func (s *topicStream) send(g events.Batch) (took time.Duration, err error) {
	began := time.Now()
	attempts, err := s.read(&g)
	took = time.Since(began)
	if err != nil {
		return took, err
	}
	var b bytes.Buffer
	frame := func(name string, data any) {
		text, err := json.Marshal(data)
		if err == nil {
			text = s.named(text)
			fmt.Fprintf(&b, "id: %s\nevent: %s\ndata: %s\n\n", g.Position, name, text)
		}
	}
	if g.Reset {
		frame("reset", struct{}{})
	}
	for _, summary := range attempts {
		frame("attempt", document.Attempt(summary))
	}
	if len(g.Tasks) > 0 {
		frame("tasks", tasksFrame(s.watcher.Topic.Attempt, g.Tasks))
	}
	for _, name := range slices.Sorted(maps.Keys(g.Logs)) {
		frame("log", map[string]any{"task": name, "offset": g.Logs[name].Offset, "size": g.Logs[name].Size})
	}
	for _, id := range slices.Sorted(maps.Keys(g.Schedules)) {
		frame("schedule", map[string]any{"id": api.ID(id)})
	}
	if b.Len() == 0 {
		return took, nil
	}
	return took, s.write(b.Bytes())
}

// named adds the topic to the document of an event, if the stream has several.
func (s *topicStream) named(document []byte) []byte {
	if s.name == "" {
		return document
	}
	topic, err := json.Marshal(s.name)
	if err != nil {
		return document
	}
	text := append([]byte(`{"topic":`), topic...)
	if len(document) > len("{}") {
		text = append(text, ',')
	}
	return append(text, document[1:]...)
}

// read returns the attempts to send, and adds the tasks that the watcher has missed.
func (s *topicStream) read(g *events.Batch) (list []*trowel.AttemptSummary, err error) {
	maps.DeleteFunc(g.Tasks, func(_ trowel.TaskID, row *events.TaskRow) bool { return row.Version != 0 && row.Version <= s.version })
	if len(g.Attempts) == 0 && !g.Behind {
		return nil, nil
	}
	var news changes
	err = s.View(func(tx trowel.Tx) error {
		list, news.rows = nil, nil
		for _, id := range slices.Sorted(maps.Keys(g.Attempts)) {
			summary, err := tx.FindAttemptSummary(s.Ctx(), id)
			switch {
			case errors.Is(err, trowel.ErrNotFound): // deleted meanwhile
			case err != nil:
				return err
			case s.watcher.Topic.ShowsAttempt(summary):
				list = append(list, summary)
			}
		}
		if g.Behind {
			return news.read(s.Ctx(), tx, s.watcher.Topic.Attempt, g.Known)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if news.attempt != nil {
		list = s.catchUp(g, &news, list)
	}
	if len(list) > 0 {
		s.flags = list[0].Attempt.Flags
	}
	return list, nil
}

// catchUp adds the missed changes of the attempt of the topic.
func (s *topicStream) catchUp(g *events.Batch, n *changes, list []*trowel.AttemptSummary) []*trowel.AttemptSummary {
	if n.tooMany {
		g.Reset = true
	}
	for id, row := range n.rows {
		if known := g.Tasks[id]; known == nil || known.Version < row.Version {
			g.AddTask(row)
		}
	}
	if now := n.attempt.Attempt.Flags; len(list) == 0 && now != s.flags {
		list = append(list, n.attempt)
	}
	s.version = n.attempt.Attempt.Version
	s.watcher.CaughtUp(s.version)
	return list
}
