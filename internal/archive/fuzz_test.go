package archive

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzUnpack proves that nothing is written outside of the folder, that no link leaves it, and that
// what Inspect accepts can be unpacked. The input is the tar file, as fuzzing a compressed one finds
// nothing.
func FuzzUnpack(f *testing.F) {
	f.Add(tarOf(f, file("a/b", "text"), link("a/c", "../d"), folder("e/")))
	f.Add(tarOf(f, link("x", ".."), file("x/y", "text")))
	f.Add(tarOf(f, link("a/up", ".."), link("x", "a/up/../y")))
	f.Add(tarOf(f, file("../x", "text"), file("/etc/x", "text"), file(strings.Repeat("a/", 60)+"x", "")))
	f.Fuzz(func(t *testing.T, data []byte) {
		top := t.TempDir()
		archive := zipped(t, data)
		limits := Limits{MaxBytes: 100_000, MaxEntries: 100}
		u, inspected := Inspect(bytes.NewReader(archive), InspectOptions{ContentLength: -1, TempDir: t.TempDir(), Limits: limits})
		if u != nil {
			closeUpload(t, u)
		}
		dir := filepath.Join(top, "in", "side")
		err := Unpack(t.Context(), bytes.NewReader(archive), dir, UnpackOptions{Limits: limits})
		if inspected == nil && err != nil && strings.HasPrefix(err.Error(), "Archive includes an invalid symlink") {
			t.Errorf("Inspect passes what Unpack refuses: %v", err)
		}
		walk := func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path != top && path != filepath.Dir(dir) && path != dir && !strings.HasPrefix(path, dir+string(filepath.Separator)):
				t.Errorf("%s is outside of the folder", path)
			case entry.Type()&fs.ModeSymlink != 0:
				if target, err := filepath.EvalSymlinks(path); err == nil && target != dir && !strings.HasPrefix(target, dir+string(filepath.Separator)) {
					t.Errorf("link %s leads to %s", path, target)
				}
			}
			return nil
		}
		if err := filepath.WalkDir(top, walk); err != nil && !os.IsPermission(err) {
			t.Error(err)
		}
	})
}
