package projectdir

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/database"
	"github.com/trowel-project/trowel/internal/keyring"
)

// serversWithin finds the files of servers that keep their data inside a project. They must not go into an archive:
// whoever may download the project would get the key of all secrets, and the database does not belong to it.
type serversWithin struct {
	folders []string // those that have such files
}

// leaveOut reports whether a file belongs to a server: it has the name of such a file, and a database is beside it.
func (s *serversWithin) leaveOut(path string) bool {
	dir, name := filepath.Split(path)
	suffix, ofDatabase := strings.CutPrefix(name, config.DatabaseFile)
	switch {
	case ofDatabase && slices.Contains([]string{"", "-wal", "-shm", "-journal"}, suffix):
	case name == keyring.FileName, name == database.LockFile:
	default:
		return false
	}
	if _, err := os.Stat(filepath.Join(dir, config.DatabaseFile)); err != nil {
		return false
	}
	if dir = filepath.Clean(dir); !slices.Contains(s.folders, dir) {
		s.folders = append(s.folders, dir)
	}
	return true
}
