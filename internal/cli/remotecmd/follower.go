package remotecmd

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/client"
)

// How often a server is asked about an attempt. To list 10,000 tasks takes some tenths of a second,
// so the time between two lists depends on how long the last one took.
const (
	lookLeast  = time.Second      // shortest time between two lists
	lookMost   = 30 * time.Second // longest, if there is no stream of events or it is refused for now
	lookShare  = 20               // listing takes at most 1/lookShare of the time
	lookSafety = time.Minute      // after this long without an event the tasks are listed anyway
)

// followView shows an attempt that a server runs. Its methods are called by one goroutine.
type followView interface {
	// Begin is called once, before anything else.
	Begin(a *api.Attempt)
	// Tasks is given all tasks as they are now, by ascending id.
	Tasks(a *api.Attempt, tasks []api.Task)
	// Changed is given tasks that have changed since. It reports whether a new list is needed.
	Changed(rows []api.TaskChange) (stale bool)
	// Note shows a line about the connection to the server.
	Note(text string)
	// End is called once when the attempt has ended, after Tasks. If the attempt did not succeed, it is given what the
	// server knows about its tasks beyond the list.
	End(a *api.Attempt, tasks []api.Task, facts taskFacts)
	// Leave is called instead of End if the user stops watching.
	Leave()
}

// follower watches an attempt by a stream of events, and by lists of its tasks where the stream does not say
// enough or does not exist, as on Digdag's server.
type follower struct {
	server *client.Client
	id     api.ID
	view   followView
	least  time.Duration // shortest time between two lists; lookLeast except in tests

	stream   chan client.Event // closed when the stream has ended; nil without one
	close    func()            // ends the stream
	position string            // in the stream
	none     bool              // the server has no streams
	asked    time.Time         // when the stream was last requested
	looked   time.Time         // when the tasks were last listed
	took     time.Duration     // how long the last list took
	away     awayServer
}

// run follows the attempt to its end and returns it. If the server goes away meanwhile, it waits for it.
func (f *follower) run(ctx context.Context) (*api.Attempt, error) {
	f.away.least, f.away.note = f.least, f.view.Note
	attempt, err := f.find(ctx)
	if err != nil {
		return nil, err
	}
	defer f.leaveStream()
	f.view.Begin(attempt)
	for {
		f.openStream(ctx, attempt.Done)
		tasks, err := f.look(ctx, &attempt)
		switch {
		case err == nil && attempt.Done:
			var facts taskFacts
			if !attempt.Success {
				facts = factsOf(ctx, f.server, f.id, tasks)
			}
			f.view.End(attempt, tasks, facts)
			return attempt, nil
		case err == nil:
			err = f.wait(ctx)
		default:
			f.leaveStream()
			err = f.away.wait(ctx, err)
		}
		if err != nil {
			f.view.Leave()
			return nil, err
		}
	}
}

// find reads the attempt for the first time.
func (f *follower) find(ctx context.Context) (*api.Attempt, error) {
	for {
		attempt, err := f.server.FindAttempt(ctx, f.id)
		if err == nil {
			f.away.back()
			return attempt, nil
		}
		if err := f.away.wait(ctx, err); err != nil {
			return nil, err
		}
	}
}

// look reads the attempt and its tasks.
func (f *follower) look(ctx context.Context, attempt **api.Attempt) ([]api.Task, error) {
	begun := time.Now()
	found, err := f.server.FindAttempt(ctx, f.id) // before the tasks: if the attempt is done, this list is the last
	if err != nil {
		return nil, err
	}
	list, err := f.server.ListTasks(ctx, f.id)
	if err != nil {
		return nil, err
	}
	f.looked, f.took = time.Now(), time.Since(begun)
	f.away.back()
	*attempt = found
	f.view.Tasks(found, list.Tasks)
	return list.Tasks, nil
}

// wait returns when it is time to list the tasks again.
func (f *follower) wait(ctx context.Context) error {
	soon := f.looked.Add(max(f.least, lookShare*f.took))
	next := f.looked.Add(lookSafety)
	if f.stream == nil {
		next = f.looked.Add(min(max(f.least, lookShare*f.took), lookMost))
	}
	for {
		timer := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-timer.C:
			return nil
		case event, open := <-f.stream:
			timer.Stop()
			switch {
			case !open:
				f.leaveStream()
				next = soon
			case f.take(event):
				return nil
			case f.stale(event):
				next = soon
			}
		}
	}
}

// take keeps the position of an event, and reports whether the event says that the attempt has ended.
func (f *follower) take(event client.Event) (ended bool) {
	f.position = event.Position
	if event.Name != "attempt" {
		return false
	}
	var attempt api.Attempt
	return json.Unmarshal(event.Data, &attempt) == nil && attempt.ID == f.id && attempt.Done
}

// stale shows what an event says about tasks, and reports whether they must be listed again.
func (f *follower) stale(event client.Event) bool {
	switch event.Name {
	case "reset", "attempt":
		return true
	case "tasks":
		var change api.TasksEvent
		if json.Unmarshal(event.Data, &change) != nil {
			return true
		}
		return f.view.Changed(change.Rows) || len(change.Stale) > 0
	}
	return false
}

// openStream opens the stream of events, if there is none and the attempt goes on. If the server refuses, it is asked
// again later.
func (f *follower) openStream(ctx context.Context, done bool) {
	if f.stream != nil || f.none || done || time.Since(f.asked) < lookMost && f.away.misses == 0 && !f.asked.IsZero() {
		return
	}
	f.asked = time.Now()
	events, err := f.server.Events(ctx, "attempt:"+f.id.String(), f.position)
	if err != nil {
		f.none = errors.Is(err, client.ErrNoEvents)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	stream, ended := make(chan client.Event), make(chan struct{})
	go func() {
		defer close(ended)
		defer close(stream)
		for {
			event, err := events.Next()
			if err != nil {
				return
			}
			select {
			case stream <- event:
			case <-ctx.Done():
				return
			}
		}
	}()
	f.stream = stream
	f.close = func() {
		cancel()
		events.Close()
		<-ended
	}
}

func (f *follower) leaveStream() {
	if f.stream != nil {
		f.close()
		f.stream = nil
	}
}
