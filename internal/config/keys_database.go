package config

import (
	"fmt"
	"time"
)

// databaseType reads the type of a database. Its error has Digdag's text (server 3.1).
func databaseType() kind[string] {
	choice := aChoice("memory", "h2", "sqlite", "postgresql")
	return kind[string]{choice.name, func(text string) (string, error) {
		if text == "h2" { // Trowel cannot read its files; it means the embedded database
			return DatabaseSQLite, nil
		}
		value, err := choice.parse(text)
		if err != nil {
			return "", fmt.Errorf("Unknown database.type: %s; %w", text, err) //nolint:staticcheck // Digdag's text
		}
		return value, nil
	}}
}

// authenticator reads the type of the authenticator. Its error has Digdag's text (server 3.6).
func authenticator() kind[string] {
	return kind[string]{"basic", func(text string) (string, error) {
		if text != "basic" {
			return "", fmt.Errorf("Configured authenticator name is not found: %s; use basic", text) //nolint:staticcheck // Digdag's text
		}
		return text, nil
	}}
}

func databaseKeys() []Key {
	return []Key{
		key("database.type", databaseType(), "memory", "`h2` and `sqlite` are both the file `trowel.db` in the folder `database.path`", func(s *Server) *string { return &s.Database.Type }),
		key("database.path", aText(), "", "folder of the file; needed for `h2` and `sqlite`", func(s *Server) *string { return &s.Database.File }),
		key("database.host", aText(), "", "needed for `postgresql`, as are the next two", func(s *Server) *string { return &s.Database.Host }),
		key("database.user", aText(), "", "", func(s *Server) *string { return &s.Database.User }),
		key("database.database", aText(), "", "name of the database", func(s *Server) *string { return &s.Database.Name }),
		hidden(key("database.password", aText(), "", "", func(s *Server) *string { return &s.Database.Password })),
		key("database.port", aPort(), "0", "0 is PostgreSQL's", func(s *Server) *int { return &s.Database.Port }),
		key("database.ssl", aBoolean(), "false", "TLS to the database, without a check of its certificate unless `database.sslmode` says so", func(*Server) *bool { return new(bool) }),
		key("database.sslmode", aChoice("disable", "allow", "prefer", "require", "verify-ca", "verify-full"), "", "as in libpq", func(s *Server) *string { return &s.Database.SSLMode }),
		key("database.sslfactory", aText(), "", "Digdag's driver; the class `LibPQFactory` of PostgreSQL checks the certificate unless `database.sslmode` says otherwise", func(*Server) *string { return new(string) }),
		key("database.sslcert", aText(), "", "file with the client's certificate", func(s *Server) *string { return &s.Database.SSLCert }),
		key("database.sslkey", aText(), "", "file with the client's key", func(s *Server) *string { return &s.Database.SSLKey }),
		key("database.sslrootcert", aText(), "", "file with the authorities that are trusted", func(s *Server) *string { return &s.Database.SSLRootCert }),
		key("database.loginTimeout", aNumberOfSeconds(), "30", "limit for connecting", func(s *Server) *time.Duration { return &s.Database.ConnectTimeout }),
		key("database.socketTimeout", aNumberOfSeconds(), "1800", "limit for an answer", func(s *Server) *time.Duration { return &s.Database.SocketTimeout }),
		key("database.idleTimeout", aNumberOfSeconds(), "600", "an idle connection is closed after it", func(s *Server) *time.Duration { return &s.Database.IdleTimeout }),
		key("database.maximumPoolSize", aNumber(0), "0", "most connections; 0 goes by the number of cores", func(s *Server) *int { return &s.Database.MaxConnections }),
		key("database.migrate", aBoolean(), "true", "tables are brought up to date at start", func(s *Server) *bool { return &s.Database.Migrate }),
		key(keyExpireInterval, aNumberOfSeconds(), "10", "how often leases of silent agents are ended", func(s *Server) *time.Duration { return &s.Database.ExpireInterval }),
	}
}
