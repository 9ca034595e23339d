package command

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const pathVar = "PATH"

// foldName returns the form in which names of variables are compared.
func foldName(name string) string { return strings.ToUpper(name) }

// lookPath finds a program. A name with a separator is a path relative to the working directory. Any other name is
// searched in PATH. For a name without an extension, .exe, .cmd and .bat are tried.
func (e *environment) lookPath(dir, program string) ([]string, error) {
	if program == "" {
		return nil, syscall.ENOENT
	}
	folders := e.path
	if strings.ContainsAny(program, `/\:`) {
		folders = []string{""}
	}
	for _, folder := range folders {
		path := filepath.Join(folder, filepath.FromSlash(program))
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		for _, extension := range []string{"", ".exe", ".cmd", ".bat"} {
			if info, err := os.Stat(path + extension); err == nil && !info.IsDir() {
				return []string{path + extension}, nil
			}
		}
	}
	return nil, syscall.ERROR_FILE_NOT_FOUND
}
