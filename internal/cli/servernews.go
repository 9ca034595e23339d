package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/server"
)

// outputEvery is how often other servers are told of output at most.
const outputEvery = time.Second

// outputNews gathers what other servers are told of output: of all tasks together, as transactions that
// notify are committed one after the other.
type outputNews struct {
	wake chan struct{} // has room for one

	mu     sync.Mutex
	stored []trowel.LogChunk // without data
}

func newOutputNews() *outputNews { return &outputNews{wake: make(chan struct{}, 1)} }

func (n *outputNews) add(chunks []trowel.LogChunk) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range chunks {
		c := &chunks[i]
		n.stored = append(n.stored, trowel.LogChunk{AttemptID: c.AttemptID, File: c.File, Offset: c.Offset, TextBytes: c.TextBytes})
	}
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func (n *outputNews) take() []trowel.LogChunk {
	n.mu.Lock()
	defer n.mu.Unlock()
	taken := n.stored
	n.stored = nil
	return taken
}

// run tells of output until ctx ends. What cannot be told is left out: with the database away nobody hears anything.
func (n *outputNews) run(ctx context.Context, store trowel.Store) error {
	pause := time.NewTicker(outputEvery)
	defer pause.Stop()
	for {
		select {
		case <-n.wake:
		case <-ctx.Done():
			return nil
		}
		message := outputTopic(n.take())
		_ = store.Update(ctx, func(tx trowel.Tx) error { return tx.Notify(ctx, message) })
		pause.Reset(outputEvery)
		select {
		case <-pause.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// outputBytes is how long a message about output is at most; PostgreSQL takes 8,000 bytes.
const outputBytes = 7000

// outputOf is output of a task in a message.
type outputOf struct {
	Attempt trowel.AttemptID `json:"a"`
	Task    string           `json:"t"`
	Offset  int64            `json:"o"`
	Size    int64            `json:"s"`
}

// outputTopic is the message about output that was stored: the last piece of each task. Of too many tasks it does not
// say which.
func outputTopic(chunks []trowel.LogChunk) string {
	type task struct {
		attempt trowel.AttemptID
		name    string
	}
	at := map[task]int{}
	var list []outputOf
	for _, e := range outputEvents(chunks) {
		o := outputOf{e.AttemptID, e.Log.Task, e.Log.Offset, e.Log.Size}
		key := task{o.Attempt, o.Task}
		if i, known := at[key]; known {
			list[i] = o
			continue
		}
		at[key] = len(list)
		list = append(list, o)
	}
	text, err := json.Marshal(list)
	if err != nil || len(text) > outputBytes {
		return topicOutput
	}
	return topicOutput + " " + string(text)
}

// readOutput reads the rest of a message about output of another server.
func readOutput(rest string) []server.Event {
	var list []outputOf
	if err := json.Unmarshal([]byte(rest), &list); err != nil {
		return []server.Event{{Elsewhere: true, Log: &server.LogRow{}}} // who follows any output looks for himself
	}
	events := make([]server.Event, len(list))
	for i, o := range list {
		events[i] = server.Event{AttemptID: o.Attempt, Log: &server.LogRow{Task: o.Task, Offset: o.Offset, Size: o.Size}}
	}
	return events
}

// schedulesTopic is the message about new times of schedules: of one, or with nil of any.
func schedulesTopic(one *trowel.Schedule) string {
	if one == nil {
		return topicSchedules
	}
	return fmt.Sprintf("%s %d %d %s", topicSchedules, one.ID, one.ProjectID, one.Workflow)
}

// scheduleEvents reads the rest of a message about schedules; none if it does not say which.
func scheduleEvents(rest string) []server.Event {
	first, rest, _ := strings.Cut(rest, " ")
	second, workflow, found := strings.Cut(rest, " ")
	id, errID := strconv.ParseInt(first, 10, 64)
	project, errProject := strconv.ParseInt(second, 10, 64)
	if !found || errID != nil || errProject != nil {
		return nil
	}
	return []server.Event{{Schedule: trowel.ScheduleID(id), ProjectID: trowel.ProjectID(project), Workflow: workflow}}
}
