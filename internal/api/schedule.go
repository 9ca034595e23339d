package api

// Schedule is RestSchedule.
type Schedule struct {
	ID               ID         `json:"id"`
	Project          IDName     `json:"project"`
	Workflow         IDName     `json:"workflow"`
	NextRunTime      Instant    `json:"nextRunTime"`      // when the next session starts
	NextScheduleTime OffsetTime `json:"nextScheduleTime"` // time of the next session, in the workflow's zone
	DisabledAt       *Instant   `json:"disabledAt"`       // null while it is enabled
}

// ScheduleCollection is RestScheduleCollection.
type ScheduleCollection struct {
	Schedules List[Schedule] `json:"schedules"`
}

// ScheduleSummary is RestScheduleSummary: the answer to a change of a schedule.
type ScheduleSummary struct {
	ID               ID         `json:"id"`
	Project          IDName     `json:"project"`
	Workflow         IDName     `json:"workflow"`
	NextRunTime      Instant    `json:"nextRunTime"`
	NextScheduleTime OffsetTime `json:"nextScheduleTime"` // time of the next session, in the workflow's zone
	CreatedAt        Instant    `json:"createdAt"`
	UpdatedAt        Instant    `json:"updatedAt"`  // Digdag quirk, server 2.3: it is CreatedAt there
	DisabledAt       *Instant   `json:"disabledAt"` // null while it is enabled
}

// ScheduleAttemptCollection is RestScheduleAttemptCollection: what a backfill started.
type ScheduleAttemptCollection struct {
	ID       ID            `json:"id"` // the schedule
	Project  IDName        `json:"project"`
	Workflow IDName        `json:"workflow"`
	Attempts List[Attempt] `json:"attempts"`
}

// ScheduleSkipRequest is RestScheduleSkipRequest. NextTime wins over FromTime with Count; one of the two ways is
// required.
type ScheduleSkipRequest struct {
	Count       *int            `json:"count"`       // how many sessions to skip from FromTime on
	FromTime    *Instant        `json:"fromTime"`    // start from the first session that is due at this time or later
	NextTime    *LocalOrInstant `json:"nextTime"`    // the next session is the first one that is due at this time or later
	NextRunTime *Instant        `json:"nextRunTime"` // when the next session starts instead of its scheduled time
	DryRun      bool            `json:"dryRun"`      // only say what would happen; required
}

// UnmarshalJSON reads a request by the rules of server 2.2.
func (q *ScheduleSkipRequest) UnmarshalJSON(data []byte) error {
	r := read(data)
	*q = ScheduleSkipRequest{
		Count:       r.optInt("count"),
		FromTime:    r.optInstant("fromTime"),
		NextTime:    r.optLocalOrInstant("nextTime"),
		NextRunTime: r.optInstant("nextRunTime"),
		DryRun:      r.flag("dryRun"),
	}
	return r.err
}

// ScheduleBackfillRequest is RestScheduleBackfillRequest. All but Count are required.
type ScheduleBackfillRequest struct {
	FromTime    Instant `json:"fromTime"`    // begin with the first session that is due at this time or later
	AttemptName string  `json:"attemptName"` // name of each attempt
	Count       *int    `json:"count"`       // the exact number of sessions; null or 0 for all before the next session
	DryRun      bool    `json:"dryRun"`      // only say what would happen
}

// UnmarshalJSON reads a request by the rules of server 2.2.
func (q *ScheduleBackfillRequest) UnmarshalJSON(data []byte) error {
	r := read(data)
	*q = ScheduleBackfillRequest{
		FromTime:    r.instant("fromTime"),
		AttemptName: r.text("attemptName"),
		Count:       r.optInt("count"),
		DryRun:      r.flag("dryRun"),
	}
	return r.err
}

// ScheduleEnableRequest is RestScheduleEnableRequest. An empty body and null mean no options
// (server 2.2). The server handles the empty body.
type ScheduleEnableRequest struct {
	SkipSchedule bool            `json:"skipSchedule"` // skip to NextTime first
	NextTime     *LocalOrInstant `json:"nextTime"`     // null for now; ignored without SkipSchedule
}

// UnmarshalJSON reads a request by the rules of server 2.2.
func (q *ScheduleEnableRequest) UnmarshalJSON(data []byte) error {
	*q = ScheduleEnableRequest{}
	if string(data) == "null" {
		return nil
	}
	r := read(data)
	q.SkipSchedule, q.NextTime = r.optFlag("skipSchedule"), r.optLocalOrInstant("nextTime")
	return r.err
}
