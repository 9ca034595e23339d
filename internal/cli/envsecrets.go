package cli

import (
	"path/filepath"
)

// localSecrets returns the store of this user. It is Digdag's, so that both programs see the same.
func (e Env) localSecrets() (localSecrets, error) {
	home, err := e.digdagHome()
	if err != nil {
		return localSecrets{}, err
	}
	return localSecrets{dir: filepath.Join(home, "secrets")}, nil
}
