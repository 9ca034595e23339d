package access

// Verb is something that a caller may be allowed to do. The first names are those of Digdag's access controller
// (server 3.6), followed by Trowel's own.
type Verb string

// All verbs.
const (
	PutProject              Verb = "PutProject"
	PutProjectContent       Verb = "PutProjectContent"
	DeleteProject           Verb = "DeleteProject"
	GetProject              Verb = "GetProject"
	ListProjectsOfSite      Verb = "ListProjectsOfSite"
	GetProjectArchive       Verb = "GetProjectArchive"
	PutProjectSecret        Verb = "PutProjectSecret"
	DeleteProjectSecret     Verb = "DeleteProjectSecret"
	GetProjectSecretList    Verb = "GetProjectSecretList"
	GetWorkflow             Verb = "GetWorkflow"
	ListWorkflowsOfSite     Verb = "ListWorkflowsOfSite"
	ListWorkflowsOfProject  Verb = "ListWorkflowsOfProject"
	RunWorkflow             Verb = "RunWorkflow"
	PutLogFile              Verb = "PutLogFile"
	GetLogFiles             Verb = "GetLogFiles"
	GetSession              Verb = "GetSession"
	ListSessionsOfSite      Verb = "ListSessionsOfSite"
	ListSessionsOfProject   Verb = "ListSessionsOfProject"
	ListSessionsOfWorkflow  Verb = "ListSessionsOfWorkflow"
	GetAttemptsFromSession  Verb = "GetAttemptsFromSession"
	GetAttempt              Verb = "GetAttempt"
	GetTasksFromAttempt     Verb = "GetTasksFromAttempt"
	KillAttempt             Verb = "KillAttempt"
	GetSchedule             Verb = "GetSchedule"
	ListSchedulesOfSite     Verb = "ListSchedulesOfSite"
	ListSchedulesOfProject  Verb = "ListSchedulesOfProject"
	GetScheduleFromWorkflow Verb = "GetScheduleFromWorkflow"
	SkipSchedule            Verb = "SkipSchedule"
	BackfillSchedule        Verb = "BackfillSchedule"
	DisableSchedule         Verb = "DisableSchedule"
	EnableSchedule          Verb = "EnableSchedule"

	ClearTasks   Verb = "ClearTasks"
	MarkTasks    Verb = "MarkTasks"
	AnswerInput  Verb = "AnswerInput"
	EditPools    Verb = "EditPools"
	DrainAgents  Verb = "DrainAgents"
	RunAgent     Verb = "RunAgent" // be one that takes tasks; see Caller.May
	ManageTokens Verb = "ManageTokens"
	ReadAudit    Verb = "ReadAudit"
)

// power is what a role must have for a verb. A larger one includes the smaller ones.
type power int

const (
	serving   power = iota + 1 // take tasks, and see nothing else
	reading                    // read, and change nothing
	operating                  // everything except tokens
	governing                  // decide who may do what
)

// rule is a row of the table of verbs.
type rule struct {
	verb Verb
	need power
	// listing verbs return lists from all projects, filtered by what each caller may see. So callers
	// who are limited to one project may use them, and Caller.Project is the filter.
	listing bool
}

// rules returns the one table of who may do what.
func rules() []rule {
	return []rule{
		{PutProject, operating, false},
		{PutProjectContent, operating, false},
		{DeleteProject, operating, false},
		{GetProject, reading, false},
		{ListProjectsOfSite, reading, true},
		{GetProjectArchive, reading, false},
		{PutProjectSecret, operating, false},
		{DeleteProjectSecret, operating, false},
		{GetProjectSecretList, reading, false}, // keys alone
		{GetWorkflow, reading, false},
		{ListWorkflowsOfSite, reading, true},
		{ListWorkflowsOfProject, reading, false},
		{RunWorkflow, operating, false},
		{PutLogFile, operating, false},
		{GetLogFiles, reading, false},
		{GetSession, reading, false},
		{ListSessionsOfSite, reading, true},
		{ListSessionsOfProject, reading, false},
		{ListSessionsOfWorkflow, reading, false},
		{GetAttemptsFromSession, reading, false},
		{GetAttempt, reading, false},
		{GetTasksFromAttempt, reading, false},
		{KillAttempt, operating, false},
		{GetSchedule, reading, false},
		{ListSchedulesOfSite, reading, true},
		{ListSchedulesOfProject, reading, false},
		{GetScheduleFromWorkflow, reading, false},
		{SkipSchedule, operating, false},
		{BackfillSchedule, operating, false},
		{DisableSchedule, operating, false},
		{EnableSchedule, operating, false},

		{ClearTasks, operating, false},
		{MarkTasks, operating, false},
		{AnswerInput, operating, false},
		{EditPools, operating, false},   // of all projects
		{DrainAgents, operating, false}, // of all projects
		{RunAgent, serving, false},      // of all projects, and not for everybody with that power
		{ManageTokens, governing, false},
		{ReadAudit, reading, true},
	}
}

// Verbs returns all verbs, in the order of the table.
func Verbs() []Verb {
	var verbs []Verb
	for _, r := range rules() {
		verbs = append(verbs, r.verb)
	}
	return verbs
}

// find returns the row of a verb.
func find(verb Verb) (rule, bool) {
	for _, r := range rules() {
		if r.verb == verb {
			return r, true
		}
	}
	return rule{}, false
}
