package config

import "time"

func listenKeys() []Key {
	return []Key{
		key("server.bind", aText(), "127.0.0.1", "address of the API. One that others can reach needs authentication or `server.insecure`", func(s *Server) *string { return &s.Listen.Bind }),
		key("server.port", aPort(), "65432", "port of the API; 0 is any free one", func(s *Server) *int { return &s.Listen.Port }),
		key("server.admin.bind", aText(), "", "address of the second listener; that of `server.bind` unless set", func(s *Server) *string { return &s.Listen.AdminBind }),
		key("server.admin.port", aPort(), "", "port of the second listener, on which admin resources are reachable too; none unless set", func(s *Server) *int { return &s.Listen.AdminPort }),
		key("server.tls.cert", aText(), "", "file with the certificate chain, PEM; with `server.tls.key` the server speaks HTTPS", func(s *Server) *string { return &s.Listen.TLSCert }),
		key("server.tls.key", aText(), "", "file with the private key, PEM", func(s *Server) *string { return &s.Listen.TLSKey }),
		key("server.insecure", aBoolean(), "false", "allows an address that others can reach without authentication", func(s *Server) *bool { return &s.Listen.Insecure }),
		key("server.allowed-hosts", aListOfHosts(), "", "names in `Host` that are answered besides IP addresses, `localhost` and that of `server.bind`. Without a user other names are refused, unless `server.insecure` is set and this is not", func(s *Server) *[]string { return &s.Listen.AllowedHosts }),
		key("server.http.no-request-timeout", aNumberOfSeconds(), "60", "an idle connection is closed after it", func(s *Server) *time.Duration { return &s.Listen.IdleTimeout }),
		key("server.http.request-parse-timeout", aNumberOfSeconds(), "30", "limit for reading the head of a request", func(s *Server) *time.Duration { return &s.Listen.HeadTimeout }),
		key("server.http.io-idle-timeout", aNumberOfSeconds(), "300", "limit for a stalled body or answer", func(s *Server) *time.Duration { return &s.Listen.StallTimeout }),
		key("server.http.enable-http2", aBoolean(), "false", "HTTP/2", func(s *Server) *bool { return &s.Listen.HTTP2 }),
		keysBelow("server.http.headers.NAME", "a header of all answers of the API", func(s *Server) *map[string]string { return &s.Listen.Headers }),
		key("server.access-log.path", aText(), "", "folder of the access log; none unless set", func(s *Server) *string { return &s.AccessLog.Dir }),
		key("server.access-log.pattern", aText(), "json", "`json`, `json{...}`, `combined`, `common` or a pattern", func(s *Server) *string { return &s.AccessLog.Pattern }),
		key("server.enable-swagger", aBoolean(), "false", "`/api/swagger.json` and `.yaml`, and answers for other origins", func(s *Server) *bool { return &s.Listen.Swagger }),
		key("server.runtime-info.path", aText(), "", "a JSON file with the bound addresses is written here", func(s *Server) *string { return &s.RuntimeInfo }),
		key("shutdown_grace", aDurationOr("none"), "none", "how long a stopping server waits for running tasks; `none` is without limit", func(s *Server) *time.Duration { return &s.ShutdownGrace }),
	}
}

func authKeys() []Key {
	username := func(s *Server) *string { return &s.Auth.Username }
	password := func(s *Server) *string { return &s.Auth.Password }
	admin := func(s *Server) *bool { return &s.Auth.Admin }
	return []Key{
		key("server.authenticator.type", authenticator(), "basic", "`basic` is the only one", func(*Server) *string { return new(string) }),
		key("server.authenticator.basic.username", aText(), "", "user of the API; without one everybody may use it", username),
		hidden(key("server.authenticator.basic.password", aText(), "", "the user's password; needed with a user", password)),
		key("server.authenticator.basic.admin", aBoolean(), "false", "the user may use admin resources and manage tokens", admin),
		key("basicauth.username", aText(), "", "deprecated: `server.authenticator.basic.username`, over which it goes", username),
		hidden(key("basicauth.password", aText(), "", "deprecated: `server.authenticator.basic.password`, over which it goes", password)),
		key("basicauth.admin", aBoolean(), "", "deprecated: `server.authenticator.basic.admin`, over which it goes", admin),
	}
}

func apiKeys() []Key {
	return []Key{
		key("api.max_attempts_page_size", aNumber(0), "100", "most attempts in one answer", func(s *Server) *int { return &s.API.MaxAttemptsPage }),
		key("api.max_sessions_page_size", aNumber(0), "100", "most sessions in one answer", func(s *Server) *int { return &s.API.MaxSessionsPage }),
		key("api.max_archive_total_size_limit", aSize(), "2097152", "most bytes of a pushed project", func(s *Server) *int64 { return &s.API.MaxArchiveBytes }),
		key("server.client-version-check.upgrade-recommended-if-older", aVersion(), "", "clients older than this version of Digdag are advised to upgrade; Trowel's own stands for 0.10.6", func(s *Server) *string { return &s.Versions.UpgradeIfOlder }),
		key("server.client-version-check.api-incompatible-if-older", aVersion(), "", "clients older than this version of Digdag are told that they do not fit; Trowel's own stands for 0.10.6", func(s *Server) *string { return &s.Versions.IncompatibleIfOlder }),
	}
}

func secretKeys() []Key {
	return []Key{
		hidden(key("digdag.secret-encryption-key", aText(), "", "key of secrets, Base64 of 16 bytes, the same on all servers. Without it a server on SQLite makes one, in the file `secret.key` of its folder, and one on PostgreSQL cannot store secrets", func(s *Server) *string { return &s.Secrets.Key })),
		hidden(key("secret.old_encryption_keys", aList(), "", "older keys, which still decrypt. A secret is encrypted with the new key when it is set again, and all are by `trowel secrets rewrite`", func(s *Server) *[]string { return &s.Secrets.OldKeys })),
	}
}
