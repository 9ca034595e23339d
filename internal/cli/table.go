package cli

// table lists all commands, in the order in which Digdag names them; ours follow. A command
// without run belongs to a later version: its usage and its arguments are checked all the same.
//
//nolint:gochecknoglobals // the one list of commands, only read
var table = []command{
	{
		name: "init", aliases: []string{"new"}, section: sectionLocal,
		lines: []line{{"init <dir>", "make a folder with a first workflow"}},
		usage: []string{"init <dir> [options...]"},
		min:   1, max: 1, operand: anyFolder,
		options: []option{
			textOption("TYPE", "what the workflow shows: "+commaList(projectTypeNames()), "-t", "--type").
				or("echo").offering(oneOf(projectTypeNames()...)),
		},
		run: runInit,
	},
	{
		name: "run", aliases: []string{"r"}, section: sectionLocal,
		lines: []line{{"run <workflow.dig> [+task]", "run a workflow, or one task of it"}},
		usage: []string{"run <workflow.dig> [+task] [options...]"},
		min:   1, max: 2, operand: workflowFile,
		options: options([]option{
			projectOption,
			flagOption("run every task, whatever succeeded before", "-a", "--rerun", "--all"),
			textOption("+NAME", "run this task and all after it, even if they succeeded before", "-s", "--start"),
			textOption("+NAME", "run only what it takes to get this task done, and the task", "-g", "--goal"),
			textOption("+NAME", "run only what comes before this task", "-e", "--end"),
			textOption("DIR", "keep what succeeded in this folder of the project", "-o", "--save").
				or(".digdag/status").offering(anyFolder),
			flagOption("neither keep nor use what succeeded", "--no-save"),
		}, paramOptions, []option{
			textOption("SESSION", "daily, hourly, schedule, last, \"yyyy-MM-dd\" or \"yyyy-MM-dd HH:mm:ss\"",
				"-t", "--session-time", "--session").or("last").offering(oneOf("daily", "hourly", "schedule", "last")),
			flagOption("go through the tasks without running them", "-d", "--dry-run"),
			flagOption("log the parameters of each task before it runs", "-E", "--show-params"),
			flagOption("both --dry-run and --show-params", "-dE"),
			textOption("ZONE", "accepted for Digdag's sake; has no effect", "--timezone"),
			intOption("N", "run at most N tasks at a time; default: no limit", "--max-task-threads").or("0"),
			textOption("DIR", "write a log of each task below this folder", "-O", "--task-log").offering(anyFolder),
			flagOption("write events to standard output, each a line of JSON, and no log", "--json"),
		}),
		refuse: runConflict,
		run:    runRun,
	},
	{
		name: "check", aliases: []string{"c"}, section: sectionLocal,
		lines: []line{{"check [workflow.dig]", "check a project and show what is in it"}},
		usage: []string{"check [workflow.dig] [options...]"},
		max:   1, operand: workflowFile,
		options: options([]option{projectOption}, paramOptions),
		run:     runCheck,
	},
	{
		name: "scheduler", aliases: []string{"sched"}, section: sectionLocal,
		lines:   []line{{"scheduler", "run the schedules of a local project"}},
		usage:   []string{"sched [options...]"},
		options: options([]option{projectOption}, serverOptions, paramOptions),
	},
	{
		name: "server", section: sectionServer,
		lines:   []line{{"server", "run a server with API, UI and schedules"}},
		usage:   []string{"server [options...]"},
		options: options(serverOptions, paramOptions),
	},
	{
		name: "push", section: sectionProject, remote: true,
		lines: []line{{"push <project>", "make an archive of a project and send it to the server"}},
		usage: []string{"push <project> -r <revision>"},
		min:   1, max: 1,
		options: []option{
			projectOption,
			textOption("REVISION", "name of the revision; default: a random one", "-r", "--revision"),
			textOption("TIME", "start schedules from then: \"yyyy-MM-dd HH:mm:ss Z\" or UNIX seconds; default: now",
				"--schedule-from"),
			flagOption("send what links that leave the project point to", "--copy-outgoing-symlinks"),
		},
	},
	{
		name: "archive", section: sectionProject,
		lines: []line{{"archive", "make an archive of a project without sending it"}},
		usage: []string{"archive [options...]"},
		options: []option{
			projectOption,
			textOption("FILE", "name of the archive", "-o", "--output").or("digdag.archive.tar.gz").offering(anyFile),
			flagOption("put in what links that leave the project point to", "--copy-outgoing-symlinks"),
		},
	},
	{
		name: "upload", section: sectionProject, remote: true,
		lines: []line{{"upload <path.tar.gz> <project>", "send an archive to the server"}},
		usage: []string{"upload <path.tar.gz> <project>"},
		min:   2, max: 2, operand: anyFile,
		options: []option{
			textOption("REVISION", "name of the revision; default: a random one", "-r", "--revision"),
		},
	},
	{
		name: "download", section: sectionProject, remote: true,
		lines: []line{{"download <project>", "fetch the files of a project"}},
		usage: []string{"download <project>"},
		min:   1, max: 1,
		options: []option{
			textOption("REVISION", "revision to fetch; default: the latest", "-r", "--revision"),
			textOption("DIR", "folder to write to; default: the project's name", "-o", "--output").offering(anyFolder),
		},
	},
	{
		name: "project", aliases: []string{"projects"}, section: sectionProject, remote: true,
		lines: []line{{"projects [name]", "show projects"}},
		usage: []string{"projects [name]"},
		max:   1,
		options: []option{
			textOption("ID", "show what comes after this id", "--last-id"),
			intOption("N", "show at most N", "--count").or("100"),
			textOption("PATTERN", "show those whose name contains this", "--name"),
		},
	},
	{
		name: "workflow", aliases: []string{"workflows"}, section: sectionProject, remote: true,
		lines: []line{{"workflows [project-name] [name]", "show workflows, or the text of one"}},
		usage: []string{"workflows [project-name] [name]"},
		max:   2,
		options: []option{
			textOption("ID", "show what comes after this id", "--last-id"),
			intOption("N", "show at most N", "--count").or("100"),
			textOption("ORDER", "asc or desc", "--order").or("asc").offering(oneOf("asc", "desc")).checked(ascOrDesc),
			textOption("PATTERN", "show those whose name contains this", "--name"),
		},
	},
	{
		name: "start", section: sectionSession, remote: true,
		lines: []line{{"start <project-name> <name>", "start a session of a workflow"}},
		usage: []string{"start <project-name> <name>"},
		min:   2, max: 2,
		options: options([]option{
			textOption("SESSION", "daily, hourly, now, \"yyyy-MM-dd\" or \"yyyy-MM-dd HH:mm:ss\"; required", "--session").
				offering(oneOf("daily", "hourly", "now")),
			textOption("REVISION", "use the workflow of this revision", "--revision"),
			textOption("NAME", "name of the attempt, to run the session again", "--retry"),
			flagOption("show what would be started", "-d", "--dry-run"),
		}, paramOptions),
	},
	{
		name: "retry", section: sectionSession, remote: true,
		lines: []line{{"retry <attempt-id>", "run a session again"}},
		usage: []string{"retry <attempt-id>"},
		min:   1, max: 1,
		options: options([]option{
			flagOption("use the latest revision", "--latest-revision"),
			flagOption("use the revision of the attempt", "--keep-revision"),
			textOption("REVISION", "use this revision", "--revision"),
			flagOption("run all tasks", "--all"),
			flagOption("run the tasks that did not succeed", "--resume"),
			textOption("+NAME", "run this task and all after it", "--resume-from"),
			textOption("NAME", "name of the attempt; default: a random one", "--name"),
		}, paramOptions),
	},
	{
		name: "session", aliases: []string{"sessions"}, section: sectionSession, remote: true,
		lines: []line{
			{"sessions [project-name] [name]", "show sessions"},
			{"session <session-id>", "show one session"},
		},
		usage: []string{
			"sessions                         show sessions for all workflows",
			"sessions <project-name>          show sessions of all workflows of a project",
			"sessions <project-name> <name>   show sessions of one workflow",
			"session <session-id>             show one session",
		},
		max:     2,
		options: pageOptions,
	},
	{
		name: "attempts", section: sectionSession, remote: true,
		lines: []line{{"attempts [session-id]", "show the attempts of all sessions, or of one"}},
		usage: []string{
			"attempts                         show attempts for all sessions",
			"attempts <session-id>            show the attempts of one session",
		},
		max:     1,
		options: pageOptions,
	},
	{
		name: "attempt", section: sectionSession, remote: true,
		lines: []line{{"attempt <attempt-id>", "show one attempt"}},
		usage: []string{"attempt  <attempt-id>            show a single attempt"},
		min:   1, max: 1,
	},
	{
		name: "reschedule", section: sectionSchedule, remote: true,
		lines: []line{{"reschedule <schedule-id> | <project-name> <name>", "skip sessions of a schedule"}},
		usage: []string{"reschedule <schedule-id> | <project-name> <name>"},
		min:   1, max: 2,
		options: []option{
			intOption("N", "skip this many, counted from now", "-s", "--skip").or("0"),
			textOption("TIME", "skip up to then: \"yyyy-MM-dd HH:mm:ss Z\", UNIX seconds or now", "-t", "--skip-to").
				offering(oneOf("now")),
			textOption("TIME", "run the next one then: \"yyyy-MM-dd HH:mm:ss Z\" or UNIX seconds", "-a", "--run-at"),
			flagOption("show what would be changed", "-d", "--dry-run"),
		},
	},
	{
		name: "backfill", section: sectionSchedule, remote: true,
		lines: []line{{"backfill <schedule-id> | <project-name> <name>", "start sessions of the past"}},
		usage: []string{"backfill <schedule-id> | <project-name> <name>"},
		min:   1, max: 2,
		options: []option{
			textOption("TIME", "first session: \"yyyy-MM-dd\" or \"yyyy-MM-dd HH:mm:ss\"; required", "-f", "--from"),
			textOption("NAME", "name of the attempts; default: a random one", "--name"),
			intOption("N", "start this many; default: up to now", "--count"),
			flagOption("show what would be started", "-d", "--dry-run"),
		},
	},
	{
		name: "log", aliases: []string{"logs"}, section: sectionSession, remote: true,
		lines: []line{{"log <attempt-id> [+task]", "show the logs of an attempt"}},
		usage: []string{"log <attempt-id> [+task name prefix]"},
		min:   1, max: 2,
		options: []option{
			flagOption("show debug messages too", "-v", "--verbose"),
			flagOption("go on until the attempt has ended", "-f", "--follow"),
		},
	},
	{
		name: "kill", section: sectionSession, remote: true,
		lines: []line{{"kill <attempt-id>", "stop an attempt"}},
		usage: []string{"kill <attempt-id>"},
		min:   1, max: 1,
	},
	{
		name: "task", aliases: []string{"tasks"}, section: sectionSession, remote: true,
		lines: []line{{"tasks <attempt-id>", "show the tasks of an attempt"}},
		usage: []string{"tasks <attempt-id>"},
		min:   1, max: 1,
	},
	{
		name: "schedule", aliases: []string{"schedules"}, section: sectionSchedule, remote: true,
		lines: []line{{"schedules", "show schedules"}},
		usage: []string{"schedules"},
	},
	{
		name: "disable", section: sectionSchedule, remote: true,
		lines: []line{{"disable <schedule-id> | <project-name> [name]", "stop schedules"}},
		usage: []string{"disable <schedule-id> | <project-name> [name]"},
		min:   1, max: 2,
	},
	{
		name: "enable", section: sectionSchedule, remote: true,
		lines: []line{{"enable <schedule-id> | <project-name> [name]", "let schedules go on"}},
		usage: []string{"enable <schedule-id> | <project-name> [name]"},
		min:   1, max: 2,
	},
	{
		name: "delete", section: sectionProject, remote: true,
		lines: []line{{"delete <project>", "delete a project"}},
		usage: []string{"delete <project>"},
		min:   1, max: 1,
		options: []option{
			flagOption("do not ask", "--force"),
		},
	},
	{
		name: "secrets", aliases: []string{"secret"}, section: sectionProject, remote: true,
		lines: []line{{"secrets --local | --project <project>", "list, set and delete secrets"}},
		usage: []string{"secrets [--local] [--project <project>] [--set <key>=<value>] [--delete key]"},
		options: []option{
			flagOption("the secrets of local runs, in the user's configuration folder", "--local"),
			textOption("PROJECT", "the secrets of a project on the server", "--project"),
			listOption("ITEM", "KEY=VALUE, KEY=@FILE, KEY=- (value from standard input), KEY (asks for the value), "+
				"@FILE or @- (many, as YAML or JSON)", "--set"),
			listOption("KEY", "delete secrets", "--delete"),
		},
		run: runSecrets,
	},
	{
		name: "version", section: sectionOther, remote: true,
		lines: []line{{"version", "show the versions of client and server"}},
		usage: []string{"version"},
		max:   -1,
		run:   runVersion,
	},
	{
		name: "migrate", section: sectionServer,
		lines: []line{{"migrate (run|check)", "bring the server's database up to date"}},
		usage: []string{"migrate (run|check) run or check database migration"},
		min:   1, max: 1, operand: oneOf("run", "check"),
		options: []option{
			textOption("DIR", "folder of the database", "-o", "--database").offering(anyFolder),
		},
	},
	{
		name: "selfupdate", section: sectionOther,
		lines: []line{{"selfupdate [version]", "replace this program by a newer one"}},
		usage: []string{"selfupdate [version]]"}, // the second bracket is Digdag's
		max:   1,
		options: []option{
			textOption("URL", "where to fetch it", "-e", "--endpoint").or("http://dl.digdag.io"),
		},
	},
	{
		name: "help", section: sectionOther, extra: true,
		lines: []line{{"help [command]", "show this text, or the options of a command"}},
		usage: []string{"help [command]"},
		max:   1, operand: commandName,
		run: runHelp,
	},
	{
		name: "completion", section: sectionOther, extra: true,
		lines: []line{{"completion (bash|zsh|fish)", "write a completion script for a shell"}},
		usage: []string{"completion (bash|zsh|fish)"},
		min:   1, max: 1, operand: oneOf("bash", "zsh", "fish"),
		run: runCompletion,
	},
}
