//go:build unix

package command

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const pathVar = "PATH"

// foldName returns the form in which names of variables are compared.
func foldName(name string) string { return name }

// lookPath finds a program as execvp(3) does. A name with a slash is a path relative to the working directory. Any other
// name is searched in PATH, or in /bin and /usr/bin if PATH is not set. The error is ENOENT if nothing is found, EACCES
// if what is found is not executable. There may be several results: the first that can be started counts, because
// another user may lack rights that this process has.
func (e *environment) lookPath(dir, program string) ([]string, error) {
	if strings.Contains(program, "/") {
		return []string{program}, nil
	}
	if program == "" {
		return nil, syscall.ENOENT
	}
	folders := e.path
	if folders == nil {
		folders = []string{"/bin", "/usr/bin"}
	}
	var found []string
	result := error(syscall.ENOENT)
	for _, folder := range folders {
		path := filepath.Join(folder, program)
		if !filepath.IsAbs(folder) {
			path = filepath.Join(dir, folder, program)
		}
		info, err := os.Stat(path)
		switch {
		case err != nil || info.IsDir():
		case info.Mode().Perm()&0o111 == 0:
			result = syscall.EACCES
		case !e.others:
			return []string{path}, nil
		default:
			found = append(found, path)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, result
}
