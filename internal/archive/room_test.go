package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// block replaces the folder of workspaces by a file, so that nobody can write there.
func block(t *testing.T, w *Workspaces) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(w.work), os.WriteFile(w.work, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// If nothing can be written, this is reported at once, and works again later.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	d := &depot{archives: map[string][]byte{"a": archiveOf(t, file("x", "text"))}}
	all := newWorkspaces(t, WorkspaceOptions{Dir: t.TempDir(), Fetch: d.fetch})
	block(t, all)
	w := all.Open(d.lease("a"))
	_, err := w.Dir(t.Context())
	room, ok := errors.AsType[*RoomError](err)
	if !ok || room.Dir != all.place || all.Room(err) != room || all.Probe() == nil {
		t.Errorf("error = %v, want a *RoomError about %s", err, all.place)
	}
	if err := os.Remove(all.work); err != nil {
		t.Fatal(err)
	}
	next := all.Open(d.lease("a"))
	if err := all.Probe(); err != nil {
		t.Errorf("Probe() = %v, want nil", err)
	}
	if got := filesIn(t, dirOf(t, next))["x"]; got != "text" {
		t.Errorf("x = %q, want text", got)
	}
	closeAll(t, w, next, all)
}

// A disk that gets full while an archive is unpacked is reported at once, as fetching it again would not help.
func TestFullWhileUnpacking(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, path string }{
		{"a file that was made", filepath.Join("0", "revisions", ".new-1", "x")},
		{"a name of the archive", ""}, // which os.Root reports
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := &depot{archives: map[string][]byte{"a": nil}}
			dir, path := t.TempDir(), "lib/x"
			if row.path != "" {
				path = filepath.Join(dir, row.path)
			}
			d.fail = func(int64) error { return &fs.PathError{Op: "write", Path: path, Err: full()} }
			all := newWorkspaces(t, WorkspaceOptions{Dir: dir, Fetch: d.fetch})
			w := all.Open(d.lease("a"))
			_, err := w.Dir(t.Context())
			if all.Room(err) == nil || d.fetches.Load() != 1 {
				t.Errorf("error = %v after %d fetches, want a *RoomError after one", err, d.fetches.Load())
			}
			closeAll(t, w, all)
		})
	}
}

// An error is about room if the system reports it for a file of a workspace, and the disk is full or nothing
// else can be written either.
func TestRoom(t *testing.T) {
	t.Parallel()
	all := newWorkspaces(t, WorkspaceOptions{Dir: t.TempDir()})
	blocked := newWorkspaces(t, WorkspaceOptions{Dir: t.TempDir()})
	block(t, blocked)
	inside := func(w *Workspaces) string { return filepath.Join(w.work, "5_w_7_9_1", ".digdag") }
	for _, row := range []struct {
		name string
		all  *Workspaces
		err  error
		want bool
	}{
		{"none", all, nil, false},
		{"full", all, fmt.Errorf("make the folder of the command: %w", &fs.PathError{Op: "mkdir", Path: inside(all), Err: full()}), true},
		{"full beside another one", all, errors.Join(errors.New("x"), &os.LinkError{Op: "symlink", Old: "y", New: inside(all), Err: full()}), true},
		{"full elsewhere", all, &fs.PathError{Op: "write", Path: "/var/log/x", Err: full()}, false},
		{"full in a folder with a longer name", all, &fs.PathError{Op: "write", Path: all.place + "1", Err: full()}, false},
		{"full, nobody knows where", all, full(), false},
		{"forbidden in one place", all, &fs.PathError{Op: "open", Path: inside(all), Err: syscall.EACCES}, false},
		{"forbidden everywhere", blocked, &fs.PathError{Op: "open", Path: inside(blocked), Err: syscall.EACCES}, true},
		{"missing", all, &fs.PathError{Op: "open", Path: inside(all), Err: syscall.ENOENT}, false},
		{"no such archive", blocked, trowel.ErrNotFound, false},
	} {
		if got := row.all.Room(row.err) != nil; got != row.want {
			t.Errorf("%s: Room = %t, want %t", row.name, got, row.want)
		}
	}
	closeAll(t, all)
	if err := os.Remove(blocked.work); err != nil {
		t.Error(err)
	}
	closeAll(t, blocked)
}

// A probe leaves nothing behind.
func TestProbeCleansUp(t *testing.T) {
	t.Parallel()
	all := newWorkspaces(t, WorkspaceOptions{Dir: t.TempDir()})
	before := filesIn(t, all.place)
	if err := all.Probe(); err != nil {
		t.Fatal(err)
	}
	if after := filesIn(t, all.place); len(after) != len(before) {
		t.Errorf("%d files after a probe, want %d", len(after), len(before))
	}
	closeAll(t, all)
}
