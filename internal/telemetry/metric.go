package telemetry

// Kind says how the values of a metric are made.
type Kind uint8

// The kinds.
const (
	Counter   Kind = iota + 1 // only grows while the process lives
	Gauge                     // the present value
	Histogram                 // how many values there were up to each bound, and their sum
)

// String returns the name of a kind in the text format.
func (k Kind) String() string {
	switch k {
	case Counter:
		return "counter"
	case Gauge:
		return "gauge"
	case Histogram:
		return "histogram"
	}
	return "untyped"
}

// Metric describes one metric.
type Metric struct {
	Name    string // begins with trowel_ and ends with its unit; that of a counter with _total
	Kind    Kind
	Labels  []string  // names; each combination of values is a series of its own
	Buckets []float64 // of a histogram: upper bounds, growing
	Help    string    // one line
}

// ID is the index of a metric in All.
type ID int

// The metrics. All describes them.
const (
	Info ID = iota
	HTTPRequests
	HTTPDuration
	AttemptsStarted
	AttemptsEnded
	AttemptsRunning
	AttemptsLeftAlone
	Tries
	TryReadyToClaim
	TryClaimToStart
	TryDuration
	WaitSeconds
	FlushChanges
	FlushDuration
	Transactions
	TransactionDuration
	TransactionRetries
	DatabaseErrors
	Schedules
	ScheduleDelay
	LogText
	LogStored
	Agents
	AgentSlots
	RetentionDeleted
	RetentionPasses
	Goroutines
	Memory
)

// quick, waits and tasks return bounds of buckets in seconds, and sizes those of numbers.
func quick() []float64 {
	return []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10}
}

func waits() []float64 { return []float64{.001, .002, .005, .01, .05, .1, .5, 1, 5, 10, 60, 300, 1800} }

func tasks() []float64 { return []float64{.01, .1, .5, 1, 5, 10, 30, 60, 300, 900, 3600, 14400, 86400} }
func sizes() []float64 { return []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000} }

// All returns all metrics, each at the index of its ID. docs/metrics.md is generated from it.
func All() []Metric {
	return []Metric{
		Info:         {"trowel_info", Gauge, []string{"version"}, nil, "Always 1; the label has the version of the server."},
		HTTPRequests: {"trowel_http_requests_total", Counter, []string{"route", "status"}, nil, "Answered requests by the name of their route and the status of the answer. Routes outside the API are `ui` and `metrics`; `none` is a path that does not exist."},
		HTTPDuration: {"trowel_http_request_duration_seconds", Histogram, []string{"route"}, quick(), "Time from the head of a request to the end of its answer. Streams last as long as somebody reads them."},

		AttemptsStarted:   {"trowel_attempts_started_total", Counter, nil, nil, "Attempts that this server began."},
		AttemptsEnded:     {"trowel_attempts_ended_total", Counter, []string{"status"}, nil, "Attempts that this server saw to their end: `success`, `error` or `killed`."},
		AttemptsLeftAlone: {"trowel_attempts_left_alone_total", Counter, nil, nil, "Attempts that this server left alone, as a later version has written states or flags that it does not know; one counts again when the reason changes."},
		AttemptsRunning:   {"trowel_attempts_running", Gauge, nil, nil, "Attempts in the database that have not ended, those of other servers included."},

		Tries:           {"trowel_tries_total", Counter, []string{"outcome"}, nil, "Ended executions of tasks: `success`, `error`, `retry`, `poll`, `canceled` or `lost`."},
		TryReadyToClaim: {"trowel_try_ready_to_claim_seconds", Histogram, nil, waits(), "How long a task that could run waited for a free slot."},
		TryClaimToStart: {"trowel_try_claim_to_start_seconds", Histogram, nil, waits(), "Time from the claim of a task to its start by the agent: the commit, and the way to the agent."},
		TryDuration:     {"trowel_try_duration_seconds", Histogram, nil, tasks(), "How long tasks ran."},
		WaitSeconds:     {"trowel_task_wait_seconds_total", Counter, []string{"code"}, nil, "How long tasks waited, by the code of the reason, as docs/why.md has them: of ready tasks that were claimed what kept them last, and the waits for a `retry`, `poll` or `group_retry` as they begin."},

		FlushChanges:  {"trowel_flush_changes", Histogram, nil, sizes(), "How many states of tasks one transaction of the flusher changed."},
		FlushDuration: {"trowel_flush_duration_seconds", Histogram, nil, quick(), "Time from the beginning of a transaction of the flusher to the moment when others hear of it."},

		Transactions:        {"trowel_transactions_total", Counter, []string{"part", "kind"}, nil, "Transactions by the part of the server and their kind, `write` or `read`; those that failed included."},
		TransactionDuration: {"trowel_transaction_duration_seconds", Histogram, []string{"part", "kind"}, quick(), "How long transactions took, waiting for the database included."},
		TransactionRetries:  {"trowel_transaction_retries_total", Counter, []string{"part"}, nil, "Transactions that were run again, as they had lost to another one."},
		DatabaseErrors:      {"trowel_database_errors_total", Counter, []string{"part", "kind"}, nil, "Transactions that failed because of the database: it could not be reached or used (`unavailable`), or they lost to others again and again (`conflict`)."},

		Schedules:     {"trowel_schedule_decisions_total", Counter, []string{"what"}, nil, "What became of due sessions of schedules: `started`, `skipped`, `postponed` or `error`."},
		ScheduleDelay: {"trowel_schedule_delay_seconds", Histogram, nil, waits(), "How long after its time a session of a schedule was started."},

		LogText:   {"trowel_log_text_bytes_total", Counter, nil, nil, "Output of tasks, as it was printed."},
		LogStored: {"trowel_log_stored_bytes_total", Counter, nil, nil, "Output of tasks, as it was stored, compressed."},

		Agents:     {"trowel_agents", Gauge, nil, nil, "Agents in the database whose lease has not ended."},
		AgentSlots: {"trowel_agent_slots", Gauge, nil, nil, "Slots of all these agents; one without a limit counts as none."},

		RetentionDeleted: {"trowel_retention_deleted_total", Counter, []string{"what"}, nil, "What retention deleted: `attempt`, `session`, `decision`, `revision`, `archive`, `value` or `login`."},
		RetentionPasses:  {"trowel_retention_passes_total", Counter, []string{"result"}, nil, "Passes of retention: `success` or `error`."},

		Goroutines: {"trowel_goroutines", Gauge, nil, nil, "Goroutines of the process."},
		Memory:     {"trowel_memory_bytes", Gauge, nil, nil, "Memory that the process has from the system, without what it gave back."},
	}
}
