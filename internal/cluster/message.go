// Package cluster has the messages by which the servers on one database wake each other. They are sent with the
// commit of a transaction (trowel.Tx.Notify) and reach the server that sent them, too. A message may be lost:
// whoever waits for one also looks around from time to time.
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
)

// Message is one of Gap, Attempts, Limits, Admit, Agents, Schedules, Output and Writers.
type Message interface {
	// String is the message as it is sent, shorter than the 8,000 bytes that PostgreSQL takes.
	String() string

	isMessage()
}

// Gap is in the place of messages that were lost: nobody knows which.
type Gap struct{}

// Limits says that the slots of pools changed.
type Limits struct{}

// Agents says that agents were told to take no new tasks, or to go on.
type Agents struct{}

// Writers says that a migration has changed who may write to the database; the database itself sends it.
type Writers struct{}

// Admit says that attempts of a workflow that wait to begin may do so now.
type Admit trowel.WorkflowName

// Schedules says that a schedule has other times; the zero value that any has.
type Schedules struct {
	ID        trowel.ScheduleID
	ProjectID trowel.ProjectID
	Workflow  string
}

func (Gap) isMessage()       {}
func (Limits) isMessage()    {}
func (Agents) isMessage()    {}
func (Writers) isMessage()   {}
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

// String implements Message: admit PROJECT/WORKFLOW.
func (a Admit) String() string {
	return wordAdmit + " " + strconv.FormatInt(int64(a.ProjectID), 10) + "/" + a.Name
}

// String implements Message: schedules, or schedules ID PROJECT WORKFLOW.
func (s Schedules) String() string {
	if s.ID == 0 {
		return wordSchedules
	}
	return strings.Join([]string{
		wordSchedules, strconv.FormatInt(int64(s.ID), 10), strconv.FormatInt(int64(s.ProjectID), 10), s.Workflow,
	}, " ")
}

// Parse reads a message. It is nil if this version does not know it: servers of a newer version may send others.
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
	}
	return nil
}

// parseAdmit reads PROJECT/WORKFLOW. Without both it is a message that is not known.
func parseAdmit(rest string) Message {
	id, name, _ := strings.Cut(rest, "/")
	project, err := strconv.ParseInt(id, 10, 64)
	if err != nil || name == "" {
		return nil
	}
	return Admit{ProjectID: trowel.ProjectID(project), Name: name}
}

// parseSchedules reads ID PROJECT WORKFLOW; if that is not there, any schedule is meant.
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
