package operator

import (
	"testing"

	"github.com/trowel-project/trowel/internal/param"
)

// Language L56, L59, operators 1.8.
func TestWorkspace(t *testing.T) {
	t.Parallel()
	const project = "/data/project"
	for _, c := range []struct{ workdir, file, dir, path, problem string }{
		{dir: project, file: "a", path: project + "/a"},
		{workdir: "sub/deep", file: "x.sql", dir: project + "/sub/deep", path: project + "/sub/deep/x.sql"},
		{workdir: "a", file: "../x", dir: project + "/a", path: project + "/x"},
		{workdir: "a/../..", problem: "Working directory must not be outside of project path (/data/project): a/../.."},
		{workdir: "../project-2", problem: "Working directory must not be outside of project path (/data/project): ../project-2"},
		{workdir: "/etc", problem: "Working directory must not be outside of project path (/data/project): /etc"},
		{workdir: "/data/project/a", file: "b", dir: project + "/a", path: project + "/a/b"},
		{workdir: "a", dir: project + "/a", file: "../../project-2/x", problem: "File name must not be outside of project path (/data/project): ../../project-2/x"},
		{workdir: "a", dir: project + "/a", file: "/data/x", problem: "File name must not be outside of project path (/data/project): /data/x"},
		{workdir: "..a", file: "..b", dir: project + "/..a", path: project + "/..a/..b"},
	} {
		w, err := newWorkspace(project+"/", param.NewReader(param.Of("_workdir", c.workdir)))
		if err == nil {
			if w.dir != c.dir {
				t.Errorf("_workdir %q: dir = %q, want %q", c.workdir, w.dir, c.dir)
			}
			var path string
			if path, err = w.path(c.file); err == nil && path != c.path {
				t.Errorf("_workdir %q: path(%q) = %q, want %q", c.workdir, c.file, path, c.path)
			}
		}
		problem := ""
		if err != nil {
			var kind string
			if problem, kind = Kind(err); kind != "illegal argument" {
				t.Errorf("_workdir %q: kind = %q, want illegal argument", c.workdir, kind)
			}
		}
		if problem != c.problem {
			t.Errorf("_workdir %q, file %q: error = %q, want %q", c.workdir, c.file, problem, c.problem)
		}
	}
}

func TestWorkspaceWithoutWorkdir(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	w, err := newWorkspace(project, param.NewReader(param.New()))
	if err != nil || w.dir != project {
		t.Fatalf("workspace = %+v, %v", w, err)
	}
}

func TestWorkdirOfWrongType(t *testing.T) {
	t.Parallel()
	_, err := newWorkspace("/p", param.NewReader(param.Of("_workdir", param.New())))
	if err == nil || err.Error() != "Expected string type for key '_workdir' but got {} (object)" {
		t.Errorf("error = %v", err)
	}
}
