package archive

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // what is stored with revisions
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
)

// depot has archives and counts how often they are fetched.
type depot struct {
	archives map[string][]byte
	fetches  atomic.Int64
	fail     func(n int64) error // error of the n-th fetch, from 1; nil for none
}

func (d *depot) fetch(_ context.Context, a trowel.Archive) (io.ReadCloser, error) {
	n := d.fetches.Add(1)
	if d.fail != nil {
		if err := d.fail(n); err != nil {
			return nil, err
		}
	}
	data, ok := d.archives[a.Key]
	if !ok {
		return nil, trowel.ErrNotFound
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (d *depot) lease(key string) *trowel.Lease {
	sum := md5.Sum(d.archives[key]) //nolint:gosec // see above
	return &trowel.Lease{
		AttemptID: 7, TaskID: 9,
		Context: &trowel.AttemptContext{
			Project: trowel.Project{ID: 5}, Workflow: trowel.Workflow{Name: "daily/é x"},
			Revision: trowel.Revision{Archive: trowel.Archive{Type: "db", Key: key, MD5: sum[:]}},
		},
	}
}

func newWorkspaces(t *testing.T, opts WorkspaceOptions) *Workspaces {
	t.Helper()
	w, err := NewWorkspaces(opts)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func closeAll(t *testing.T, all ...io.Closer) {
	t.Helper()
	for _, c := range all {
		if err := c.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
	}
}

func dirOf(t *testing.T, w *Workspace) string {
	t.Helper()
	dir, err := w.Dir(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A try whose operator needs no files costs nothing.
func TestWorkspaceIsLazy(t *testing.T) {
	t.Parallel()
	dir, d := t.TempDir(), &depot{}
	all := newWorkspaces(t, WorkspaceOptions{Dir: dir, Fetch: d.fetch})
	before := filesIn(t, dir)
	w := all.Open(d.lease("a"))
	closeAll(t, w)
	if diff := cmp.Diff(before, filesIn(t, dir)); diff != "" || d.fetches.Load() != 0 {
		t.Errorf("%d fetches, files (-want +got):\n%s", d.fetches.Load(), diff)
	}
	if _, err := w.Dir(t.Context()); err == nil {
		t.Error("Dir after Close = nil, want an error")
	}
	closeAll(t, all)
}

// server 4.4: each try has its own copy, from one fetch, and changing it does not affect others.
func TestWorkspaces(t *testing.T) {
	t.Parallel()
	d := &depot{archives: map[string][]byte{"a": archiveOf(t, made{name: "run.sh", text: "true\n", kind: '0', mode: 0o755}, file("lib/x", "x"), link("lib/y", "x"), link("up", "lib"))}}
	dir := t.TempDir()
	all := newWorkspaces(t, WorkspaceOptions{Dir: dir, Fetch: d.fetch})
	want := map[string]string{"run.sh": "true\n", "lib/": "", "lib/x": "x", "lib/y": "-> x", "up": "-> lib"}
	var tries sync.WaitGroup
	for range 20 {
		tries.Go(func() {
			w := all.Open(d.lease("a"))
			defer closeAll(t, w, w)
			files, err := w.Dir(t.Context())
			if err != nil {
				t.Errorf("Dir = %v", err)
				return
			}
			if again := dirOf(t, w); again != files || !strings.HasPrefix(filepath.Base(files), "5_daily___x_7_9_") {
				t.Errorf("Dir = %s, then %s, want one path with 5_daily___x_7_9_", files, again)
			}
			if diff := cmp.Diff(want, filesIn(t, files)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if info, err := os.Stat(filepath.Join(files, "run.sh")); err != nil || info.Mode().Perm()&0o111 == 0 && os.PathSeparator == '/' {
				t.Errorf("run.sh: %v, %v, want a program", info, err)
			}
			for name, text := range want {
				path := filepath.Join(files, name)
				if strings.HasSuffix(name, "/") || strings.HasPrefix(text, "-> ") {
					continue
				}
				if err := errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, []byte("harm"), 0o600)); err != nil {
					t.Error(err)
				}
			}
			if err := errors.Join(os.RemoveAll(filepath.Join(files, "lib")), os.Mkdir(filepath.Join(files, "closed"), 0o500)); err != nil {
				t.Error(err)
			}
		})
	}
	tries.Wait()
	if got := d.fetches.Load(); got != 1 {
		t.Errorf("%d fetches, want 1", got)
	}
	last := all.Open(d.lease("a"))
	if diff := cmp.Diff(want, filesIn(t, dirOf(t, last))); diff != "" {
		t.Errorf("files after the others (-want +got):\n%s", diff)
	}
	closeAll(t, last)
	if left, err := os.ReadDir(all.work); err != nil || len(left) != 0 {
		t.Errorf("workspaces left: %v, %v", left, err)
	}
	closeAll(t, all)
}

// A process that takes the place of a dead one gets its revisions but none of its workspaces. Living
// processes do not disturb each other.
func TestWorkspacesAfterCrash(t *testing.T) {
	t.Parallel()
	d := &depot{archives: map[string][]byte{"a": archiveOf(t, file("x", "x"))}}
	dir := t.TempDir()
	opts := WorkspaceOptions{Dir: dir, Fetch: d.fetch}
	first, second := newWorkspaces(t, opts), newWorkspaces(t, opts)
	dirOf(t, first.Open(d.lease("a")))
	dirOf(t, second.Open(d.lease("a")))
	put(t, filepath.Dir(first.work), map[string]string{"revisions/.new-1/x": "half"})
	closeAll(t, first.lock, second.lock) // as the system does when processes die
	third := newWorkspaces(t, opts)
	tree := "revisions/" + treeName(treeKey(d.lease("a").Context.Revision.Archive), 2*fileOverhead+1)
	want := map[string]string{"lock": "", "work/": "", "revisions/": "", tree + "/": "", tree + "/x": "x"}
	if diff := cmp.Diff(want, filesIn(t, filepath.Dir(third.work))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(second.work); !os.IsNotExist(err) {
		t.Errorf("workspaces of the other dead process: %v, want none", err)
	}
	w := third.Open(d.lease("a"))
	dirOf(t, w)
	if got := d.fetches.Load(); got != 2 {
		t.Errorf("%d fetches, want 2: by the first and by the second", got)
	}
	closeAll(t, w, third)
}

// The cache of revisions is limited. Those that were used last stay.
func TestWorkspacesAreBounded(t *testing.T) {
	t.Parallel()
	d := &depot{archives: map[string][]byte{}}
	for i := range 4 {
		d.archives[fmt.Sprint(i)] = archiveOf(t, file("x", strings.Repeat("x", 10_000+i)))
	}
	dir := t.TempDir()
	all := newWorkspaces(t, WorkspaceOptions{Dir: dir, Fetch: d.fetch, CacheBytes: 40_000})
	for _, key := range []string{"0", "1", "0", "2", "0", "3"} {
		w := all.Open(d.lease(key))
		dirOf(t, w)
		closeAll(t, w)
	}
	if got := d.fetches.Load(); got != 4 {
		t.Errorf("%d fetches, want 4: 0 is used often enough to stay", got)
	}
	got := map[string]string{}
	for name, text := range filesIn(t, all.cache.dir) {
		if !strings.HasSuffix(name, "/") {
			got[name] = fmt.Sprint(len(text))
		}
	}
	want := map[string]string{}
	for _, key := range []string{"0", "3"} {
		size := 10_000 + int(key[0]-'0')
		want[treeName(treeKey(d.lease(key).Context.Revision.Archive), int64(2*fileOverhead+size))+"/x"] = fmt.Sprint(size)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	closeAll(t, all)
}

// server 4.4: fetching is tried again, but not if that cannot help.
func TestWorkspaceFetchFails(t *testing.T) {
	t.Parallel()
	errDown := errors.New("down")
	tests := []struct {
		name    string
		fail    func(int64) error
		spoil   func(*trowel.Lease)
		fetches int64
		want    error
	}{
		{"twice", func(n int64) error {
			if n < 3 {
				return errDown
			}
			return nil
		}, nil, 3, nil},
		{"always", func(int64) error { return errDown }, nil, 10, errDown},
		{"not there", func(int64) error { return trowel.ErrNotFound }, nil, 1, trowel.ErrNotFound},
		{"another sum", nil, func(l *trowel.Lease) { l.Context.Revision.Archive.MD5 = make([]byte, 16) }, 10, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := &depot{archives: map[string][]byte{"a": archiveOf(t, file("x", "x"))}, fail: test.fail}
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				all := newWorkspaces(t, WorkspaceOptions{Dir: dir, Fetch: d.fetch})
				lease := d.lease("a")
				if test.spoil != nil {
					test.spoil(lease)
				}
				w := all.Open(lease)
				_, err := w.Dir(t.Context())
				if test.want != nil && !errors.Is(err, test.want) || (err == nil) != (test.name == "twice") {
					t.Errorf("Dir = %v, want %v", err, test.want)
				}
				if got := d.fetches.Load(); got != test.fetches {
					t.Errorf("%d fetches, want %d", got, test.fetches)
				}
				closeAll(t, w, all)
			})
		})
	}
}

// A try that is canceled while it fetches does not fail the others that wait for it.
func TestWorkspaceCanceled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		d := &depot{archives: map[string][]byte{"a": archiveOf(t, file("x", "x"))}}
		d.fail = func(n int64) error {
			if n > 1 {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}
		all := newWorkspaces(t, WorkspaceOptions{Dir: dir, Fetch: d.fetch})
		var tries sync.WaitGroup
		first, second := all.Open(d.lease("a")), all.Open(d.lease("a"))
		tries.Go(func() {
			if _, err := first.Dir(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("Dir of the canceled try = %v, want context.Canceled", err)
			}
		})
		synctest.Wait()
		tries.Go(func() {
			if _, err := second.Dir(t.Context()); err != nil {
				t.Errorf("Dir of the other try = %v, want nil", err)
			}
		})
		synctest.Wait()
		cancel()
		tries.Wait()
		closeAll(t, first, second, all)
	})
}

func BenchmarkWorkspace(b *testing.B) {
	var entries []made
	for i := range 30 {
		entries = append(entries, file(fmt.Sprintf("lib/%d.py", i), strings.Repeat("print(1)\n", 300)))
	}
	d := &depot{archives: map[string][]byte{"a": archiveOf(b, entries...)}}
	all, err := NewWorkspaces(WorkspaceOptions{Dir: b.TempDir(), Fetch: d.fetch})
	if err != nil {
		b.Fatal(err)
	}
	lease := d.lease("a")
	for b.Loop() {
		w := all.Open(lease)
		if _, err := w.Dir(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	if err := all.Close(); err != nil {
		b.Fatal(err)
	}
}
