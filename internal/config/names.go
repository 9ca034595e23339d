package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// Names that clients and agents share with servers.
const (
	// EnvToken is the variable of the environment with the token that a client or agent signs in with.
	EnvToken = "TROWEL_TOKEN"
	// KeyEndpoint is the setting with the server of clients.
	KeyEndpoint = "client.http.endpoint"
)

// LookupEnv returns the value of a variable of an environment, of entries NAME=VALUE, and whether it is set. The last one
// counts.
func LookupEnv(environ []string, name string) (string, bool) {
	for _, variable := range slices.Backward(environ) {
		key, value, _ := strings.Cut(variable, "=")
		if key == name {
			return value, true
		}
	}
	return "", false
}

// PathFrom is the absolute path of a file that an option or a setting names, counted from a folder.
func PathFrom(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}
