package statusdir_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/schedule"
	"github.com/trowel-project/trowel/internal/statusdir"
)

// succeed lets a writer keep what a task left behind.
func succeed(t *testing.T, w *statusdir.Writer, name string, result trowel.Result) {
	t.Helper()
	task := &trowel.Task{FullName: name, Result: result}
	batch := &flush.Batch{Changes: []engine.Change{{From: trowel.TaskRunning, To: trowel.TaskSuccess, Task: task}}}
	if err := w.Committed(batch); err != nil {
		t.Fatal(err)
	}
}

// What is written is read again, of a task whose name no file can have as well. It is forgotten by the whole name.
func TestStates(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "20240115T000000+0000")
	session := statusdir.Session{Dir: dir}
	writer := statusdir.NewWriter(session)
	long := "+w+" + strings.Repeat("ä", 200)
	result := trowel.Result{Store: param.Of("n", 1), Export: param.Of("e", "x"), Subtasks: param.Of("+a", param.Of("echo>", "a"))}
	succeed(t, writer, "+w+a", result)
	succeed(t, writer, long, result)
	succeed(t, writer, long+"b", trowel.Result{})
	for name, want := range map[string]bool{"+w+a": true, long: true, long + "b": true, long + "c": false, "+w+b": false} {
		got, found, err := session.Read(name)
		if err != nil || found != want || writer.Has(name) != want {
			t.Errorf("Read(%.10s, %d bytes) = found %t, %v, want %t", name, len(name), found, err, want)
		}
		if found && name != long+"b" && param.JSON(got.Store)+param.JSON(got.Export) != `{"n":1}{"e":"x"}` {
			t.Errorf("Read(%.10s) = %+v", name, got)
		}
	}
	if err := session.Forget(func(task string) bool { return task == long }); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"+w+a": true, long: false, long + "b": true} {
		if _, found, err := session.Read(name); found != want || err != nil {
			t.Errorf("after Forget: Read(%d bytes) = found %t, %v, want %t", len(name), found, err, want)
		}
	}
	if diff := cmp.Diff([]string{"+w+a", long, long + "b"}, writer.Succeeded()); diff != "" {
		t.Errorf("Succeeded (-want +got):\n%s", diff)
	}
}

// A file that says something else than a success is none; one that cannot be understood is an error with its path.
func TestReadOddFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, content string
		found         bool
		wrong         string
	}{
		{name: "a success of Digdag", content: "fullName: +w+a\nstate: success\nresult: {storeParams: {k: v}, resetStoreParams: [a, 1], report: {inputs: []}}\n", found: true},
		{name: "without a result", content: "state: success\n", found: true},
		{name: "a failure", content: "state: error\n"},
		{name: "nothing of ours", content: "a: b\n"},
		{name: "no YAML", content: "state: [", wrong: "+w+a.yml: "},
		{name: "empty", content: "", wrong: "+w+a.yml: "},
		{name: "another state than a text", content: "state: {a: b}\n", wrong: "+w+a.yml: "},
		{name: "another result than an object", content: "state: success\nresult: 5\n", wrong: "+w+a.yml: "},
		{name: "parameters that are none", content: "state: success\nresult: {storeParams: [1]}\n", wrong: "storeParams"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "+w+a.yml"), []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, found, err := statusdir.Session{Dir: dir}.Read("+w+a")
		if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: error = %v, want %q", c.name, err, c.wrong)
		}
		if err == nil && found != c.found {
			t.Errorf("%s: found = %t, want %t", c.name, found, c.found)
		}
	}
}

// The newest session is that of the latest time with files of the workflow; other folders and files are passed over.
func TestNewest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{
		"20240115T000000+0900/+w.yml", "20240116T000000+0000/+w+a.yml", "20240117T000000+0000/+wide+a.yml", "20240118T000000+0000/+w+a.txt",
		"20240119T000000+0000/+w^sub.yml/x", "notes/+w.yml", "20240120T000000+0000",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ workflow, want string }{
		{"w", "2024-01-16T09:00:00+09:00"}, {"wide", "2024-01-17T09:00:00+09:00"}, {"none", ""},
	} {
		at, found, err := statusdir.Root{Dir: dir}.Newest(c.workflow, schedule.Zone{Location: time.FixedZone("", 9*3600)})
		if err != nil || found != (c.want != "") || found && at.Format(time.RFC3339) != c.want {
			t.Errorf("Newest(%s) = %v, %t, %v, want %s", c.workflow, at, found, err, c.want)
		}
	}
	if _, found, err := (statusdir.Root{Dir: filepath.Join(dir, "none")}).Newest("w", schedule.Zone{Location: time.UTC}); found || err != nil {
		t.Errorf("Newest in a folder that is not there: found = %t, %v", found, err)
	}
}

// Where states cannot be kept, the error says what to do, before the run and during it. Others are kept all the same.
func TestCannotKeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	blocked := statusdir.Session{Dir: filepath.Join(dir, "file", "session")}
	task := &trowel.Task{FullName: "+w+a"}
	batch := &flush.Batch{Changes: []engine.Change{{To: trowel.TaskSuccess, Task: task}, {To: trowel.TaskError, Task: task}}}
	for what, err := range map[string]error{
		"Probe": blocked.Probe(), "Committed": statusdir.NewWriter(blocked).Committed(batch), "Forget": blocked.Forget(func(string) bool { return true }),
	} {
		told, ok := errors.AsType[*trowel.Error](err)
		if !ok || !strings.HasPrefix(told.Message, "cannot keep ") || !strings.Contains(told.Hint, "--save") {
			t.Errorf("%s: error = %v, want one whose hint names --save", what, err)
		}
	}
	session := statusdir.Session{Dir: filepath.Join(dir, "session")}
	if err := session.Probe(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(session.Dir, "+w+a.yml", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	writer := statusdir.NewWriter(session)
	batch.Changes[1] = engine.Change{To: trowel.TaskSuccess, Task: &trowel.Task{FullName: "+w+b"}}
	if err := writer.Committed(batch); err == nil || !strings.Contains(err.Error(), "cannot keep the state of +w+a") {
		t.Errorf("Committed = %v, want an error about +w+a", err)
	}
	if _, found, err := session.Read("+w+b"); !found || err != nil {
		t.Errorf("Read(+w+b) = %t, %v, want it kept beside the one that could not be", found, err)
	}
	entries, err := os.ReadDir(session.Dir)
	left := slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "+w") })
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
