package cmd

import (
	"path/filepath"

	"github.com/trowel-project/trowel/internal/secret"
)

// LocalSecrets returns the secrets of this user. They are stored where Digdag stores them, so both programs see the same.
func (e Env) LocalSecrets() (secret.LocalFolder, error) {
	home, err := e.digdagHome()
	if err != nil {
		return secret.LocalFolder{}, err
	}
	return secret.LocalFolder{Dir: filepath.Join(home, "secrets")}, nil
}

// TDConfig returns the file of Treasure Data's command line, which may have secrets of this user (operators 8.1). It need not
// exist; empty for none.
func (e Env) TDConfig() string {
	for _, name := range []string{"TREASURE_DATA_CONFIG_PATH", "TD_CONFIG_PATH"} {
		if file, set := e.LookupText(name); set {
			return e.Path(file)
		}
	}
	home, set := e.home()
	if !set {
		return ""
	}
	return e.Path(filepath.Join(home, ".td", "td.conf"))
}
