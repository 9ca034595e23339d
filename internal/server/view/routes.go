package view

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/outline"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Options are what the lists need of other groups.
type Options struct {
	// Outlines has the trees of attempts.
	Outlines *outline.Cache
	// Health checks all parts of the server.
	Health func(c *rest.Call) api.HealthReport
	// CountAgents counts agents by how they are.
	CountAgents func(agents []*trowel.Agent, now time.Time) *api.HealthAgents
	// Waiting counts ready tasks by what they wait for.
	Waiting func(c *rest.Call, tx trowel.Tx, ready []trowel.LiveCount) (api.List[api.WaitingCount], error)
}

// handlers answer with what is kept in memory.
type handlers struct {
	Options

	outlines *outline.Cache
	usual    *usual
	live     *liveCounts
}

// Routes are the paths of lists made for people.
func Routes(o Options) []rest.Route {
	h := &handlers{Options: o, outlines: o.Outlines, usual: &usual{known: map[usualKey]usualTimes{}}, live: &liveCounts{}}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/overview", Name: "getOverview", Verb: access.ListSessionsOfSite, Answer: api.Overview{},
			Handle: h.getOverview, About: "What a person needs to know first: health, failures, what is late, runs, waits and comes.",
			Query: []rest.Parameter{rest.QueryText("since", "Failures since then: an instant, as in 2026-01-02T03:04:05Z; a day ago if it is missing.")},
		},
		{
			Method: "GET", Path: "/api/late", Name: "getLate", Verb: access.ListSessionsOfSite, Answer: api.LateList{},
			Handle: h.getLate, About: "Sessions that should have started, and attempts that run longer than usual, the latest first.",
		},
		{
			Method: "GET", Path: "/api/upcoming", Name: "getUpcoming", Verb: access.ListSchedulesOfSite, Answer: api.UpcomingList{},
			Handle: h.getUpcoming, About: "Sessions that enabled schedules will start, the earliest first.",
			Query: append(rest.PageParams(),
				rest.QueryText("from", "Only those that run then or later: an instant, as in 2026-01-02T03:04:05Z; if it is missing now, with those that are due."),
				rest.QueryText("to", "Only those that run before then; 2 hours after from if it is missing."),
				find.QueryProject(),
				find.QueryWorkflow()),
		},
		{
			Method: "GET", Path: "/api/failures", Name: "getFailures", Verb: access.ListSessionsOfSite, Answer: api.FailureList{},
			Handle: getFailures, About: "Tasks that ended in an error, by cause, the newest first.",
			Query: append(rest.PageParams(),
				rest.QueryText("since", "Only those that ended then or later: an instant, as in 2026-01-02T03:04:05Z; a day before until if it is missing."),
				rest.QueryText("until", "Only those that ended before then; now if it is missing."),
				find.QueryProject(),
				find.QueryWorkflow(),
				rest.QueryText("cause", "Only those of this cause.")),
		},
		{
			Method: "GET", Path: "/api/attempts/{id:64}/summary", Name: "getAttemptSummary", Verb: access.GetAttempt, Answer: api.AttemptSummary{},
			Handle: h.getAttemptSummary, About: "An attempt with the numbers of its tasks by state, how long it waited and ran, and which tasks failed first and why.",
		},
		{
			Method: "GET", Path: "/api/search", Name: "searchEverything", Verb: access.ListSessionsOfSite, Answer: api.Found{},
			Handle: searchEverything, About: "What people may mean by some words: things by name, by id, and sessions by time.",
			Query: []rest.Parameter{
				rest.QueryText("q", "Parts of a name in any order, an id, or a session time with or without the name of its workflow, as in daily 2026-01-02; the newest attempts if it is missing."),
				rest.QueryText("kinds", "Only these, with commas between them: project, workflow, session, attempt, task, pool, agent, revision."),
				rest.QueryInt("limit", "How many of each kind, up to 8; 8 if it is missing."),
			},
		},
		{
			Method: "GET", Path: "/api/search/attempts", Name: "searchAttempts", Verb: access.ListSessionsOfSite, Answer: api.AttemptSearch{},
			Handle: searchAttempts, About: "Attempts by status, project, workflow and time, the newest first.",
			Query: append(rest.PageParams(),
				rest.QueryText("unit", "attempt, or session for the last attempt of each session alone; attempt if it is missing."),
				rest.QueryText("status", "Only those of this status: running, success, error or killed."),
				find.QueryProject(),
				find.QueryWorkflow(),
				rest.QueryText("createdFrom", "Only those that were made then or later: an instant, as in 2026-01-02T03:04:05Z."),
				rest.QueryText("createdTo", "Only those that were made before then."),
				rest.QueryText("sort", "-createdAt, or createdAt for the oldest first; -createdAt if it is missing.")),
		},
		{
			Method: "GET", Path: "/api/attempts/{id:64}/places", Name: "getTaskPlaces", Verb: access.GetTasksFromAttempt, Answer: api.TaskPlaceList{},
			Handle: getTaskPlaces, About: "Where the tasks of an attempt are written: file, line and column, by id of the task.",
		},
		{
			Method: "GET", Path: "/api/attempts/{id:64}/outside", Name: "getTasksOutside", Verb: access.GetTasksFromAttempt, Answer: api.TaskOutsideList{},
			Handle: getTasksOutside, About: "Links that the tasks of an attempt have given to what they started outside, and what their commands have used, by id of the task.",
		},
		{
			Method: "GET", Path: "/api/schedules/{id:32}/decisions", Name: "getScheduleDecisions", Verb: access.GetSchedule, Answer: api.ScheduleDecisionList{},
			Handle: getDecisions, About: "What became of each session of a schedule, the newest first.", Query: rest.PageParams(),
		},
		{
			Method: "GET", Path: "/api/schedules/{id:32}/next", Name: "getNextRuns", Verb: access.GetSchedule, Answer: api.ScheduledRunList{},
			Handle: getNextRuns, About: "The next sessions of a schedule.",
			Query: []rest.Parameter{rest.QueryInt("count", "How many, up to 500; 20 if it is missing.")},
		},
		{
			Method: "GET", Path: "/api/projects/{id:32}/findings", Name: "getFindings", Verb: access.GetProject, Answer: api.FindingCollection{},
			Handle: getFindings, About: "What the push of a revision has found and accepted: its warnings.",
			Query: []rest.Parameter{find.QueryRevision()},
		},
	}
}
