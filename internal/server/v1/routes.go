package v1

import (
	"slices"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/server/download"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// What parameters of lists mean.
const (
	aboutLastID = "Only what comes after this id in the order of the list."
	aboutCount  = "How many items at most; 100 if it is missing."
)

// pageParams are the parameters of lists with pages.
func pageParams() []rest.Parameter {
	return []rest.Parameter{
		rest.QueryInt("last_id", aboutLastID),
		rest.QueryInt("page_size", aboutCount),
	}
}

func ofName(about string) rest.Parameter { return rest.QueryText("name", about) }

// Routes are Digdag's paths (server 2.6.11) by noun.
func Routes(o *Options) []rest.Route {
	routes := slices.Concat(
		versionRoutes(&o.Versions), projectRoutes(o), projectPartRoutes(o), workflowRoutes(), scheduleRoutes(o), sessionRoutes(o), attemptRoutes(o), logRoutes(o),
	)
	for i := range routes {
		routes[i].Digdag = true
	}
	return routes
}

func versionRoutes(v *Versions) []rest.Route {
	return []rest.Route{
		{
			Method: "GET", Path: "/api/version", Name: "getVersion", Open: true, Answer: api.Version{}, Handle: v.get,
			About: "The version of the server. It needs no authentication.",
		},
		{
			Method: "GET", Path: "/api/version/check", Name: "checkVersion", Answer: api.VersionCheck{}, Handle: v.check,
			About: "Whether a client goes with the server.",
			Query: []rest.Parameter{
				rest.QueryText("client", "Version of Digdag that the client is, or stands for. It is compared with server.client-version-check.*."),
				rest.QueryText("version", "The client's own version, if it is not Digdag's."),
			},
		},
	}
}

func projectRoutes(o *Options) []rest.Route {
	pushed := &pushes{PushOptions: o.Pushes, archives: o.Archives.Stores, schedulesChanged: o.SchedulesChanged}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/projects", Name: "getProjects", Verb: access.ListProjectsOfSite, Answer: api.ProjectCollection{},
			Handle: getProjects, About: "Projects with a revision, by id.",
			Query: []rest.Parameter{
				rest.QueryInt("last_id", "Only larger ids."),
				rest.QueryInt("count", aboutCount),
				ofName("The project of that name, or nothing."),
				rest.QueryText("name_pattern", "A part of the name."),
			},
		},
		{
			Method: "PUT", Path: "/api/projects", Name: "putProject", Verb: access.PutProject, Answer: api.Project{}, Handle: pushed.put,
			About: "Push a revision of a project: a tar.gz.", Long: true, Body: rest.BytesBody(rest.GzipType),
			Query: []rest.Parameter{
				rest.QueryText("project", "Name of the project, which is made if it is new."),
				rest.QueryText("revision", "Name of the new revision."),
				rest.QueryText("schedule_from", "Schedules of new workflows begin at this instant; now if it is missing."),
				rest.QueryText("clear_schedule", "A workflow whose schedule begins anew. May be repeated."),
				rest.QueryFlag("clear_schedule_all", "All schedules begin anew."),
			},
		},
		{
			Method: "GET", Path: "/api/project", Name: "getProject", Verb: access.GetProject, Answer: api.Project{},
			Handle: getProjectByName, About: "A project by its name; an older form.", Query: []rest.Parameter{ofName("Name of the project.")},
		},
		{
			Method: "GET", Path: "/api/projects/{id:32}", Name: "getProjectById", Verb: access.GetProject, Answer: api.Project{}, Handle: getProject,
			About: "A project.",
		},
		{
			Method: "DELETE", Path: "/api/projects/{id:32}", Name: "deleteProject", Verb: access.DeleteProject, Answer: api.Project{},
			Handle: deleteProject, About: "Delete a project; the answer is the project as it was.",
		},
	}
}

func projectPartRoutes(o *Options) []rest.Route {
	kept, listed, written := &archives{o.Archives}, &pageLimits{o.MaxSessionsPage, o.MaxAttemptsPage}, &secrets{o.Crypter}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/projects/{id:32}/revisions", Name: "getRevisions", Verb: access.GetProject, Answer: api.RevisionCollection{},
			Handle: getRevisions, About: "Revisions of a project, newest first.",
			Query: []rest.Parameter{rest.QueryInt("last_id", "Only smaller ids."), ofName("The revision of that name, or nothing.")},
		},
		{
			Method: "GET", Path: "/api/projects/{id:32}/archive", Name: "getArchive", Verb: access.GetProjectArchive, Handle: kept.get, Redirects: true,
			About: "The archive of a revision, as it was pushed.", Long: true,
			Query: []rest.Parameter{find.QueryRevision(), download.QueryDirect()},
		},
		{
			Method: "GET", Path: "/api/projects/{id:32}/workflow", Name: "getWorkflow", Verb: access.GetWorkflow, Answer: api.Workflow{},
			Handle: getProjectWorkflowByQuery, About: "A workflow of a revision; an older form.",
			Query: []rest.Parameter{ofName("Name of the workflow."), find.QueryRevision()},
		},
		{
			Method: "GET", Path: "/api/projects/{id:32}/workflows", Name: "getWorkflows", Verb: access.ListWorkflowsOfProject,
			Answer: api.WorkflowCollection{}, Handle: getProjectWorkflows, About: "Workflows of a revision, by id.",
			Query: []rest.Parameter{find.QueryRevision(), ofName("The workflow of that name, or nothing.")},
		},
		{
			Method: "GET", Path: "/api/projects/{id:32}/workflows/{name}", Name: "getWorkflowByName", Verb: access.GetWorkflow,
			Answer: api.Workflow{}, Handle: getProjectWorkflow, About: "A workflow of a revision.", Query: []rest.Parameter{find.QueryRevision()},
		},
		{
			Method: "GET", Path: "/api/projects/{id:32}/schedules", Name: "getProjectSchedules", Verb: access.ListSchedulesOfProject,
			Answer: api.ScheduleCollection{}, Handle: getProjectSchedules, About: "Schedules of a project, by id.",
			Query: []rest.Parameter{rest.QueryText("workflow", "Only that of this workflow."), rest.QueryInt("last_id", "Only larger ids.")},
		},
		{
			Method: "GET", Path: "/api/projects/{id:32}/sessions", Name: "getProjectSessions", Verb: access.ListSessionsOfProject,
			Answer: api.SessionCollection{}, Handle: listed.getProjectSessions, About: "Sessions of a project, newest first.",
			Query: append(pageParams(), rest.QueryText("workflow", "Only those of this workflow.")),
		},
		{
			Method: "GET", Path: "/api/projects/{id:32}/secrets", Name: "getProjectSecrets", Verb: access.GetProjectSecretList,
			Answer: api.SecretList{}, Handle: getSecrets, About: "Keys of the secrets of a project. Values are never told.",
		},
		{
			Method: "PUT", Path: "/api/projects/{id:32}/secrets/{key}", Name: "putProjectSecret", Verb: access.PutProjectSecret,
			Answer: api.Secret{}, Handle: written.put, About: "Set a secret.", Body: rest.JSONBody(api.SetSecretRequest{}),
		},
		{
			Method: "DELETE", Path: "/api/projects/{id:32}/secrets/{key}", Name: "deleteProjectSecret", Verb: access.DeleteProjectSecret,
			Answer: api.Secret{}, Handle: deleteSecret, About: "Delete a secret. One that is not there is fine.",
		},
	}
}

func workflowRoutes() []rest.Route {
	return []rest.Route{
		{
			Method: "GET", Path: "/api/workflow", Name: "getWorkflowDefinition", Verb: access.GetWorkflow, Answer: api.Workflow{},
			Handle: getWorkflowByName, About: "A workflow by names; an older form.",
			Query: []rest.Parameter{rest.QueryText("project", "Name of the project."), ofName("Name of the workflow."), find.QueryRevision()},
		},
		{
			Method: "GET", Path: "/api/workflows", Name: "getWorkflowDefinitions", Verb: access.ListWorkflowsOfSite,
			Answer: api.WorkflowCollection{}, Handle: getWorkflows, About: "Workflows of the newest revisions of all projects.",
			Query: []rest.Parameter{
				rest.QueryInt("last_id", aboutLastID),
				rest.QueryInt("count", aboutCount),
				rest.QueryText("order", "asc or desc, by id."),
				rest.QueryText("name_pattern", "A part of the workflow's name."),
				rest.QueryFlag("search_project_name", "The pattern may also be a part of the project's name."),
			},
		},
		{
			Method: "GET", Path: "/api/workflows/{id:64}", Name: "getWorkflowDefinitionById", Verb: access.GetWorkflow, Answer: api.Workflow{},
			Handle: getWorkflow, About: "A workflow of any revision.",
		},
		{
			Method: "GET", Path: "/api/workflows/{id:64}/truncated_session_time", Name: "getTruncatedSessionTime", Verb: access.GetWorkflow,
			Answer: api.WorkflowSessionTime{}, Handle: getTruncatedSessionTime, About: "The session time of a workflow for a time.",
			Query: []rest.Parameter{
				rest.QueryText("session_time", "A date-time, in the workflow's zone unless it has an offset."),
				rest.QueryText("mode", "hour, day, schedule or next_schedule; no change if it is missing."),
			},
		},
	}
}

func scheduleRoutes(o *Options) []rest.Route {
	h := &schedules{o.SchedulesChanged, o.Events, o.MaxAttempts}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/schedules", Name: "getSchedules", Verb: access.ListSchedulesOfSite, Answer: api.ScheduleCollection{},
			Handle: getSchedules, About: "Schedules, by id.", Query: []rest.Parameter{rest.QueryInt("last_id", "Only larger ids.")},
		},
		{
			Method: "GET", Path: "/api/schedules/{id:32}", Name: "getScheduleById", Verb: access.GetSchedule, Answer: api.Schedule{},
			Handle: getSchedule, About: "A schedule.",
		},
		{
			Method: "POST", Path: "/api/schedules/{id:32}/skip", Name: "skipSchedule", Verb: access.SkipSchedule, Answer: api.ScheduleSummary{},
			Handle: h.skip, About: "Leave out sessions of a schedule.", Body: rest.JSONBody(api.ScheduleSkipRequest{}),
		},
		{
			Method: "POST", Path: "/api/schedules/{id:32}/backfill", Name: "backfillSchedule", Verb: access.BackfillSchedule,
			Answer: api.ScheduleAttemptCollection{}, Handle: h.backfill, About: "Start sessions of the past, one after the other.",
			Body: rest.JSONBody(api.ScheduleBackfillRequest{}),
		},
		{
			Method: "POST", Path: "/api/schedules/{id:32}/disable", Name: "disableSchedule", Verb: access.DisableSchedule,
			Answer: api.ScheduleSummary{}, Handle: h.disable, About: "Stop a schedule. The body is ignored.",
		},
		{
			Method: "POST", Path: "/api/schedules/{id:32}/enable", Name: "enableSchedule", Verb: access.EnableSchedule,
			Answer: api.ScheduleSummary{}, Handle: h.enable, About: "Let a schedule go on. The body may be empty.",
			Body: rest.JSONBody(api.ScheduleEnableRequest{}),
		},
	}
}

func sessionRoutes(o *Options) []rest.Route {
	h := &pageLimits{o.MaxSessionsPage, o.MaxAttemptsPage}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/sessions", Name: "getSessions", Verb: access.ListSessionsOfSite, Answer: api.SessionCollection{},
			Handle: h.getSessions, About: "Sessions, newest first.", Query: pageParams(),
		},
		{
			Method: "GET", Path: "/api/sessions/{id:64}", Name: "getSession", Verb: access.GetSession, Answer: api.Session{}, Handle: getSession,
			About: "A session.",
		},
		{
			Method: "GET", Path: "/api/sessions/{id:64}/attempts", Name: "getSessionAttempts", Verb: access.GetAttemptsFromSession,
			Answer: api.AttemptCollection{}, Handle: h.getSessionAttempts, About: "Attempts of a session, newest first.", Query: pageParams(),
		},
	}
}

func attemptRoutes(o *Options) []rest.Route {
	h, listed := &attempts{o.Launcher, o.Killer}, &pageLimits{o.MaxSessionsPage, o.MaxAttemptsPage}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/attempts", Name: "getAttempts", Verb: access.ListSessionsOfSite, Answer: api.AttemptCollection{},
			Handle: listed.getAttempts, About: "Attempts, newest first.",
			Query: append(pageParams(),
				find.QueryProject(),
				find.QueryWorkflow(),
				rest.QueryFlag("include_retried", "Also those that are not the last of their session.")),
		},
		{
			Method: "PUT", Path: "/api/attempts", Name: "startAttempt", Verb: access.RunWorkflow, Answer: api.Attempt{}, Handle: h.start, Errors: map[int]any{409: api.Attempt{}},
			About: "Start an attempt. If it is there already the answer is 409 with that attempt.", Body: rest.JSONBody(api.AttemptRequest{}),
		},
		{
			Method: "GET", Path: "/api/attempts/{id:64}", Name: "getAttempt", Verb: access.GetAttempt, Answer: api.Attempt{}, Handle: getAttempt,
			About: "An attempt.",
		},
		{
			Method: "GET", Path: "/api/attempts/{id:64}/retries", Name: "getAttemptRetries", Verb: access.GetAttempt,
			Answer: api.AttemptCollection{}, Handle: getAttemptRetries, About: "All attempts of the same session, the first one first.",
		},
		{
			Method: "GET", Path: "/api/attempts/{id:64}/tasks", Name: "getTasks", Verb: access.GetTasksFromAttempt, Answer: api.TaskCollection{},
			Handle: getTasks, About: "Tasks of an attempt, by id.",
		},
		{
			Method: "POST", Path: "/api/attempts/{id:64}/kill", Name: "killAttempt", Verb: access.KillAttempt, Answer: api.Attempt{},
			Handle: h.kill, About: "Stop an attempt; the answer is the attempt as it was.",
			Body: rest.OptionalJSON(param.New()),
		},
		{
			Method: "GET", Path: "/api/admin/attempts/{id:64}/userinfo", Name: "getUserInfo", Answer: param.New(), Handle: getUserInfo,
			About: "Who pushed the revision of an attempt. On the admin listener alone.",
		},
	}
}

func logRoutes(o *Options) []rest.Route {
	h := &logs{o.Logs}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/logs/{attempt:64}/files", Name: "getFileHandles", Verb: access.GetLogFiles, Answer: api.LogFileCollection{},
			Handle: h.list, About: "Files with the output of an attempt's tasks, by name.",
			Query: []rest.Parameter{
				rest.QueryText("task", "Only files whose name begins so; names begin with the full name of the task."),
				rest.QueryFlag("direct_download", "false for no addresses in a store."),
			},
		},
		{
			Method: "GET", Path: "/api/logs/{attempt:64}/files/{file}", Name: "getFile", Verb: access.GetLogFiles, Handle: h.get, Redirects: true,
			About: "A file of output, compressed with gzip, or its address in a store.", Long: true,
			Query: []rest.Parameter{rest.QueryFlag("direct_download", "false for the file itself, rather than its address in a store.")},
		},
	}
}
