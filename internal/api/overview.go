package api

// Overview is what a person needs to know first.
type Overview struct {
	Health   OverviewHealth     `json:"health"`
	NeedsYou List[Need]         `json:"needsYou"`
	Failures List[Failure]      `json:"failures"` // the newest causes, at most 20
	Late     List[Late]         `json:"late"`     // at most 20
	Running  List[RunningItem]  `json:"running"`  // the late ones first, then the oldest; at most 20
	Waiting  List[WaitingCount] `json:"waiting"`
	Upcoming List[Upcoming]     `json:"upcoming"` // of the next 2 hours, at most 50
	Counts   OverviewCounts     `json:"counts"`
}

// OverviewHealth is the health of the server, and how fast tasks go to agents.
type OverviewHealth struct {
	HealthReport

	Lag HealthLag `json:"lag"`
}

// HealthLag is how long tasks are ready before they go to agents.
type HealthLag struct {
	P50MS         *float64 `json:"p50Ms"` // of the last 5 minutes; nil if no task went to an agent
	P99MS         *float64 `json:"p99Ms"`
	OldestReadyMS *int64   `json:"oldestReadyMs"` // nil if none is ready
}

// OverviewCounts are numbers of the whole server, or of the project that the caller may see.
type OverviewCounts struct {
	RunningTasks    int `json:"runningTasks"`
	ReadyTasks      int `json:"readyTasks"`
	WaitingAttempts int `json:"waitingAttempts"` // those that have not begun
}

// Need is something that a person should do.
type Need struct {
	Kind  string  `json:"kind"` // workflow_paused, or token_expires
	Text  string  `json:"text"` // a sentence for people
	Since *string `json:"since"`
	Until *string `json:"until"` // when it is too late
	Path  *string `json:"path"`  // of the document
}

// WaitingCount is how many tasks, or attempts that have not begun, wait for the same reason.
type WaitingCount struct {
	Code  string `json:"code"`
	Arg   string `json:"arg"` // name of what they wait for; empty if it has none
	Count int    `json:"count"`
}

// RunningItem is an attempt that runs.
type RunningItem struct {
	AttemptItem

	StartedBy StartedBy      `json:"startedBy"`
	Counts    map[string]int `json:"counts"`   // its tasks that are no groups, by state; {} if they were not counted
	Estimate  *Estimate      `json:"estimate"` // nil with fewer than 3 earlier successes
}

// Estimate is when an attempt will have ended, as far as earlier successes of the same definition tell.
type Estimate struct {
	P10At   string `json:"p10At"` // one in ten ended earlier
	P50At   string `json:"p50At"`
	P90At   string `json:"p90At"`
	Samples int    `json:"samples"` // how many successes, at most 20
	Late    bool   `json:"late"`    // it runs longer than nine in ten did
}

// Late is something that should have happened.
type Late struct {
	Kind        string      `json:"kind"` // not_started or running_long
	Project     IDName      `json:"project"`
	Workflow    string      `json:"workflow"`
	SessionTime *OffsetTime `json:"sessionTime"`
	ExpectedAt  string      `json:"expectedAt"`
	MarginMS    int64       `json:"marginMs"` // negative: so long ago
	AttemptID   *ID         `json:"attemptId"`
	ScheduleID  *ID         `json:"scheduleId"`
	Reason      string      `json:"reason"` // a sentence for people
}

// LateList has what is late, the latest first.
type LateList struct {
	Items List[Late] `json:"items"`
	Next  *string    `json:"next"` // always nil: there is one page
}

// Upcoming is a session that a schedule will start.
type Upcoming struct {
	ScheduleID  ID         `json:"scheduleId"`
	Project     IDName     `json:"project"`
	Workflow    string     `json:"workflow"`
	SessionTime OffsetTime `json:"sessionTime"` // in the workflow's zone
	RunTime     string     `json:"runTime"`
	ExpectedMS  *int64     `json:"expectedMs"` // how long half of the last successes took at most; nil with fewer than 3
}

// UpcomingList is a page of upcoming sessions, the earliest first.
type UpcomingList struct {
	Items List[Upcoming] `json:"items"`
	Next  *string        `json:"next"` // names the next page; nil on the last one
}
