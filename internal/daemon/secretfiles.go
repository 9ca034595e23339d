package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/config"
)

// secretFiles returns the files with secret settings, and warns about those that everybody on this
// machine may read. It also warns about secrets in the command line, which everybody can see, if commands run as
// another user.
func (o *Options) secretFiles(ctx context.Context, log *slog.Logger) []string {
	var files []string
	for _, found := range config.SecretsIn(o.Sources) {
		if found.Key == config.KeyEndpoint && !strings.Contains(o.Sources[found.Key].Value, "@") {
			continue // settings of clients are never shown, but an address is only a secret if it has a password
		}
		switch found.From {
		case "-X", "--token":
			if o.Settings.Agent.CommandUser != "" {
				log.WarnContext(ctx, "a secret stands in the command line of this process, which commands of tasks can read",
					slog.String("setting", found.Key), slog.String("fix", "put it into a file that is named with -c"))
			}
			continue
		case "DIGDAG_CONFIG", config.EnvToken, "":
			continue
		}
		path := o.path(found.From)
		if slices.Contains(files, path) {
			continue
		}
		files = append(files, path)
		if readByAll(path) {
			log.WarnContext(ctx, "everybody on this machine may read a file with secrets", slog.String("path", path),
				slog.String("setting", found.Key), slog.String("fix", "chmod o-r "+path))
		}
	}
	return files
}

// readByAll reports whether all users of this machine may read a file, according to the permissions of
// the file and of the folders above it.
func readByAll(path string) bool {
	path, err := filepath.EvalSymlinks(path)
	if err != nil || runtime.GOOS == "windows" { // which has other permissions
		return false
	}
	const read, pass = 0o004, 0o001
	for needed := os.FileMode(read); ; needed = pass {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&needed == 0 {
			return false
		}
		above := filepath.Dir(path)
		if above == path {
			return true
		}
		path = above
	}
}
