package api

// Schedule is RestSchedule.
type Schedule struct {
	ID               ID         `json:"id"`
	Project          IDName     `json:"project"`
	Workflow         IDName     `json:"workflow"`
	NextRunTime      Instant    `json:"nextRunTime"`
	NextScheduleTime OffsetTime `json:"nextScheduleTime"` // in the workflow's zone
	DisabledAt       *Instant   `json:"disabledAt"`
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
	NextScheduleTime OffsetTime `json:"nextScheduleTime"`
	CreatedAt        Instant    `json:"createdAt"`
	UpdatedAt        Instant    `json:"updatedAt"` // Digdag quirk, server 2.3: it is CreatedAt there
	DisabledAt       *Instant   `json:"disabledAt"`
}

// ScheduleAttemptCollection is RestScheduleAttemptCollection: what a backfill started.
type ScheduleAttemptCollection struct {
	ID       ID            `json:"id"` // of the schedule
	Project  IDName        `json:"project"`
	Workflow IDName        `json:"workflow"`
	Attempts List[Attempt] `json:"attempts"`
}

// ScheduleSkipRequest is RestScheduleSkipRequest. NextTime wins over FromTime with Count.
type ScheduleSkipRequest struct {
	Count       *int            `json:"count"`
	FromTime    *Instant        `json:"fromTime"`
	NextTime    *LocalOrInstant `json:"nextTime"`
	NextRunTime *Instant        `json:"nextRunTime"`
	DryRun      bool            `json:"dryRun"` // required
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
	FromTime    Instant `json:"fromTime"`
	AttemptName string  `json:"attemptName"`
	Count       *int    `json:"count"`
	DryRun      bool    `json:"dryRun"`
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
// (server 2.2); the empty body is for the server to see.
type ScheduleEnableRequest struct {
	SkipSchedule bool            `json:"skipSchedule"`
	NextTime     *LocalOrInstant `json:"nextTime"`
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
