package events

import (
	"fmt"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// Topic selects the events of a stream (docs/rest.md, Events).
type Topic struct {
	kind     string // "site", "project", "workflow", "attempt", "log" or "schedules"
	Project  trowel.ProjectID
	workflow string
	Attempt  trowel.AttemptID
	task     string // full name
}

// ParseTopic reads a topic as clients write it.
func ParseTopic(text string) (Topic, error) {
	kind, rest, _ := strings.Cut(text, ":")
	t := Topic{kind: kind}
	id, name, named := strings.Cut(rest, "/")
	n, err := strconv.ParseInt(id, 10, 64)
	var wrong bool
	switch kind {
	case "site", "schedules":
		wrong = rest != ""
	case "project":
		t.Project = trowel.ProjectID(n)
		wrong = err != nil || named
	case "attempt":
		t.Attempt = trowel.AttemptID(n)
		wrong = err != nil || named
	case "workflow":
		t.Project, t.workflow = trowel.ProjectID(n), name
		wrong = err != nil || name == ""
	case "log":
		t.Attempt, t.task = trowel.AttemptID(n), name
		wrong = err != nil || name == ""
	default:
		wrong = true
	}
	if wrong {
		return Topic{}, fmt.Errorf("topic= must be site, schedules, project:ID, workflow:PROJECT/NAME, attempt:ID or log:ATTEMPT/TASK, got %q", text)
	}
	return t, nil
}

// has reports whether an event belongs to the topic. Tasks belong to the topic of their attempt only: there are too many
// for other topics.
func (t Topic) has(event Event) bool {
	ofTask, ofLog := event.Task != nil, event.Log != nil
	if event.Gap {
		return true
	}
	if event.Remote {
		return t.hasRemote(event)
	}
	if event.Schedule != 0 {
		return t.kind == "schedules" || t.kind == "site" ||
			t.kind == "project" && event.ProjectID == t.Project ||
			t.kind == "workflow" && event.ProjectID == t.Project && event.Workflow == t.workflow
	}
	switch t.kind {
	case "site":
		return !ofTask && !ofLog
	case "project":
		return !ofTask && !ofLog && event.ProjectID == t.Project
	case "workflow":
		return !ofTask && !ofLog && event.ProjectID == t.Project && event.Workflow == t.workflow
	case "attempt":
		return !ofLog && event.AttemptID == t.Attempt
	case "log":
		return ofLog && event.AttemptID == t.Attempt && event.Log.Task == t.task
	default:
		return false
	}
}

// hasRemote reports whether a change by another server may belong to the topic. Its project is not known.
func (t Topic) hasRemote(event Event) bool {
	if event.Log != nil { // output of an unknown task
		return t.kind == "log"
	}
	switch t.kind {
	case "site", "project", "workflow":
		return event.AttemptChanged || event.AttemptID == 0
	case "attempt":
		return event.AttemptID == t.Attempt || event.AttemptID == 0
	default:
		return false
	}
}

// ShowsAttempt reports whether an attempt belongs to the topic.
func (t Topic) ShowsAttempt(a *trowel.AttemptSummary) bool {
	switch t.kind {
	case "project":
		return a.Project.ID == t.Project
	case "workflow":
		return a.Project.ID == t.Project && a.Session.Workflow == t.workflow
	default:
		return true
	}
}
