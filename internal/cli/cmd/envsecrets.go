package cmd

import (
	"path/filepath"

	"github.com/trowel-project/trowel/internal/secret"
)

// LocalSecrets returns the store of this user. It is Digdag's, so that both programs see the same.
func (e Env) LocalSecrets() (secret.LocalFolder, error) {
	home, err := e.digdagHome()
	if err != nil {
		return secret.LocalFolder{}, err
	}
	return secret.LocalFolder{Dir: filepath.Join(home, "secrets")}, nil
}
