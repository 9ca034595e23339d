package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// Names that clients, agents and servers share.
const (
	// EnvToken is the environment variable with the token of a client or agent.
	EnvToken = "TROWEL_TOKEN"
	// KeyEndpoint is the setting with the address of a client's server.
	KeyEndpoint = "client.http.endpoint"
)

// Settings that are checked once all of them are read.
const (
	keyExpireInterval = "database.queue.expireLockInterval"
	keyTTLInterval    = "executor.ttl_reaping_interval"
)

// LookupEnv returns the value of a variable in an environment of entries NAME=VALUE, and whether it is set. If it is
// there twice, the last one counts.
func LookupEnv(environ []string, name string) (string, bool) {
	for _, variable := range slices.Backward(environ) {
		key, value, _ := strings.Cut(variable, "=")
		if key == name {
			return value, true
		}
	}
	return "", false
}

// PathFrom returns the absolute path of a file that an option or a setting names. Relative paths begin in dir.
func PathFrom(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}
