package config_test

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/param"
)

// settings are pairs of keys and values, all from one file.
func settings(pairs ...string) config.Settings {
	all := config.Settings{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = config.Setting{Value: pairs[i+1], From: "server.properties"}
	}
	return all
}

func read(t *testing.T, pairs ...string) *config.Server {
	t.Helper()
	server, warnings, err := config.Read(settings(pairs...))
	if err != nil {
		t.Fatal(err)
	}
	for _, warning := range warnings {
		t.Errorf("warning: %s", warning)
	}
	return server
}

// Server 3.1, design section 9: what a server does without settings.
func TestDefaults(t *testing.T) {
	t.Parallel()
	want := &config.Server{
		Listen: config.Listen{
			Bind: "127.0.0.1", Port: 65432, AdminBind: "127.0.0.1",
			IdleTimeout: time.Minute, HeadTimeout: 30 * time.Second, StallTimeout: 5 * time.Minute,
		},
		API:       config.API{MaxAttemptsPage: 100, MaxSessionsPage: 100, MaxArchiveBytes: 2 << 20},
		AccessLog: config.AccessLog{Pattern: "json"},
		Database: config.Database{
			Type: "memory", ConnectTimeout: 30 * time.Second, SocketTimeout: 30 * time.Minute,
			IdleTimeout: 10 * time.Minute, Migrate: true, ExpireInterval: 10 * time.Second,
		},
		Engine: config.Engine{
			Enabled: true, TaskTTL: 24 * time.Hour, AttemptTTL: 7 * 24 * time.Hour, TTLInterval: 5 * time.Second,
			MaxTasks: 1000, MaxAttempts: 100, RequireOthers: true, MaxConcurrency: 2147483647, Aging: 5 * time.Minute, ReserveAfter: time.Minute,
		},
		Agent: config.Agent{
			Enabled: true, Heartbeat: 10 * time.Second, Lease: 30 * time.Second, KillGrace: 10 * time.Second, CommandExecutor: "ecs",
			PoisonLimit: 5,
		},
		Schedule: config.Schedule{Enabled: true},
		Archives: config.Storage{Type: "db"},
		Logs:     config.Logs{Storage: config.Storage{Type: "db", Folder: "digdag.log"}, MaskSecrets: true},
		Notification: config.Notification{
			Retries: 10, MinWait: time.Second, MaxWait: 30 * time.Second, Method: "POST",
			Subject: "Digdag Notification", TLS: true, Timeout: 30 * time.Second,
		},
		UI:            config.UI{Enabled: true},
		DefaultParams: param.New(), Environment: map[string]string{}, Operators: map[string]string{},
	}
	if diff := cmp.Diff(want, read(t), cmp.AllowUnexported(param.Map{})); diff != "" {
		t.Errorf("Read (-want +got):\n%s", diff)
	}
}

// A file for Digdag is accepted as it is.
func TestDigdagFile(t *testing.T) {
	t.Parallel()
	got := read(t,
		"server.bind", "0.0.0.0", "server.port", "0", "server.admin.port", "65433",
		"server.http.no-request-timeout", "90", "server.http.io-idle-timeout", "5m",
		"server.http.headers.X-Frame-Options", "DENY",
		"server.authenticator.type", "basic", "server.authenticator.basic.username", "me",
		"server.authenticator.basic.password", "hush", "server.authenticator.basic.admin", "true",
		"server.client-version-check.upgrade-recommended-if-older", "0.10.0",
		"server.environment.LANG", "C",
		"api.max_archive_total_size_limit", "3000000",
		"database.type", "postgresql", "database.host", "db", "database.user", "digdag", "database.password", "",
		"database.database", "digdag", "database.port", "5433", "database.ssl", "true", "database.maximumPoolSize", "8",
		"executor.task_ttl", "2d", "executor.attempt_ttl", "14d 12h", "executor.ttl_reaping_interval", "10s",
		"agent.heartbeat-interval", "60", "agent.lock-retention-time", "300", "agent.max-task-threads", "4",
		"agent.command_executor.type", "simple", "agent.command_executor.ecs.name", "c1",
		"archive.type", "s3", "archive.s3.bucket", "b", "archive.s3.path", "/a/b", "archive.s3.direct_download", "true",
		"archive.s3.path-style-access", "true", "archive.s3.credentials.access-key-id", "id", "archive.s3.credentials.secret-access-key", "key",
		"archive.gcs.bucket", "other", "archive.s3.direct_download_expiration", "60",
		"log-server.type", "local", "log-server.local.path", "logs", "log-server.local.split_size", "1000",
		"digdag.secret-encryption-key", "AAECAwQFBgcICQoLDA0ODw==", "digdag.defaultParams", `{"a":{"b":1}}`, "params.x.y", "1",
		"notification.type", "mail", "notification.mail.host", "smtp", "notification.mail.port", "25",
		"notification.mail.from", "a@x", "notification.mail.to", `["b@x","c@x"]`, "notification.mail.cc", "d@x",
		"notification.min_retry_wait", "500", "notification.http.headers.A", "b",
		"config.mail.host", "smtp", "config.td.default_endpoint", "x", "param_server.type", "redis",
		"client.http.endpoint", "http://x", "secrets.a", "b",
	)
	check := func(name string, got, want any) {
		t.Helper()
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(param.Map{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	check("Listen", got.Listen, config.Listen{
		Bind: "0.0.0.0", AdminBind: "0.0.0.0", AdminPort: 65433, HasAdmin: true, Headers: map[string]string{"X-Frame-Options": "DENY"},
		IdleTimeout: 90 * time.Second, HeadTimeout: 30 * time.Second, StallTimeout: 5 * time.Minute,
	})
	check("Auth", got.Auth, config.Auth{Username: "me", Password: "hush", Admin: true})
	check("Versions", got.Versions, config.Versions{UpgradeIfOlder: "0.10.0"})
	check("Environment", got.Environment, map[string]string{"LANG": "C"})
	check("Database", got.Database, config.Database{
		Type: "postgresql", Host: "db", User: "digdag", Name: "digdag", Port: 5433, SSLMode: "require", MaxConnections: 8,
		ConnectTimeout: 30 * time.Second, SocketTimeout: 30 * time.Minute, IdleTimeout: 10 * time.Minute, Migrate: true, ExpireInterval: 10 * time.Second,
	})
	check("Agent", got.Agent, config.Agent{
		Enabled: true, Slots: 4, Heartbeat: time.Minute, Lease: 5 * time.Minute, KillGrace: 10 * time.Second,
		CommandExecutor: "simple", Executors: map[string]string{"ecs.name": "c1"}, PoisonLimit: 5,
	})
	check("AttemptTTL", got.Engine.AttemptTTL, 14*24*time.Hour+12*time.Hour)
	check("Archives", got.Archives, config.Storage{Type: "s3", Bucket: config.Bucket{
		Name: "b", Path: "a/b/", DirectDownload: true, DownloadExpiration: time.Minute, UploadExpiration: 10 * time.Minute,
		PathStyle: true, AccessKeyID: "id", SecretAccessKey: "key",
	}})
	check("Logs", got.Logs, config.Logs{Storage: config.Storage{Type: "file", Folder: "logs"}, SplitBytes: 1000, MaskSecrets: true})
	check("DefaultParams", got.DefaultParams, param.Of("a", param.Of("b", 1)))
	check("To", got.Notification.To, []string{"b@x", "c@x"})
	check("Cc", got.Notification.Cc, []string{"d@x"})
	check("MinWait", got.Notification.MinWait, 500*time.Millisecond)
	check("Operators", got.Operators, map[string]string{"config.mail.host": "smtp", "config.td.default_endpoint": "x", "param_server.type": "redis"})
}

func TestOwnKeys(t *testing.T) {
	t.Parallel()
	got := read(t,
		"server.tls.cert", "c.pem", "server.tls.key", "k.pem", "server.bind", "::", "server.insecure", "true", "server.allowed-hosts", "a.example.com",
		"shutdown_grace", "5m", "kill_grace", "1m", "retention.attempts", "90d", "tasklog.mask_secrets", "false",
		"secret.old_encryption_keys", "a, b,", "archive.type", "azure", "archive.azure.bucket", "c", "archive.azure.credentials.account", "acc",
		"log-server.type", "file", "log-server.file.path", "l", "database.type", "h2", "database.path", "data")
	if got.ShutdownGrace != 5*time.Minute || got.Agent.KillGrace != time.Minute || got.KeepAttempts != 90*24*time.Hour {
		t.Errorf("durations = %v, %v, %v", got.ShutdownGrace, got.Agent.KillGrace, got.KeepAttempts)
	}
	if got.Logs.MaskSecrets || got.Logs.Folder != "l" || got.Logs.Type != config.StorageFile {
		t.Errorf("Logs = %+v", got.Logs)
	}
	if diff := cmp.Diff([]string{"a", "b"}, got.Secrets.OldKeys); diff != "" {
		t.Errorf("OldKeys (-want +got):\n%s", diff)
	}
	if got.Archives.Bucket.Account != "acc" || got.Archives.Bucket.Name != "c" {
		t.Errorf("Archives = %+v", got.Archives)
	}
	if got.Database.Type != config.DatabaseSQLite || strings.ReplaceAll(got.Database.File, `\`, "/") != "data/trowel.db" {
		t.Errorf("Database = %+v", got.Database)
	}
	off := read(t, "shutdown_grace", "none", "retention.attempts", "keep", "log-server.type", "null", "database.type", "sqlite", "database.path", "d")
	if off.ShutdownGrace != 0 || off.KeepAttempts != 0 || off.Logs.Type != config.StorageNone || off.Database.Type != config.DatabaseSQLite {
		t.Errorf("off = %+v", off)
	}
}

// Control K801, K807, K808, K814, K817.
func TestLimits(t *testing.T) {
	t.Parallel()
	got := read(t,
		"pool.db.slots", "4", "pool.db.description", "the warehouse", "pool.a.b.slots", "-1", "pool.a.b.include_deferred", "true", "pool.stop.slots", "0",
		"pool.reserve_after", "30s", "queue.aging", "off", "executor.max_running_tasks", "7",
		"agent.queues", "default, gpu", "agent.labels", "eu", "agent.poison_limit", "0")
	want := []config.Pool{
		{Name: "a.b", Slots: -1, IncludeDeferred: new(true)}, {Name: "db", Slots: 4, Description: new("the warehouse")}, {Name: "stop"},
	}
	if diff := cmp.Diff(want, got.Engine.Pools); diff != "" {
		t.Errorf("Pools (-want +got):\n%s", diff)
	}
	if e := got.Engine; e.ReserveAfter != 30*time.Second || e.Aging != 0 || e.MaxRunningTasks != 7 {
		t.Errorf("Engine = %+v", e)
	}
	if diff := cmp.Diff([]string{"default", "gpu", "eu"}, append(got.Agent.Queues, got.Agent.Labels...)); diff != "" || got.Agent.PoisonLimit != 0 {
		t.Errorf("Agent = %+v", got.Agent)
	}
}

// An error names key, value, where it is set and what is allowed.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	const public = `others can reach this address and could do everything, as nobody has to sign in`
	for _, c := range []struct {
		name  string
		pairs []string
		want  string
	}{
		{"port", []string{"server.port", "99999"}, `server.port = "99999" at server.properties: use a whole number from 0 to 65535`},
		{"empty number", []string{"server.port", ""}, `server.port = "" at server.properties: use a whole number from 0 to 65535`},
		{"boolean", []string{"agent.enabled", "yes"}, `agent.enabled = "yes" at server.properties: use true or false`},
		{"duration", []string{"executor.task_ttl", "5"}, `executor.task_ttl = "5" at server.properties: use days, hours, minutes and seconds, as in 1d, 1h 30m or 30s`},
		{"duration or word", []string{"shutdown_grace", "never"}, `shutdown_grace = "never" at server.properties: use days, hours, minutes and seconds, as in 1d, 1h 30m or 30s, or none`},
		{"seconds", []string{"agent.heartbeat-interval", "-1"}, `agent.heartbeat-interval = "-1" at server.properties: use a number of seconds, or a duration as in 30s`},
		{"choice", []string{"archive.type", "ftp"}, `archive.type = "ftp" at server.properties: use one of db, file, s3, gcs, azure`},
		{"size", []string{"api.max_archive_total_size_limit", "2M"}, `api.max_archive_total_size_limit = "2M" at server.properties: use a number of bytes, as in 2097152`},
		{"version", []string{"server.client-version-check.api-incompatible-if-older", "0.01"}, `server.client-version-check.api-incompatible-if-older = "0.01" at server.properties: use numbers with dots between them, as in 0.10.5`},
		{"JSON", []string{"digdag.defaultParams", "[]"}, `digdag.defaultParams = "[]" at server.properties: use a JSON object`},
		{"database type", []string{"database.type", "mysql"}, `Unknown database.type: mysql; use one of memory, h2, sqlite, postgresql`},
		{"authenticator", []string{"server.authenticator.type", "jwt"}, `Configured authenticator name is not found: jwt; use basic`},
		{
			"a path of a database in memory",
			[]string{"databse.type", "sqlite", "database.path", "d"},
			`database.path = "d" at server.properties: database.type is memory, which keeps nothing there; set database.type = sqlite`,
		},
		{
			"a host of a database in memory",
			[]string{"database.type", "memory", "database.host", "h"},
			`database.host = "h" at server.properties: database.type is memory, which keeps nothing there; set database.type = postgresql`,
		},
		{"h2 without path", []string{"database.type", "h2"}, `database.path is not set, but database.type = "h2" needs it at server.properties`},
		{"postgresql without host", []string{"database.type", "postgresql", "database.user", "u", "database.database", "d"}, `database.host is not set, but database.type = "postgresql" needs it`},
		{"no password", []string{"server.authenticator.basic.username", "me"}, `server.authenticator.basic.password is not set, but server.authenticator.basic.username = "me" needs it`},
		{"no user", []string{"server.authenticator.basic.password", "p"}, `server.authenticator.basic.username is not set, but server.authenticator.basic.password needs it`},
		{"an empty user", []string{"basicauth.username", "", "basicauth.password", "p"}, `basicauth.username is not set, but basicauth.password needs it`},
		{"old spelling, no password", []string{"basicauth.username", "me"}, `basicauth.password is not set, but basicauth.username = "me" needs it`},
		{"no TLS key", []string{"server.tls.cert", "c"}, `server.tls.key is not set, but server.tls.cert = "c" needs it`},
		{"no TLS certificate", []string{"server.tls.key", "k"}, `server.tls.cert is not set, but server.tls.key = "k" needs it`},
		{"no container", []string{"archive.type", "azure"}, `archive.azure.bucket is not set, but archive.type = "azure" needs it`},
		{"only a key of the store", []string{"archive.type", "s3", "archive.s3.bucket", "b", "archive.s3.credentials.secret-access-key", "k"}, `archive.s3.credentials.access-key-id is not set, but archive.s3.credentials.secret-access-key needs it`},
		{"no server of mail", []string{"notification.type", "mail", "notification.mail.to", "a@example.com"}, `notification.mail.host is not set, but notification.type = "mail" needs it`},
		{"half a list of addresses", []string{"notification.mail.to", `["a@example.com"`}, `notification.mail.to = "[\"a@example.com\"" at server.properties: use one address, or a list as in ["a@example.com","b@example.com"]`},
		{"locks that never end", []string{"database.queue.expireLockInterval", "0"}, `database.queue.expireLockInterval = "0" at server.properties: use more than zero`},
		{"no bucket", []string{"log-server.type", "gcs"}, `log-server.gcs.bucket is not set, but log-server.type = "gcs" needs it`},
		{"no folder", []string{"archive.type", "file"}, `archive.file.path is not set, but archive.type = "file" needs it`},
		{"no folder of logs", []string{"log-server.type", "file"}, `log-server.file.path is not set, but log-server.type = "file" needs it`},
		{"half of the credentials", []string{"archive.type", "s3", "archive.s3.bucket", "b", "archive.s3.credentials.access-key-id", "i"}, `archive.s3.credentials.secret-access-key is not set, but archive.s3.credentials.access-key-id = "i" needs it`},
		{"other store, wrong value", []string{"archive.s3.direct_download", "x"}, `archive.s3.direct_download = "x" at server.properties: use true or false`},
		{"no URL", []string{"notification.type", "http"}, `notification.http.url is not set, but notification.type = "http" needs it`},
		{"no address", []string{"notification.type", "http", "notification.http.url", "ftp://x"}, `notification.http.url = "ftp://x" at server.properties: use an address as in https://example.com/hook`},
		{"no command", []string{"notification.type", "shell"}, `notification.shell.command is not set, but notification.type = "shell" needs it`},
		{"notification type", []string{"notification.type", "slack"}, `notification.type = "slack" at server.properties: use one of http, mail, shell`},
		{"slots of a pool", []string{"pool.db.slots", "-2"}, `pool.db.slots = "-2" at server.properties: use a whole number from -1 to 1000000000`},
		{"many slots of a pool", []string{"pool.db.slots", "1000000001"}, `use a whole number from -1 to 1000000000`},
		{"pool without slots", []string{"pool.db.description", "x"}, `pool.db.slots is not set, but pool.db.description = "x" needs it at server.properties`},
		{"name of a pool", []string{"pool.a/b.slots", "1"}, `pool.a/b.slots = "1" at server.properties: the name of a pool has letters, digits, _, - and . alone, not as in "a/b"`},
		{"pool without name", []string{"pool.slots", "1"}, `pool.slots = "1" at server.properties: use pool.NAME.slots, pool.NAME.description or pool.NAME.include_deferred`},
		{"key of a pool", []string{"pool.db.size", "1"}, `pool.db.size = "1" at server.properties: a pool has slots, description and include_deferred`},
		{"short lease", []string{"agent.lock-retention-time", "10"}, `agent.lock-retention-time = "10" at server.properties: agent.lock-retention-time (10s) must be longer than agent.heartbeat-interval (10s)`},
		{"long heartbeat", []string{"agent.heartbeat-interval", "60"}, `agent.heartbeat-interval = "60" at server.properties: agent.lock-retention-time (30s) must be longer than agent.heartbeat-interval (1m0s)`},
		{"nobody to run commands as", []string{"agent.command.user", ""}, `agent.command.user = "" at server.properties: name whom commands are to run as`},
		{"only space", []string{"agent.command.user", " "}, `agent.command.user = " " at server.properties: name whom commands are to run as`},
		{"an empty group", []string{"agent.command.user", "u", "agent.command.group", ""}, `agent.command.group = "" at server.properties: name whom commands are to run as`},
		{"never", []string{"executor.ttl_reaping_interval", "0s"}, `executor.ttl_reaping_interval = "0s" at server.properties: use more than zero`},
		{"operator", []string{"config.mail.port", "x"}, `config.mail.port = "x" at server.properties: use a whole number`},
		{"public", []string{"server.bind", "0.0.0.0"}, `server.bind = "0.0.0.0" at server.properties: ` + public},
		{"public by name", []string{"server.bind", "example.com"}, `server.bind = "example.com" at server.properties: ` + public},
		{"public IPv6", []string{"server.bind", "::"}, `server.bind = "::" at server.properties: ` + public},
		{"any address", []string{"server.bind", ""}, `server.bind = "" at server.properties: ` + public},
		{"a URL as a host", []string{"server.allowed-hosts", "a.example.com, https://b"}, `server.allowed-hosts = "a.example.com, https://b" at server.properties: "https://b" is no host name: use names without port`},
		{"a host with its port", []string{"server.allowed-hosts", "a.example.com:80"}, `"a.example.com:80" is no host name`},
		{"every host", []string{"server.allowed-hosts", "*"}, `"*" is no host name`},
		{"public admin", []string{"server.admin.port", "1", "server.admin.bind", "10.0.0.1"}, `server.admin.bind = "10.0.0.1" at server.properties: ` + public},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := config.Read(settings(c.pairs...))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Read: error = %v, want %s", err, c.want)
			}
			if !errors.Is(err, trowel.ErrInvalid) {
				t.Errorf("Read: error is of another kind than invalid")
			}
		})
	}
}

// If nobody has to sign in, a server only answers to its own names, or says at the start that it answers to all.
func TestServerNames(t *testing.T) {
	t.Parallel()
	user := []string{"server.authenticator.basic.username", "u", "server.authenticator.basic.password", "p"}
	insecure := []string{"server.bind", "trowel.lan", "server.insecure", "true"}
	hosts := []string{"server.allowed-hosts", "a.example.com,b"}
	for _, c := range []struct {
		name  string
		pairs []string
		want  []string // nil: all
		warns bool
	}{
		{"nobody signs in", nil, []string{"127.0.0.1", "127.0.0.1"}, false},
		{"nobody signs in, with names", hosts, []string{"127.0.0.1", "127.0.0.1", "a.example.com", "b"}, false},
		{"an admin listener", []string{"server.admin.port", "1", "server.admin.bind", "localhost"}, []string{"127.0.0.1", "localhost"}, false},
		{"insecure", insecure, nil, true},
		{"insecure on this machine", []string{"server.insecure", "true"}, nil, true},
		{"insecure, with names", slices.Concat(insecure, hosts), []string{"trowel.lan", "trowel.lan", "a.example.com", "b"}, false},
		{"sign-in", user, nil, false},
		{"sign-in, with names", slices.Concat(user, hosts), []string{"127.0.0.1", "127.0.0.1", "a.example.com", "b"}, false},
		{"sign-in and insecure", slices.Concat(user, insecure), nil, false},
		{"deprecated sign-in", []string{"basicauth.username", "u", "basicauth.password", "p"}, nil, true},
	} {
		server, warnings, err := config.Read(settings(c.pairs...))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, server.Names()); diff != "" {
			t.Errorf("%s: Names (-want +got):\n%s", c.name, diff)
		}
		if (len(warnings) > 0) != c.warns {
			t.Errorf("%s: warnings %v", c.name, warnings)
		}
	}
}

func TestAllWrongSettingsAtOnce(t *testing.T) {
	t.Parallel()
	_, _, err := config.Read(settings("server.port", "x", "agent.enabled", "x", "notification.type", "shell"))
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("Read: error = %v, want three lines", err)
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	all := settings("server.authenticator.basic.username", "me", "server.authenticator.basic.password", "hush",
		"agent.command_executor.ecs.c.secret_access_key", "hush", "config.mail.password", "hush", "server.port", "x")
	_, _, err := config.Read(all)
	if err == nil || strings.Contains(err.Error(), "hush") {
		t.Errorf("Read: error = %v", err)
	}
	shown := map[string]string{}
	for _, e := range config.AllEffective(all) {
		shown[e.Key] = e.Value + "|" + e.From + "|" + e.Default
		if strings.Contains(e.Value, "hush") {
			t.Errorf("%s is shown", e.Key)
		}
	}
	for key, want := range map[string]string{
		"server.authenticator.basic.password":            "********|server.properties|",
		"agent.command_executor.ecs.c.secret_access_key": "********|server.properties|",
		"server.port":                         "x|server.properties|65432",
		"server.bind":                         "127.0.0.1||127.0.0.1",
		"server.authenticator.basic.username": "me|server.properties|",
	} {
		if shown[key] != want {
			t.Errorf("%s = %q, want %q", key, shown[key], want)
		}
	}
}

func TestLoopbackNeedsNoPassword(t *testing.T) {
	t.Parallel()
	for _, bind := range []string{"127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost"} {
		if got := read(t, "server.bind", bind); got.Listen.Bind != bind {
			t.Errorf("Bind = %q, want %q", got.Listen.Bind, bind)
		}
	}
}

// Server 3.1: the driver's settings for TLS.
func TestSSLMode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pairs []string
		want  string
	}{
		{nil, "disable"},
		{[]string{"database.ssl", "true"}, "require"},
		{[]string{"database.ssl", "true", "database.sslfactory", "org.postgresql.ssl.NonValidatingFactory"}, "require"},
		{[]string{"database.ssl", "true", "database.sslfactory", "org.postgresql.ssl.LibPQFactory"}, "verify-full"},
		{[]string{"database.ssl", "true", "database.sslfactory", "org.postgresql.ssl.LibPQFactory", "database.sslmode", "verify-ca"}, "verify-ca"},
		{[]string{"database.ssl", "true", "database.sslmode", "prefer"}, "prefer"},
		{[]string{"database.sslmode", "verify-full"}, "verify-full"},
	} {
		got := read(t, append([]string{"database.type", "postgresql", "database.host", "h", "database.user", "u", "database.database", "d"}, c.pairs...)...)
		if got.Database.SSLMode != c.want {
			t.Errorf("%v: SSLMode = %q, want %q", c.pairs, got.Database.SSLMode, c.want)
		}
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ key, value, want string }{
		{"server.prot", "1", "server.prot (server.properties): there is no such setting; did you mean server.port?"},
		{"executor.task-ttl", "1d", "executor.task-ttl (server.properties): there is no such setting; did you mean executor.task_ttl?"},
		{"whatever", "1", "whatever (server.properties): there is no such setting"},
		{"server.jmx.port", "1", "server.jmx.port (server.properties): there is no JMX; the setting is ignored"},
		{"database.opts.ApplicationName", "x", "database.opts.ApplicationName (server.properties): properties of the JDBC driver have no meaning here; the setting is ignored"},
		{"system-plugin.dependencies", "x", "system-plugin.dependencies (server.properties): plugins for the JVM cannot be loaded; the setting is ignored"},
		{"io.digdag.limits.maxAttempts", "1", "io.digdag.limits.maxAttempts (server.properties): limits are set by executor.task_max_run and executor.attempt_max_run; the setting is ignored"},
		{"server.authenticator-class", "x", "server.authenticator-class (server.properties): it is deprecated and ignored; use server.authenticator.type"},
	} {
		_, warnings, err := config.Read(settings(c.key, c.value))
		if err != nil || len(warnings) != 1 || warnings[0].String() != c.want {
			t.Errorf("%s: warnings = %v, %v, want %s", c.key, warnings, err, c.want)
		}
	}
}

// Server 3.6: the old spelling has priority over the new one.
func TestBasicAuthSpelling(t *testing.T) {
	t.Parallel()
	server, warnings, err := config.Read(settings(
		"basicauth.username", "old", "basicauth.password", "a", "basicauth.admin", "true",
		"server.authenticator.basic.username", "new", "server.authenticator.basic.password", "b"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (config.Auth{Username: "old", Password: "a", Admin: true}); server.Auth != want {
		t.Errorf("Auth = %+v, want %+v", server.Auth, want)
	}
	if len(warnings) != 3 || !strings.Contains(warnings[0].String(), "the key is deprecated; use server.authenticator.basic.username") {
		t.Errorf("warnings = %v, want three", warnings)
	}
}

func TestAuthenticatorClassIsAnError(t *testing.T) {
	t.Parallel()
	_, warnings, err := config.Read(settings("server.authenticator-class", "x"))
	if err != nil || len(warnings) != 1 || warnings[0].Level != slog.LevelError {
		t.Errorf("warnings = %+v, %v, want one of level error", warnings, err)
	}
}

// FuzzRead proves that Read accepts or refuses any file, and that no error contains a password.
func FuzzRead(f *testing.F) {
	f.Add("server.port", "1", "hush")
	f.Add("agent.command_executor.x", "", "")
	f.Fuzz(func(t *testing.T, key, value, password string) {
		all := settings(key, value, "server.authenticator.basic.password", password, "database.type", "x")
		if _, _, err := config.Read(all); err == nil {
			t.Error("Read took a database that does not exist")
		}
		config.AllEffective(all)
	})
}

// A mistyped key of a pool is reported, without errors that follow from it.
func TestReadMistypedPool(t *testing.T) {
	t.Parallel()
	for _, pairs := range [][]string{
		{"pool.db.slot", "3"},
		{"pool.db.slot", "3", "pool.db.description", "x", "pool.db.include_deferred", "true"},
	} {
		_, _, err := config.Read(settings(pairs...))
		want := `pool.db.slot = "3" at server.properties: a pool has slots, description and include_deferred`
		if err == nil || err.Error() != want {
			t.Errorf("Read %v: error = %v, want %s", pairs, err, want)
		}
	}
	_, _, err := config.Read(settings("pool.a.slot", "3", "pool.b.description", "x"))
	if err == nil || !strings.Contains(err.Error(), "pool.b.slots is not set") {
		t.Errorf("Read: error = %v, want that of the other pool too", err)
	}
}
