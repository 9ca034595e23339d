package operator

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Texts of language L56 and L59.
const (
	workdirOutside = "Working directory must not be outside of project path (%s): %s"
	fileOutside    = "File name must not be outside of project path (%s): %s"
)

// workspace is where an operator's files are: a project, and a working directory in it.
type workspace struct {
	project string // absolute
	dir     string // absolute, in project
}

// newWorkspace reads _workdir, which is relative to the project (language L56). It compares paths by
// components, while Digdag compares texts, and does not resolve links: a link in the project may lead
// out of it.
func newWorkspace(project string, params *param.Reader) (*workspace, error) {
	workdir, err := params.StringOr("_workdir", "")
	if err != nil {
		return nil, err
	}
	project = filepath.Clean(project)
	dir := resolve(project, workdir)
	if !within(project, dir) {
		return nil, &Error{Kind: KindIllegalArgument, Message: fmt.Sprintf(workdirOutside, project, workdir)}
	}
	return &workspace{project: project, dir: dir}, nil
}

// path returns the absolute path of a file that an option names, relative to the working directory
// (language L59).
func (w *workspace) path(name string) (string, error) {
	path := resolve(w.dir, name)
	if !within(w.project, path) {
		return "", &Error{Kind: KindIllegalArgument, Message: fmt.Sprintf(fileOutside, w.project, name)}
	}
	return path, nil
}

func resolve(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

func within(dir, path string) bool {
	relative, err := filepath.Rel(dir, path)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
}

// fromProject and fromDir return an absolute path as a slash path relative to the project and to the working
// directory.
func (w *workspace) fromProject(path string) string { return relative(w.project, path) }
func (w *workspace) fromDir(path string) string     { return relative(w.dir, path) }

func relative(dir, path string) string {
	if r, err := filepath.Rel(dir, path); err == nil {
		return filepath.ToSlash(r)
	}
	return path
}
