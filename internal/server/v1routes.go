package server

import (
	"slices"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
)

// Parameters that several routes have.
func page() []parameter {
	return []parameter{
		QueryInt("last_id", "Only what comes after this id in the order of the list."),
		QueryInt("page_size", "How many items at most; 100 if it is missing."),
	}
}

func ofRevision() parameter {
	return QueryText("revision", "Name of a revision; the newest one if it is missing.")
}

func ofName(about string) parameter { return QueryText("name", about) }

// v1Routes are Digdag's paths (server 2.6.11) by noun, and what Trowel adds to those nouns.
func v1Routes(o *V1Options) []route {
	return slices.Concat(
		versionRoutes(&o.Versions), projectRoutes(o), projectPartRoutes(o), workflowRoutes(), scheduleRoutes(o), sessionRoutes(o), attemptRoutes(o), logRoutes(o),
	)
}

func versionRoutes(v *Versions) []route {
	return []route{
		{
			method: "GET", path: "/api/version", name: "getVersion", open: true, answer: api.Version{}, handle: v.get,
			about: "The version of the server. It needs no authentication.",
		},
		{
			method: "GET", path: "/api/version/check", name: "checkVersion", answer: api.VersionCheck{}, handle: v.check,
			about: "Whether a client goes with the server.",
			query: []parameter{
				QueryText("client", "Version of Digdag that the client is, or stands for. It is compared with server.client-version-check.*."),
				QueryText("version", "The client's own version, if it is not Digdag's."),
			},
		},
	}
}

func projectRoutes(o *V1Options) []route {
	pushed := &pushes{Pushes: o.Pushes, archives: o.Archives.Stores, schedulesChanged: o.SchedulesChanged}
	return []route{
		{
			method: "GET", path: "/api/projects", name: "getProjects", verb: access.ListProjectsOfSite, answer: api.ProjectCollection{},
			handle: getProjects, about: "Projects with a revision, by id.",
			query: []parameter{
				QueryInt("last_id", "Only larger ids."),
				QueryInt("count", "How many items at most; 100 if it is missing."),
				ofName("The project of that name, or nothing."),
				QueryText("name_pattern", "A part of the name."),
			},
		},
		{
			method: "PUT", path: "/api/projects", name: "putProject", verb: access.PutProject, answer: api.Project{}, handle: pushed.put,
			about: "Push a revision of a project: a tar.gz.", long: true, body: body{types: []string{gzipType}},
			query: []parameter{
				QueryText("project", "Name of the project, which is made if it is new."),
				QueryText("revision", "Name of the new revision."),
				QueryText("schedule_from", "Schedules of new workflows begin at this instant; now if it is missing."),
				QueryText("clear_schedule", "A workflow whose schedule begins anew. May be repeated."),
				QueryFlag("clear_schedule_all", "All schedules begin anew."),
			},
		},
		{
			method: "GET", path: "/api/project", name: "getProject", verb: access.GetProject, answer: api.Project{},
			handle: getProjectByName, about: "A project by its name; an older form.", query: []parameter{ofName("Name of the project.")},
		},
		{
			method: "GET", path: "/api/projects/{id:32}", name: "getProjectById", verb: access.GetProject, answer: api.Project{}, handle: getProject,
			about: "A project.",
		},
		{
			method: "DELETE", path: "/api/projects/{id:32}", name: "deleteProject", verb: access.DeleteProject, answer: api.Project{},
			handle: deleteProject, about: "Delete a project; the answer is the project as it was.",
		},
	}
}

func projectPartRoutes(o *V1Options) []route {
	kept, listed, written := &archives{o.Archives}, &pages{o.MaxSessionsPage, o.MaxAttemptsPage}, &secrets{o.Crypter}
	return []route{
		{
			method: "GET", path: "/api/projects/{id:32}/revisions", name: "getRevisions", verb: access.GetProject, answer: api.RevisionCollection{},
			handle: getRevisions, about: "Revisions of a project, newest first.",
			query: []parameter{QueryInt("last_id", "Only smaller ids."), ofName("The revision of that name, or nothing.")},
		},
		{
			method: "GET", path: "/api/projects/{id:32}/findings", name: "getFindings", verb: access.GetProject, answer: api.FindingCollection{},
			handle: getFindings, about: "What the push of a revision has found and accepted: its warnings.",
			query: []parameter{ofRevision()},
		},
		{
			method: "GET", path: "/api/projects/{id:32}/archive", name: "getArchive", verb: access.GetProjectArchive, handle: kept.get, redirects: true,
			about: "The archive of a revision, as it was pushed.", long: true,
			query: []parameter{ofRevision(), QueryFlag("direct_download", "false to get it from this server in any case.")},
		},
		{
			method: "GET", path: "/api/projects/{id:32}/workflow", name: "getWorkflow", verb: access.GetWorkflow, answer: api.Workflow{},
			handle: getProjectWorkflowByQuery, about: "A workflow of a revision; an older form.",
			query: []parameter{ofName("Name of the workflow."), ofRevision()},
		},
		{
			method: "GET", path: "/api/projects/{id:32}/workflows", name: "getWorkflows", verb: access.ListWorkflowsOfProject,
			answer: api.WorkflowCollection{}, handle: getProjectWorkflows, about: "Workflows of a revision, by id.",
			query: []parameter{ofRevision(), ofName("The workflow of that name, or nothing.")},
		},
		{
			method: "GET", path: "/api/projects/{id:32}/workflows/{name}", name: "getWorkflowByName", verb: access.GetWorkflow,
			answer: api.Workflow{}, handle: getProjectWorkflow, about: "A workflow of a revision.", query: []parameter{ofRevision()},
		},
		{
			method: "GET", path: "/api/projects/{id:32}/schedules", name: "getProjectSchedules", verb: access.ListSchedulesOfProject,
			answer: api.ScheduleCollection{}, handle: getProjectSchedules, about: "Schedules of a project, by id.",
			query: []parameter{QueryText("workflow", "Only that of this workflow."), QueryInt("last_id", "Only larger ids.")},
		},
		{
			method: "GET", path: "/api/projects/{id:32}/sessions", name: "getProjectSessions", verb: access.ListSessionsOfProject,
			answer: api.SessionCollection{}, handle: listed.getProjectSessions, about: "Sessions of a project, newest first.",
			query: append(page(), QueryText("workflow", "Only those of this workflow.")),
		},
		{
			method: "GET", path: "/api/projects/{id:32}/secrets", name: "getProjectSecrets", verb: access.GetProjectSecretList,
			answer: api.SecretList{}, handle: getSecrets, about: "Keys of the secrets of a project. Values are never told.",
		},
		{
			method: "PUT", path: "/api/projects/{id:32}/secrets/{key}", name: "putProjectSecret", verb: access.PutProjectSecret,
			answer: api.Secret{}, handle: written.put, about: "Set a secret.", body: JSONBody(api.SetSecretRequest{}),
		},
		{
			method: "DELETE", path: "/api/projects/{id:32}/secrets/{key}", name: "deleteProjectSecret", verb: access.DeleteProjectSecret,
			answer: api.Secret{}, handle: deleteSecret, about: "Delete a secret. One that is not there is fine.",
		},
	}
}

func workflowRoutes() []route {
	return []route{
		{
			method: "GET", path: "/api/workflow", name: "getWorkflowDefinition", verb: access.GetWorkflow, answer: api.Workflow{},
			handle: getWorkflowByName, about: "A workflow by names; an older form.",
			query: []parameter{QueryText("project", "Name of the project."), ofName("Name of the workflow."), ofRevision()},
		},
		{
			method: "GET", path: "/api/workflows", name: "getWorkflowDefinitions", verb: access.ListWorkflowsOfSite,
			answer: api.WorkflowCollection{}, handle: getWorkflows, about: "Workflows of the newest revisions of all projects.",
			query: []parameter{
				QueryInt("last_id", "Only what comes after this id in the order of the list."),
				QueryInt("count", "How many items at most; 100 if it is missing."),
				QueryText("order", "asc or desc, by id."),
				QueryText("name_pattern", "A part of the workflow's name."),
				QueryFlag("search_project_name", "The pattern may also be a part of the project's name."),
			},
		},
		{
			method: "GET", path: "/api/workflows/{id:64}", name: "getWorkflowDefinitionById", verb: access.GetWorkflow, answer: api.Workflow{},
			handle: getWorkflow, about: "A workflow of any revision.",
		},
		{
			method: "GET", path: "/api/workflows/{id:64}/truncated_session_time", name: "getTruncatedSessionTime", verb: access.GetWorkflow,
			answer: api.WorkflowSessionTime{}, handle: getTruncatedSessionTime, about: "The session time of a workflow for a time.",
			query: []parameter{
				QueryText("session_time", "A date-time, in the workflow's zone unless it has an offset."),
				QueryText("mode", "hour, day, schedule or next_schedule; no change if it is missing."),
			},
		},
	}
}

func scheduleRoutes(o *V1Options) []route {
	h := &schedules{o.SchedulesChanged, o.Events, o.MaxAttempts}
	return []route{
		{
			method: "GET", path: "/api/schedules", name: "getSchedules", verb: access.ListSchedulesOfSite, answer: api.ScheduleCollection{},
			handle: getSchedules, about: "Schedules, by id.", query: []parameter{QueryInt("last_id", "Only larger ids.")},
		},
		{
			method: "GET", path: "/api/schedules/{id:32}", name: "getScheduleById", verb: access.GetSchedule, answer: api.Schedule{},
			handle: getSchedule, about: "A schedule.",
		},
		{
			method: "POST", path: "/api/schedules/{id:32}/skip", name: "skipSchedule", verb: access.SkipSchedule, answer: api.ScheduleSummary{},
			handle: h.skip, about: "Leave out sessions of a schedule.", body: JSONBody(api.ScheduleSkipRequest{}),
		},
		{
			method: "POST", path: "/api/schedules/{id:32}/backfill", name: "backfillSchedule", verb: access.BackfillSchedule,
			answer: api.ScheduleAttemptCollection{}, handle: h.backfill, about: "Start sessions of the past, one after the other.",
			body: JSONBody(api.ScheduleBackfillRequest{}),
		},
		{
			method: "POST", path: "/api/schedules/{id:32}/disable", name: "disableSchedule", verb: access.DisableSchedule,
			answer: api.ScheduleSummary{}, handle: h.disable, about: "Stop a schedule. The body is ignored.",
		},
		{
			method: "POST", path: "/api/schedules/{id:32}/enable", name: "enableSchedule", verb: access.EnableSchedule,
			answer: api.ScheduleSummary{}, handle: h.enable, about: "Let a schedule go on. The body may be empty.",
			body: JSONBody(api.ScheduleEnableRequest{}),
		},
	}
}

func sessionRoutes(o *V1Options) []route {
	h := &pages{o.MaxSessionsPage, o.MaxAttemptsPage}
	return []route{
		{
			method: "GET", path: "/api/sessions", name: "getSessions", verb: access.ListSessionsOfSite, answer: api.SessionCollection{},
			handle: h.getSessions, about: "Sessions, newest first.", query: page(),
		},
		{
			method: "GET", path: "/api/sessions/{id:64}", name: "getSession", verb: access.GetSession, answer: api.Session{}, handle: getSession,
			about: "A session.",
		},
		{
			method: "GET", path: "/api/sessions/{id:64}/attempts", name: "getSessionAttempts", verb: access.GetAttemptsFromSession,
			answer: api.AttemptCollection{}, handle: h.getSessionAttempts, about: "Attempts of a session, newest first.", query: page(),
		},
	}
}

func attemptRoutes(o *V1Options) []route {
	h, listed := &attempts{o.Launcher, o.Killer}, &pages{o.MaxSessionsPage, o.MaxAttemptsPage}
	return []route{
		{
			method: "GET", path: "/api/attempts", name: "getAttempts", verb: access.ListSessionsOfSite, answer: api.AttemptCollection{},
			handle: listed.getAttempts, about: "Attempts, newest first.",
			query: append(page(),
				QueryText("project", "Only those of the project of that name."),
				QueryText("workflow", "Only those of this workflow of the project."),
				QueryFlag("include_retried", "Also those that are not the last of their session.")),
		},
		{
			method: "PUT", path: "/api/attempts", name: "startAttempt", verb: access.RunWorkflow, answer: api.Attempt{}, handle: h.start, errors: map[int]any{409: api.Attempt{}},
			about: "Start an attempt. If it is there already the answer is 409 with that attempt.", body: JSONBody(api.AttemptRequest{}),
		},
		{
			method: "GET", path: "/api/attempts/{id:64}", name: "getAttempt", verb: access.GetAttempt, answer: api.Attempt{}, handle: getAttempt,
			about: "An attempt.",
		},
		{
			method: "GET", path: "/api/attempts/{id:64}/retries", name: "getAttemptRetries", verb: access.GetAttempt,
			answer: api.AttemptCollection{}, handle: getAttemptRetries, about: "All attempts of the same session, the first one first.",
		},
		{
			method: "GET", path: "/api/attempts/{id:64}/tasks", name: "getTasks", verb: access.GetTasksFromAttempt, answer: api.TaskCollection{},
			handle: getTasks, about: "Tasks of an attempt, by id.",
		},
		{
			method: "POST", path: "/api/attempts/{id:64}/kill", name: "killAttempt", verb: access.KillAttempt, answer: api.Attempt{},
			handle: h.kill, about: "Stop an attempt; the answer is the attempt as it was.",
			body: MaybeJSON(param.New()),
		},
		{
			method: "GET", path: "/api/admin/attempts/{id:64}/userinfo", name: "getUserInfo", answer: param.New(), handle: getUserInfo,
			about: "Who pushed the revision of an attempt. On the admin listener alone.",
		},
	}
}

func logRoutes(o *V1Options) []route {
	h := &logs{o.Logs}
	return []route{
		{
			method: "GET", path: "/api/logs/{attempt:64}/files", name: "getFileHandles", verb: access.GetLogFiles, answer: api.LogFileCollection{},
			handle: h.list, about: "Files with the output of an attempt's tasks, by name.",
			query: []parameter{
				QueryText("task", "Only files whose name begins so; names begin with the full name of the task."),
				QueryFlag("direct_download", "false for no addresses in a store."),
			},
		},
		{
			method: "GET", path: "/api/logs/{attempt:64}/files/{file}", name: "getFile", verb: access.GetLogFiles, handle: h.get, redirects: true,
			about: "A file of output, compressed with gzip, or its address in a store.", long: true,
			query: []parameter{QueryFlag("direct_download", "false for the file itself, rather than its address in a store.")},
		},
	}
}
