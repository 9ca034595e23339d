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
