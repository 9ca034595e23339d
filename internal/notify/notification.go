package notify

import (
	"time"

	"github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Digdag's messages (server 7.1).
const (
	MessageAttemptTimeout = "Workflow execution timeout"
	MessageTaskTimeout    = "Task execution timeout: " // and ids with commas between them
)

// Notification is a message about an attempt. Empty and zero fields become null.
type Notification struct {
	At      time.Time
	Message string // one of Digdag's messages, or a task's own

	ProjectID    trowel.ProjectID
	ProjectName  string
	WorkflowID   trowel.WorkflowID
	WorkflowName string
	Revision     string
	AttemptID    trowel.AttemptID
	SessionID    trowel.SessionID
	TaskName     string         // full name
	Zone         *time.Location // time zone of the attempt
	SessionUUID  string
	SessionTime  time.Time
}

// OfTask returns a notification about the task of a lease.
func OfTask(at time.Time, message string, lease *trowel.Lease) Notification {
	n := OfAttempt(at, message, lease.AttemptID, lease.Context)
	n.TaskName = lease.FullName
	n.Zone = lease.Zone
	if lease.Context != nil {
		n.SessionUUID, n.SessionTime = lease.Context.Session.UUID, lease.Context.Session.Time
	}
	return n
}

// OfAttempt returns a notification about an attempt. As in Digdag it does not have the session's time
// (server 7.1).
func OfAttempt(at time.Time, message string, attempt trowel.AttemptID, setting *trowel.AttemptContext) Notification {
	n := Notification{At: at, Message: message, AttemptID: attempt}
	if setting == nil {
		return n
	}
	n.ProjectID, n.ProjectName = setting.Project.ID, setting.Project.Name
	n.WorkflowID, n.WorkflowName = setting.Workflow.ID, setting.Workflow.Name
	n.Revision = setting.Revision.Name
	n.SessionID = setting.Session.ID
	return n
}

// timestampLayout is the layout of the payload's instants, except the session time (server 7.1, operators 2.11).
const timestampLayout = "2006-01-02T15:04:05Z"

// Payload returns the notification with Digdag's keys, in Digdag's order (server 7.1). There is only one
// site, with the id 0.
func (n *Notification) Payload() *param.Map {
	var zone, sessionTime param.Value
	if n.Zone != nil {
		zone = n.Zone.String()
	}
	if !n.SessionTime.IsZero() {
		in := n.Zone
		if in == nil {
			in = time.UTC
		}
		sessionTime = n.SessionTime.In(in).Format(trowel.SessionTimeLayout)
	}
	return param.Of(
		"timestamp", n.At.UTC().Format(timestampLayout),
		"message", n.Message,
		"site_id", 0,
		"project_id", id(int64(n.ProjectID)),
		"project_name", text(n.ProjectName),
		"workflow_name", text(n.WorkflowName),
		"revision", text(n.Revision),
		"attempt_id", id(int64(n.AttemptID)),
		"session_id", id(int64(n.SessionID)),
		"task_name", text(n.TaskName),
		"timezone", zone,
		"session_uuid", text(n.SessionUUID),
		"session_time", sessionTime,
		"workflow_definition_id", id(int64(n.WorkflowID)),
	)
}

func id(n int64) param.Value {
	if n == 0 {
		return nil
	}
	return n
}

func text(s string) param.Value {
	if s == "" {
		return nil
	}
	return s
}
