package config

import "log/slog"

// Unsupported is a setting of Digdag that Trowel ignores. A server with this setting starts, with a
// warning. The sentences are in docs/compatibility.md.
type Unsupported struct {
	Name    string // one that ends with ".NAME" stands for all keys below it
	Message string
	Level   slog.Level
}

// unknownFactory is the warning about a class for TLS that is not one of the two in Digdag's driver.
const unknownFactory = "classes for TLS cannot be loaded; certificates are checked as by database.sslmode = verify-full"

// AllUnsupported returns Digdag's settings that Trowel ignores.
func AllUnsupported() []Unsupported {
	const (
		jmx      = "there is no JMX; the setting is ignored"
		metrics  = "metrics are not sent to JMX or Fluentd but read at /metrics; the setting is ignored"
		plugins  = "plugins for the JVM cannot be loaded; the setting is ignored"
		pool     = "connections are pooled without this; the setting is ignored"
		threads  = "there are no pools of threads to be sized; the setting is ignored"
		sites    = "there is one site, so nothing is routed by site; the setting is ignored"
		fetch    = "tasks are handed out when they become ready, without fetching; the setting is ignored"
		js       = "there is one engine for expressions; the setting is ignored"
		jdbc     = "properties of the JDBC driver have no meaning here; the setting is ignored"
		limits   = "limits are set by executor.task_max_run and executor.attempt_max_run; the setting is ignored"
		property = "it is a property of the JVM; the setting is ignored"
	)
	warn := slog.LevelWarn
	return []Unsupported{
		{"server.authenticator-class", "it is deprecated and ignored; use server.authenticator.type", slog.LevelError}, // server 1.9.4
		{"server.authenticator.NAME", "the authenticator basic is the only one; the setting is ignored", warn},
		{"server.jmx.port", jmx, warn},
		{"server.http.io-threads", threads, warn},
		{"server.http.worker-threads", threads, warn},
		{"metrics.NAME", metrics, warn},
		{"plugin.NAME", plugins, warn},
		{"system-plugin.NAME", plugins, warn},
		{"database.opts.NAME", jdbc, warn},
		{"database.connectionTimeout", pool, warn},
		{"database.validationTimeout", pool, warn},
		{"database.keepaliveTime", pool, warn},
		{"database.minimumPoolSize", pool, warn},
		{"database.leakDetectionThreshold", pool, warn},
		{"executor.enqueue_random_fetch", fetch, warn},
		{"executor.enqueue_fetch_size", fetch, warn},
		{"executor.account_routing.NAME", sites, warn},
		{"agent.account_routing.NAME", sites, warn},
		{"scheduler.account_routing.NAME", sites, warn},
		{"eval.js-engine-type", js, warn},
		{"eval.extended-syntax", js, warn},
		{"io.digdag.limits.NAME", limits, warn},
		{"io.digdag.NAME", property, warn},
	}
}
