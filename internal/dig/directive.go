package dig

// Directive is a key of tasks or files that belongs to the language, not to an operator. Doc says in one line what it
// is for.
type Directive struct{ Key, Doc string }

// Directives returns all of them.
func Directives() []Directive {
	return []Directive{
		{keyTimezone, "the time zone of dates, schedules and session times, as `Asia/Tokyo`; UTC if it is missing"},
		{keySchedule, "when a server starts the workflow by itself"},
		{keySLA, "when an attempt is late, and what to do then"},
		{keyExport, "parameters of the task and of all below it"},
		{keyParallel, "children run side by side: `true`, or `{limit: 4}` for four at a time"},
		{keyBackground, "starts with the group; the next plain child waits for it"},
		{keyAfter, "waits for these earlier siblings, in a parallel group: `[+a, +b]`"},
		{keyRetry, "how often, and when, a failed task runs again: `3`, or `{limit: 3, interval: 10, interval_type: exponential}`"},
		{keyError, "what runs when the task has failed"},
		{keyCheck, "what must succeed after it, or the task has failed"},
		{keyDo, "the body that an operator repeats or chooses"},
		{keyElseDo, "the body that `if>` chooses where its condition is false"},
		{keyEnv, "environment variables of a command, which may hold `${secret:...}`"},
		{keySecrets, "other names for secrets: `{password: db.password}`"},
		{keyWorkdir, "the folder that commands run in, below the project's"},
		{keyDisable, "`true`: the task and all below it are left out"},
		{keyType, "the operator, where its key cannot say it"},
		{keyCommand, "what stands behind the operator's name, beside `_type`"},
		{keyPool, "the pools that the task takes slots of: `name`, `{name: ..., slots: 2}`, or a list of these"},
		{keyPoolSlots, "how many slots of its pool a task takes; 1"},
		{keyPriorityWeight, "tasks of larger numbers run first; 1"},
		{keyWeightRule, "whose numbers a task adds to its own"},
		{keyConcurrency, "how many tries of the task run at the same time: `1`, or `{limit: 1, per: site, key: name}`"},
		{keyQueue, "the queue of agents that run the task: `name`, or `{name: ..., labels: [...]}`"},
		{keyLimits, "what the commands of a try may use: `{memory: 2GiB, cpu: 1.5, pids: 500, disk: 10GiB}`"},
		{keyDefaults, "options and `_retry` for all tasks with an operator below the group"},
		{keyMaxActiveAttempts, "how many attempts of the workflow run at the same time: `1`, or `{limit: 1, on_exceed: reject}`"},
		{keyMaxActiveTasks, "how many of its tasks run at the same time: `8`, or `{per_attempt: 8, per_workflow: 16}`"},
	}
}
