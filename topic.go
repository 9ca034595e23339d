package trowel

import (
	"strconv"
	"strings"
)

// Topics of Notify by which servers on one database tell each other of what people change.
const (
	// TopicLimits tells that pools changed.
	TopicLimits = "limits"
	// TopicAdmit, with a workflow behind it, tells that attempts of it may begin now, see AdmitTopic.
	TopicAdmit = "admit"
	// TopicAgents tells that agents were told to take nothing new, or to go on.
	TopicAgents = "agents"
)

// AdmitTopic is the message that attempts of a workflow, which waited, may begin now.
func AdmitTopic(w WorkflowName) string {
	return TopicAdmit + " " + strconv.FormatInt(int64(w.ProjectID), 10) + "/" + w.Name
}

// ParseAdmit reads what stands behind TopicAdmit in such a message.
func ParseAdmit(text string) (WorkflowName, bool) {
	id, name, found := strings.Cut(text, "/")
	n, err := strconv.ParseInt(id, 10, 64)
	return WorkflowName{ProjectID: ProjectID(n), Name: name}, found && err == nil && name != ""
}
