// Package cluster has the messages by which the servers on one database wake each other. They are sent with the
// commit of a transaction (trowel.Tx.Notify), and the server that sent them gets them, too. A message may be lost, so
// receivers also look for changes from time to time.
package cluster

import (
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// The first words of messages.
const (
	wordAttempts  = "attempts"
	wordLimits    = "limits"
	wordAdmit     = "admit"
	wordAgents    = "agents"
	wordSchedules = "schedules"
	wordOutput    = "output"
	wordWriters   = "writers"
	wordLogins    = "logins"
)

// Message is one of Gap, Attempts, Limits, Admit, Agents, Schedules, Output, Writers and Logins.
type Message interface {
	// String returns the message as it is sent, in less than the 8,000 bytes that PostgreSQL accepts.
	String() string

	isMessage()
}

// Gap stands for messages that were lost. It is not known which.
type Gap struct{}

// Limits says that the slots of pools changed.
type Limits struct{}

// Agents says that agents were told to take no new tasks, or to take them again.
type Agents struct{}

// Writers says that a migration has changed who may write to the database. The database itself sends it.
type Writers struct{}

// Logins says that browsers may have been signed out: a login, a token or a project has ended.
type Logins struct{}

// Admit says that attempts of a workflow that wait may begin now.
type Admit trowel.WorkflowName

// Schedules says that the times of a schedule have changed. The zero value means any schedule.
type Schedules struct {
	ID        trowel.ScheduleID
	ProjectID trowel.ProjectID
	Workflow  string
}

func (Gap) isMessage()       {}
func (Limits) isMessage()    {}
func (Agents) isMessage()    {}
func (Writers) isMessage()   {}
func (Logins) isMessage()    {}
func (Admit) isMessage()     {}
func (Schedules) isMessage() {}
func (Attempts) isMessage()  {}
func (Output) isMessage()    {}

// String implements Message.
func (Gap) String() string { return "" }

// String implements Message.
func (Limits) String() string { return wordLimits }

// String implements Message.
func (Agents) String() string { return wordAgents }

// String implements Message.
func (Writers) String() string { return wordWriters }

// String implements Message.
func (Logins) String() string { return wordLogins }

// String implements Message. The form is: admit PROJECT/WORKFLOW.
func (a Admit) String() string {
	return wordAdmit + " " + strconv.FormatInt(int64(a.ProjectID), 10) + "/" + a.Name
}

// String implements Message. The form is: schedules, or schedules ID PROJECT WORKFLOW.
func (s Schedules) String() string {
	if s.ID == 0 {
		return wordSchedules
	}
	return strings.Join([]string{
		wordSchedules, strconv.FormatInt(int64(s.ID), 10), strconv.FormatInt(int64(s.ProjectID), 10), s.Workflow,
	}, " ")
}

// Parse reads a message. It returns nil if this version does not know it, as servers of a newer version may send others.
func Parse(text string) Message {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "":
		return Gap{}
	case wordAttempts:
		return parseAttempts(rest)
	case wordLimits:
		return Limits{}
	case wordAdmit:
		return parseAdmit(rest)
	case wordAgents:
		return Agents{}
	case wordSchedules:
		return parseSchedules(rest)
	case wordOutput:
		return parseOutput(rest)
	case wordWriters:
		return Writers{}
	case wordLogins:
		return Logins{}
	}
	return nil
}

// parseAdmit reads PROJECT/WORKFLOW. A message without both is unknown.
func parseAdmit(rest string) Message {
	id, name, _ := strings.Cut(rest, "/")
	project, err := strconv.ParseInt(id, 10, 64)
	if err != nil || name == "" {
		return nil
	}
	return Admit{ProjectID: trowel.ProjectID(project), Name: name}
}

// parseSchedules reads ID PROJECT WORKFLOW. Without them any schedule is meant.
func parseSchedules(rest string) Message {
	first, rest, _ := strings.Cut(rest, " ")
	second, workflow, found := strings.Cut(rest, " ")
	id, errID := strconv.ParseInt(first, 10, 64)
	project, errProject := strconv.ParseInt(second, 10, 64)
	if !found || id == 0 || errID != nil || errProject != nil {
		return Schedules{}
	}
	return Schedules{ID: trowel.ScheduleID(id), ProjectID: trowel.ProjectID(project), Workflow: workflow}
}
