package events

import (
	"testing"
)

func TestTopics(t *testing.T) {
	t.Parallel()
	attempt := Event{AttemptID: 1, ProjectID: 2, Workflow: "w"}
	task := attempt
	task.Task = &TaskRow{ID: 5}
	output := attempt
	output.Log = &LogRow{Task: "+w+a"}
	schedule := Event{ProjectID: 2, Workflow: "w", Schedule: 3}
	elsewhere := Event{AttemptID: 1, Remote: true}
	noted := Event{AttemptID: 1, Remote: true, AttemptChanged: true}
	for _, tc := range []struct {
		topic string
		want  [9]bool // attempt, task, output, schedule; remote: the attempt, tasks, any; a gap; remote output
	}{
		{"site", [9]bool{true, false, false, true, true, false, true, true, false}},
		{"project:2", [9]bool{true, false, false, true, true, false, true, true, false}},
		{"project:3", [9]bool{false, false, false, false, true, false, true, true, false}},
		{"workflow:2/w", [9]bool{true, false, false, true, true, false, true, true, false}},
		{"workflow:2/x", [9]bool{false, false, false, false, true, false, true, true, false}},
		{"attempt:1", [9]bool{true, true, false, false, true, true, true, true, false}},
		{"attempt:2", [9]bool{false, false, false, false, false, false, true, true, false}},
		{"log:1/+w+a", [9]bool{false, false, true, false, false, false, false, true, true}},
		{"log:1/+w+b", [9]bool{false, false, false, false, false, false, false, true, true}},
		{"schedules", [9]bool{false, false, false, true, false, false, false, true, false}},
	} {
		parsed, err := ParseTopic(tc.topic)
		if err != nil {
			t.Errorf("ParseTopic(%q): %v", tc.topic, err)
			continue
		}
		for i, event := range []Event{attempt, task, output, schedule, noted, elsewhere, {Remote: true}, {Gap: true}, {Remote: true, Log: &LogRow{}}} {
			if got := parsed.has(event); got != tc.want[i] {
				t.Errorf("topic %s has event %d = %v, want %v", tc.topic, i, got, tc.want[i])
			}
		}
	}
	for _, text := range []string{"", "nope", "project:", "project:x", "project:1/a", "workflow:1", "log:1", "site:1", "attempt:1/2"} {
		if _, err := ParseTopic(text); err == nil {
			t.Errorf("ParseTopic(%q) succeeds, want an error", text)
		}
	}
}

// A stream that comes back gets the events after its position, or learns that they are lost.
func TestEventsResume(t *testing.T) {
	t.Parallel()
	e := NewFeed()
	site, _ := ParseTopic("site")
	first, lost := e.Watch(site, "", 0)
	if lost {
		t.Error("a new watcher has lost something")
	}
	e.Publish(Event{AttemptID: 1})
	g, open := first.Take()
	if _, ok := g.Attempts[1]; !ok || !open {
		t.Errorf("gathered %v, open %v, want attempt 1 and open", g.Attempts, open)
	}
	e.Leave(first)
	e.Publish(Event{AttemptID: 2}, Event{AttemptID: 3}, Event{AttemptID: 2})
	again, lost := e.Watch(site, g.Position, 0)
	if g, _ := again.Take(); lost || len(g.Attempts) != 2 {
		t.Errorf("after the return: lost %v, attempts %v, want 2 and 3", lost, g.Attempts)
	}
	for range maxKept + 1 {
		e.Publish(Event{AttemptID: 4})
	}
	for _, position := range []string{g.Position, "other-1", "nonsense", e.epoch + "-99999999"} {
		if _, lost := e.Watch(site, position, 0); !lost {
			t.Errorf("watch after %q: nothing lost, want lost", position)
		}
	}
	e.Close()
	if _, open := again.Take(); open {
		t.Error("the stream is open after Close")
	}
}

// Events before the first watcher are not kept, so nothing is promised about them.
func TestFirstWatcher(t *testing.T) {
	t.Parallel()
	e := NewFeed()
	site, _ := ParseTopic("site")
	e.Publish(Event{AttemptID: 1})
	if e.Watched() {
		t.Error("a new feed was watched, want not")
	}
	first, _ := e.Watch(site, "", 0)
	start, _ := first.Take()
	e.Publish(Event{AttemptID: 2})
	e.Leave(first)
	if !e.Watched() {
		t.Error("the feed was not watched, although a stream may come back")
	}
	if again, lost := e.Watch(site, start.Position, 0); lost {
		t.Error("events since the first watcher are lost")
	} else if g, _ := again.Take(); len(g.Attempts) != 1 {
		t.Errorf("after the return: attempts %v, want 2", g.Attempts)
	}
}

// Changes by other servers, and gaps between versions, must be read. A stream that comes back must read everything again
// if another server has changed something meanwhile.
func TestEventsElsewhere(t *testing.T) {
	t.Parallel()
	e := NewFeed()
	topic, _ := ParseTopic("attempt:1")
	own := func(version int64) Event {
		return Event{AttemptID: 1, Version: version, Task: &TaskRow{ID: 5, Version: version}}
	}
	w, _ := e.Watch(topic, "", 3)
	for _, step := range []struct {
		name  string
		event Event
		want  Batch
	}{
		{"the next version", own(4), Batch{Known: 4}},
		{"the same once more", own(4), Batch{Known: 4}},
		{"another server", Event{AttemptID: 1, Remote: true}, Batch{Known: 4, Behind: true}},
		{"any attempts", Event{Remote: true}, Batch{Known: 4, Behind: true}},
		{"another attempt", Event{AttemptID: 2, Remote: true}, Batch{Known: 4}},
		{"a version between is missing", own(6), Batch{Known: 4, Behind: true}},
		{"anything", Event{Gap: true}, Batch{Known: 4, Reset: true}},
	} {
		e.Publish(step.event)
		if g, _ := w.Take(); g.Known != step.want.Known || g.Behind != step.want.Behind || g.Reset != step.want.Reset {
			t.Errorf("%s: told %d, behind %v, reset %v, want %d, %v, %v", step.name, g.Known, g.Behind, g.Reset, step.want.Known, step.want.Behind, step.want.Reset)
		}
	}
	w.CaughtUp(6)
	e.Publish(own(7))
	g, _ := w.Take()
	if g.Known != 7 || g.Behind {
		t.Errorf("after it caught up: told %d, behind %v, want 7 and not behind", g.Known, g.Behind)
	}
	e.Publish(Event{AttemptID: 2, Remote: true, AttemptChanged: true})
	unconcerned, lost := e.Watch(topic, g.Position, 7)
	if g, _ := unconcerned.Take(); lost || g.Reset || g.Behind {
		t.Errorf("after the return: lost %v, reset %v, behind %v, want nothing", lost, g.Reset, g.Behind)
	}
	e.Publish(Event{AttemptID: 1, Remote: true})
	again, _ := e.Watch(topic, g.Position, 8)
	if g, _ := again.Take(); !g.Reset {
		t.Error("after the return nobody is told to read anew what another server changed")
	}
	site, _ := ParseTopic("site")
	whole, _ := e.Watch(site, g.Position, 0)
	if g, _ := whole.Take(); g.Reset || len(g.Attempts) != 1 {
		t.Errorf("after the return to the site: reset %v, attempts %v, want attempt 2", g.Reset, g.Attempts)
	}
	e.Publish(Event{Remote: true})
	if g, _ := whole.Take(); !g.Reset {
		t.Error("a site of which any attempts changed is not reset")
	}
}
