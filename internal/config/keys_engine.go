package config

import "time"

func engineKeys() []Key {
	return []Key{
		key("server.executor.enabled", aBoolean(), "true", "tasks are moved on, and limits of time enforced, by this server", func(s *Server) *bool { return &s.Engine.Enabled }),
		key("schedule.enabled", aBoolean(), "true", "schedules and waiting backfills are started by this server", func(s *Server) *bool { return &s.Schedule.Enabled }),
		key("executor.task_ttl", aDuration(), "1d", "an attempt with a task that runs longer is killed", func(s *Server) *time.Duration { return &s.Engine.TaskTTL }),
		key("executor.attempt_ttl", aDuration(), "7d", "an attempt that is older is killed", func(s *Server) *time.Duration { return &s.Engine.AttemptTTL }),
		key(keyTTLInterval, aDuration(), "5s", "how often these two are looked at", func(s *Server) *time.Duration { return &s.Engine.TTLInterval }),
		key("executor.task_max_run", aNumber(1), "1000", "most tasks of an attempt", func(s *Server) *int { return &s.Engine.MaxTasks }),
		key("executor.attempt_max_run", aNumber(1), "100", "most running attempts", func(s *Server) *int { return &s.Engine.MaxAttempts }),
		key("executor.require_other_projects", aBoolean(), "true", "`require>` may start workflows of other projects, see [tokens.md](tokens.md)", func(s *Server) *bool { return &s.Engine.RequireOthers }),
		key("queue-server.type", aChoice("database"), "database", "", func(*Server) *string { return new(string) }),
		key("queue.db.max_concurrency", aNumber(1), "2147483647", "most running tasks", func(s *Server) *int { return &s.Engine.MaxConcurrency }),
		key("executor.max_running_tasks", aNumber(0), "0", "most running tasks of all agents together; 0 is without limit", func(s *Server) *int { return &s.Engine.MaxRunningTasks }),
		key("queue.aging", aDurationOr("off"), "5m", "a ready task gains one of priority weight each time it has waited so long", func(s *Server) *time.Duration { return &s.Engine.Aging }),
		key("pool.reserve_after", aDurationOr("off"), "1m", "a task that has waited so long for several slots of a pool keeps later ones of smaller or equal weight from taking them", func(s *Server) *time.Duration { return &s.Engine.ReserveAfter }),
		poolKey(),
		key("retention.attempts", aDurationOr("keep"), "keep", "ended attempts and their logs are deleted after it; `keep` is never", func(s *Server) *time.Duration { return &s.KeepAttempts }),
	}
}

func agentKeys() []Key {
	return []Key{
		key("agent.enabled", aBoolean(), "true", "this server runs tasks", func(s *Server) *bool { return &s.Agent.Enabled }),
		key("agent.id", aText(), "", "name in the files of logs; process id and host unless set", func(s *Server) *string { return &s.Agent.ID }),
		key("agent.max-task-threads", aNumber(0), "0", "most tasks at one time; 0 is without limit", func(s *Server) *int { return &s.Agent.Slots }),
		key("agent.heartbeat-interval", aNumberOfSeconds(), "10", "how often an agent renews its lease", func(s *Server) *time.Duration { return &s.Agent.Heartbeat }),
		key("agent.lock-retention-time", aNumberOfSeconds(), "30", "how long a lease lasts; then other agents run its tasks", func(s *Server) *time.Duration { return &s.Agent.Lease }),
		key("agent.queues", aList(), "", "queues whose tasks it runs; unless set `default` alone", func(s *Server) *[]string { return &s.Agent.Queues }),
		key("agent.labels", aList(), "", "labels that it has; tasks may ask for some", func(s *Server) *[]string { return &s.Agent.Labels }),
		key("agent.server", aList(), "", "only for `trowel agent`: addresses of servers on one database, of which it uses one at a time", func(s *Server) *[]string { return &s.Agent.Servers }),
		hidden(key("agent.token", aText(), "", "only for `trowel agent`: token of the role `agent`", func(s *Server) *string { return &s.Agent.Token })),
		key("agent.ca-cert", aText(), "", "only for `trowel agent`: file with certificates of authorities, PEM, in place of the system's", func(s *Server) *string { return &s.Agent.CACert }),
		key("agent.poison_limit", aNumber(0), "5", "a task whose agent was lost so many times in a row fails; 0 is never", func(s *Server) *int { return &s.Agent.PoisonLimit }),
		key("kill_grace", aDuration(), "10s", "time between SIGTERM and SIGKILL when a task is killed", func(s *Server) *time.Duration { return &s.Agent.KillGrace }),
		key("agent.command.user", aText(), "", "user, by name or number, that commands of tasks run as, so that settings, database and secrets of the server or agent are out of their reach; it needs root, or the capabilities that docs/server.md names", func(s *Server) *string { return &s.Agent.CommandUser }),
		key("agent.command.group", aText(), "", "group of that user in place of its own", func(s *Server) *string { return &s.Agent.CommandGroup }),
		key("agent.limits.memory", aLimitOfBytes(), "0", "most memory of the commands of a try, as in 2GiB; the limit of tasks that have none in `_limits`, and the bound of those that have ([limits.md](limits.md#limits-of-commands)); 0 is without limit", func(s *Server) *int64 { return &s.Agent.Limits.Memory }),
		key("agent.limits.cpu", aLimitOfCores(), "0", "likewise: most cores, as in 1.5", func(s *Server) *float64 { return &s.Agent.Limits.CPU }),
		key("agent.limits.pids", aNumber(0), "0", "likewise: most processes and threads", func(s *Server) *int { return &s.Agent.Limits.PIDs }),
		key("agent.limits.disk", aLimitOfBytes(), "0", "likewise: most that the folder of a try may grow to", func(s *Server) *int64 { return &s.Agent.Limits.Disk }),
		key("agent.command_executor.type", aChoice("ecs", "kubernetes", "docker", "simple"), "ecs", "what runs commands: `ecs` without a cluster is `docker`, and `docker` without an image is `simple`, a process", func(s *Server) *string { return &s.Agent.CommandExecutor }),
		hidden(keysBelow("agent.command_executor.NAME", "settings of `ecs` and `kubernetes`", func(s *Server) *map[string]string { return &s.Agent.Executors })),
	}
}
