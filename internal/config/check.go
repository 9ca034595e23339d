package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"strings"
)

// check checks settings that depend on each other, and fills in what follows from others.
func (r *reader) check() {
	r.checkAuth()
	r.checkListen()
	r.checkDatabase()
	r.checkPools()
	r.checkAgent()
	r.checkStorage("archive", &r.server.Archives)
	r.server.Logs.Folder = r.logFolder()
	r.checkStorage("log-server", &r.server.Logs.Storage)
	r.checkNotification()
}

func (r *reader) checkAuth() {
	for _, name := range []string{"username", "password", "admin"} {
		if _, ok := r.settings["basicauth."+name]; ok { // server 3.6
			r.warn(slog.LevelWarn, "basicauth."+name, "the key is deprecated; use server.authenticator.basic."+name)
		}
	}
	for _, row := range []struct{ given, missing, because, name string }{
		{r.server.Auth.Username, r.server.Auth.Password, "username", "password"},
		{r.server.Auth.Password, r.server.Auth.Username, "password", "username"}, // otherwise nobody would have to sign in
	} {
		if row.given == "" || row.missing != "" {
			continue
		}
		section := "server.authenticator.basic."
		if r.settings.isSet("basicauth." + row.because) {
			section = "basicauth."
		}
		r.missing(section+row.name, section+row.because)
	}
}

func (r *reader) checkListen() {
	listen := &r.server.Listen
	listen.HasAdmin = r.settings.isSet("server.admin.port")
	if listen.AdminBind == "" {
		listen.AdminBind = listen.Bind
	}
	if (listen.TLSCert == "") != (listen.TLSKey == "") {
		if listen.TLSCert == "" {
			r.missing("server.tls.cert", "server.tls.key")
		} else {
			r.missing("server.tls.key", "server.tls.cert")
		}
	}
	if r.server.Auth.SignIn() {
		return
	}
	if listen.Insecure {
		if len(listen.AllowedHosts) == 0 {
			r.warn(slog.LevelWarn, "server.insecure", "nobody has to sign in, and any name is answered: a web page whose name leads to this server "+
				"can do everything here; list the names of this server in server.allowed-hosts")
		}
		return
	}
	if !isLoopback(listen.Bind) {
		r.wrong("server.bind", errPublic())
	}
	if listen.HasAdmin && !isLoopback(listen.AdminBind) && r.settings.isSet("server.admin.bind") {
		r.wrong("server.admin.bind", errPublic())
	}
}

// errPublic says why an address is refused (design, section 9).
func errPublic() error {
	return errors.New("others can reach this address and could do everything, as nobody has to sign in; " +
		"set server.authenticator.basic.username and .password, or use 127.0.0.1; " +
		"if access is guarded otherwise, set server.insecure = true")
}

// isLoopback reports whether an address can only be reached from this machine.
func isLoopback(bind string) bool {
	if strings.EqualFold(bind, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(bind, "[]"))
	return ip != nil && ip.IsLoopback()
}

func (r *reader) checkDatabase() {
	db := &r.server.Database
	switch db.Type {
	case DatabaseMemory:
		r.nothingKept("database.path", DatabaseSQLite)
		r.nothingKept("database.host", DatabasePostgreSQL)
	case DatabaseSQLite:
		if db.File == "" {
			r.missing("database.path", "database.type")
		}
		db.File = filepath.Join(db.File, DatabaseFile)
	case DatabasePostgreSQL:
		for _, name := range []string{"host", "user", "database"} {
			if !r.settings.isSet("database." + name) {
				r.missing("database."+name, "database.type")
			}
		}
		r.sslMode()
	}
	if db.ExpireInterval == 0 {
		r.wrong(keyExpireInterval, errZero())
	}
	if r.server.Engine.TTLInterval == 0 {
		r.wrong(keyTTLInterval, errZero())
	}
}

// nothingKept refuses a setting of a database that stores things if the configured one stores nothing, which cannot be
// what was meant.
func (r *reader) nothingKept(name, kind string) {
	if r.settings.isSet(name) {
		r.wrong(name, fmt.Errorf("database.type is memory, which keeps nothing there; set database.type = %s", kind))
	}
}

func errZero() error { return errors.New("use more than zero") }

// sslMode translates the settings of Digdag's driver. Its first class for TLS checks no certificates, and
// the second one works like libpq (server 3.1).
func (r *reader) sslMode() {
	db := &r.server.Database
	if !strings.EqualFold(strings.TrimSpace(r.settings["database.ssl"].Value), "true") {
		if db.SSLMode == "" {
			db.SSLMode = "disable"
		}
		return
	}
	if db.SSLMode != "" {
		return
	}
	switch r.settings["database.sslfactory"].Value {
	case "", "org.postgresql.ssl.NonValidatingFactory":
		db.SSLMode = "require"
	case "org.postgresql.ssl.LibPQFactory":
		db.SSLMode = "verify-full"
	default:
		r.warn(slog.LevelWarn, "database.sslfactory", unknownFactory)
		db.SSLMode = "verify-full"
	}
}

func (r *reader) checkAgent() {
	agent := &r.server.Agent
	if agent.Heartbeat == 0 {
		r.wrong("agent.heartbeat-interval", errZero())
	}
	if agent.Lease <= agent.Heartbeat {
		name := "agent.lock-retention-time"
		if !r.settings.isSet(name) {
			name = "agent.heartbeat-interval"
		}
		r.wrong(name, errors.New("agent.lock-retention-time ("+agent.Lease.String()+") must be longer than agent.heartbeat-interval ("+
			agent.Heartbeat.String()+"), better three times as long"))
	}
	empty := false
	for _, name := range []string{"agent.command.user", "agent.command.group"} {
		if setting, given := r.settings[name]; given && strings.TrimSpace(setting.Value) == "" {
			empty = true
			r.wrong(name, errors.New("name whom commands are to run as, or leave the line out: then they reach all that this process does"))
		}
	}
	if agent.CommandGroup != "" && agent.CommandUser == "" && !empty {
		r.missing("agent.command.user", "agent.command.group")
	}
}

// logFolder returns the folder of the configured type. Two types mean the same.
func (r *reader) logFolder() string {
	if r.settings["log-server.type"].Value == StorageFile {
		return r.settings["log-server.file.path"].Value
	}
	if setting, ok := r.settings["log-server.local.path"]; ok {
		return setting.Value
	}
	return "digdag.log" // Digdag's default (server 3.1)
}

func (r *reader) checkStorage(prefix string, storage *Storage) {
	switch storage.Type {
	case StorageFile:
		if storage.Folder == "" {
			r.missing(prefix+".file.path", prefix+".type")
		}
	case StorageS3, StorageGCS, StorageAzure:
		if storage.Bucket.Name == "" {
			r.missing(prefix+"."+storage.Type+".bucket", prefix+".type")
		}
	}
	if storage.Type == StorageS3 && (storage.Bucket.AccessKeyID == "") != (storage.Bucket.SecretAccessKey == "") {
		id, key := prefix+".s3.credentials.access-key-id", prefix+".s3.credentials.secret-access-key"
		if storage.Bucket.AccessKeyID == "" {
			r.missing(id, key)
		} else {
			r.missing(key, id)
		}
	}
}

func (r *reader) checkNotification() {
	var needed []string
	switch n := &r.server.Notification; n.Type {
	case "http":
		needed = []string{"notification.http.url"}
		if u, err := url.Parse(n.URL); n.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			r.wrong("notification.http.url", errors.New("use an address as in https://example.com/hook"))
		}
	case "mail":
		needed = []string{"notification.mail.host", "notification.mail.port", "notification.mail.from", "notification.mail.to"}
	case "shell":
		needed = []string{"notification.shell.command"}
	}
	for _, name := range needed {
		if !r.settings.isSet(name) {
			r.missing(name, "notification.type")
		}
	}
	if n := &r.server.Notification; n.MaxWait < n.MinWait {
		n.MaxWait = n.MinWait
	}
}
