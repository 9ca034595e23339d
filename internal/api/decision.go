package api

// ScheduleDecision is what became of a session of a schedule.
type ScheduleDecision struct {
	At          string  `json:"at"`          // when it was decided
	SessionTime string  `json:"sessionTime"` // in UTC
	RunTime     string  `json:"runTime"`     // when the session was due
	Decision    string  `json:"decision"`    // "started", "skipped", "postponed" or "error"
	Text        string  `json:"text"`        // why; empty for a plain start
	Attempt     *ID     `json:"attempt"`     // the attempt that was started, or that the session had already; nil for none
	Code        *string `json:"code"`        // of skipped, as in SessionWhy; nil for others
}

// ScheduleDecisionList is a page of decisions, the newest first.
type ScheduleDecisionList struct {
	Items List[ScheduleDecision] `json:"items"`
	Next  *string                `json:"next"` // names the next page; nil on the last one
}

// ScheduledRun is a session that a schedule will start.
type ScheduledRun struct {
	SessionTime string  `json:"sessionTime"` // in UTC
	RunTime     string  `json:"runTime"`     // in UTC
	Local       string  `json:"local"`       // the session time in the workflow's zone, with its offset
	Shift       *string `json:"shift"`       // the change of the offset since the run before, as "+1h" ; nil for none
}

// ScheduledRunList has the next sessions of a schedule.
type ScheduledRunList struct {
	Timezone string             `json:"timezone"` // of the workflow
	Disabled bool               `json:"disabled"` // the schedule starts none of them until it is enabled
	Items    List[ScheduledRun] `json:"items"`
}
