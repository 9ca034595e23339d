package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// made describes an entry of an archive that a test makes.
type made struct {
	name, text, link string
	kind             byte
	mode             int64
}

func file(name, text string) made   { return made{name: name, text: text, kind: tar.TypeReg} }
func link(name, target string) made { return made{name: name, link: target, kind: tar.TypeSymlink} }
func folder(name string) made       { return made{name: name, kind: tar.TypeDir, mode: 0o755} }

func tarOf(tb testing.TB, entries ...made) []byte {
	tb.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, e := range entries {
		if e.mode == 0 {
			e.mode = 0o644
		}
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Size: int64(len(e.text)), Mode: e.mode}
		if e.kind == tar.TypeXGlobalHeader {
			h = &tar.Header{Typeflag: e.kind, PAXRecords: map[string]string{"comment": "0123"}}
		}
		if err := w.WriteHeader(h); err != nil {
			tb.Fatal(err)
		}
		if _, err := io.WriteString(w, e.text); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return buf.Bytes()
}

func zipped(tb testing.TB, data []byte) []byte {
	tb.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(data); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return buf.Bytes()
}

func archiveOf(tb testing.TB, entries ...made) []byte {
	tb.Helper()
	return zipped(tb, tarOf(tb, entries...))
}

// filesIn describes everything below a folder.
func filesIn(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case entry.IsDir():
			got[name+"/"] = ""
		case entry.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			got[name] = "-> " + filepath.ToSlash(target)
			return err
		default:
			data, err := os.ReadFile(path)
			got[name] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return got
}

// put writes files below a folder. Names that end with a slash are folders, and texts that begin with
// "-> " are links.
func put(tb testing.TB, dir string, files map[string]string) {
	tb.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		var err error
		if target, isLink := strings.CutPrefix(text, "-> "); isLink {
			err = os.Symlink(target, path)
		} else if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644) //nolint:gosec // of a test
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// server 4.2: what goes into an archive, in which order, and what unpacking makes of it.
func TestPackUnpack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := strings.Repeat("long", 30) + "/" + strings.Repeat("name", 30) + "é.txt"
	put(t, dir, map[string]string{
		".digdagignore": "*.log\nbuild/\n!keep.log\n", ".git/config": "x", "lib/.svn/x": "x", ".env": "x",
		"main.dig": "+a:\n  echo>: hi\n", "lib/a.txt": "a", "lib/link.txt": "-> ./a.txt", "lib/up": "-> ../main.dig",
		"absolute": "-> " + filepath.Join(dir, "lib", "a.txt"), "dangling": "-> nowhere", "folder": "-> lib",
		"x.log": "x", "keep.log": "k", "build/out": "x", "lib/build/out": "x", "empty/": "",
		"name with space.txt": "s", long: "l",
	})
	if err := os.Chmod(filepath.Join(dir, "lib", "a.txt"), 0o750); err != nil { //nolint:gosec // what is tested
		t.Fatal(err)
	}
	var buf bytes.Buffer
	var said []string
	err := Pack(t.Context(), &buf, dir, PackOptions{Report: func(p Packed) { said = append(said, strings.TrimSpace(p.Name+" "+p.Link)) }})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"absolute lib/a.txt", "dangling nowhere", "folder lib", "keep.log", "lib/a.txt", "lib/link.txt a.txt",
		"lib/up ../main.dig", long, "main.dig", "name with space.txt",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("packed (-want +got):\n%s", diff)
	}
	to := filepath.Join(t.TempDir(), "new", "folder")
	said = nil
	archive := buf.Bytes()
	err = Unpack(t.Context(), bytes.NewReader(archive), to, UnpackOptions{Report: func(u Unpacked) { said = append(said, strings.TrimSpace(u.Name+" "+u.Link)) }})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("unpacked (-want +got):\n%s", diff)
	}
	files := map[string]string{
		"absolute": "-> lib/a.txt", "dangling": "-> nowhere", "folder": "-> lib", "keep.log": "k", "lib/": "", "lib/a.txt": "a",
		"lib/link.txt": "-> a.txt", "lib/up": "-> ../main.dig", filepath.ToSlash(filepath.Dir(long)) + "/": "", long: "l",
		"main.dig": "+a:\n  echo>: hi\n", "name with space.txt": "s",
	}
	if diff := cmp.Diff(files, filesIn(t, to)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	info, err := os.Stat(filepath.Join(to, "lib", "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o750 && runtime.GOOS != "windows" {
		t.Errorf("mode of lib/a.txt = %o, want 750", got)
	}
	// Existing files are overwritten (server 1.10.4), also when they may not be written to.
	if err := os.Chmod(filepath.Join(to, "main.dig"), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := Unpack(t.Context(), bytes.NewReader(archive), to, UnpackOptions{}); err != nil {
		t.Errorf("Unpack over it = %v, want nil", err)
	}
	if diff := cmp.Diff(files, filesIn(t, to)); diff != "" {
		t.Errorf("files after a second time (-want +got):\n%s", diff)
	}
}

// server 4.2: links that leave the project are an error, or copied.
func TestPackOutgoingLinks(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	put(t, top, map[string]string{
		"p/main.dig": "", "p/dir": "-> ../folder", "p/out.txt": "-> ../outside.txt", "outside.txt": "outside",
		"folder/x.txt": "x", "folder/back": "-> ../p/main.dig", "folder/y/far": "-> ../../outside.txt", "folder/.hidden": "h",
	})
	var buf bytes.Buffer
	err := Pack(t.Context(), &buf, filepath.Join(top, "p"), PackOptions{})
	want := "Invalid symbolic link: Given path '" + filepath.Join(top, "folder") + "' is outside of project directory '" +
		filepath.Join(top, "p") + "'. Consider to add --copy-outgoing-symlinks option"
	if err == nil || err.Error() != want {
		t.Errorf("Pack = %v, want %s", err, want)
	}
	buf.Reset()
	if err := Pack(t.Context(), &buf, filepath.Join(top, "p"), PackOptions{CopyOutgoing: true}); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if err := Unpack(t.Context(), &buf, to, UnpackOptions{}); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"main.dig": "", "dir/": "", "dir/x.txt": "x", "dir/back": "-> ../main.dig", "dir/y/": "", "dir/y/far": "outside", "out.txt": "outside",
	}
	if diff := cmp.Diff(files, filesIn(t, to)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for _, loop := range []map[string]string{
		{"p/up": "-> .."},
		{"p/in": "-> ../folder", "folder/self": "-> ../folder/.."},
	} {
		top := t.TempDir()
		put(t, top, loop)
		err := Pack(t.Context(), io.Discard, filepath.Join(top, "p"), PackOptions{CopyOutgoing: true})
		if err == nil || !strings.Contains(err.Error(), "a folder that it is in itself") {
			t.Errorf("Pack(%v) = %v, want an error about the loop", loop, err)
		}
	}
}

// server 4.4, and links that only lead out through others.
func TestUnpackRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		entries []made
		want    string
	}{
		{"file above", []made{file("../x", "x")}, "Archive includes an invalid entry: ../x"},
		{"file above through itself", []made{file("a/../../x", "x")}, "Archive includes an invalid entry: a/../../x"},
		{"absolute file", []made{file("/x", "x")}, "Archive includes an invalid entry: /x"},
		{"folder above", []made{folder("../x/")}, "Archive includes an invalid entry: ../x/"},
		{"link above", []made{link("x", "../y")}, "Archive includes an invalid symlink: x -> ../y"},
		{"absolute link", []made{link("x", "/etc")}, "Archive includes an invalid symlink: x -> /etc"},
		{"link out through a link", []made{link("a/b/up", "../.."), link("x", "a/b/up/../y")}, "Archive includes an invalid symlink: x -> a/b/up/../y"},
		{"file through a link", []made{link("x", "."), file("x/y", "y")}, "unpack x: "},
		{"hard link", []made{file("a", "a"), {name: "b", link: "a", kind: tar.TypeLink}}, "Archive includes an entry that is no file, folder or symbolic link: b"},
		{"device", []made{{name: "b", kind: tar.TypeChar}}, "Archive includes an entry that is no file, folder or symbolic link: b"},
		{"fifo", []made{{name: "b", kind: tar.TypeFifo}}, "Archive includes an entry that is no file, folder or symbolic link: b"},
		{"file in a file", []made{file("a", "a"), file("a/b", "b")}, "unpack a: "},
		{"bomb", []made{file("a", strings.Repeat("a", 600)), file("b", strings.Repeat("a", 600))}, "Total size of the archive exceeds limit (1200 > 1000 bytes)"},
		{"large file", []made{file("a", strings.Repeat("a", 1001))}, "Size of a file in the archive exceeds limit (1001 > 1000 bytes): a"},
		{"many files", []made{file("a", ""), file("b", ""), file("c", ""), file("d", "")}, "Number of files in the archive exceeds limit (3)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			dir := filepath.Join(top, "in")
			err := Unpack(t.Context(), bytes.NewReader(archiveOf(t, test.entries...)), dir, UnpackOptions{Limits: Limits{MaxBytes: 1000, MaxEntries: 3}})
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("Unpack = %v, want %s", err, test.want)
			}
			for name, text := range filesIn(t, top) {
				if name != "in/" && !strings.HasPrefix(name, "in/") || strings.HasPrefix(text, "-> /") {
					t.Errorf("%s (%s) was made", name, text)
				}
			}
		})
	}
}

// An existing link is replaced, not written through.
func TestUnpackOverLinks(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	put(t, top, map[string]string{"outside": "o", "folder/": "", "in/x": "-> ../outside", "in/sub": "-> ../folder"})
	if err := Unpack(t.Context(), bytes.NewReader(archiveOf(t, file("x", "new"))), filepath.Join(top, "in"), UnpackOptions{}); err != nil {
		t.Errorf("Unpack = %v, want nil", err)
	}
	err := Unpack(t.Context(), bytes.NewReader(archiveOf(t, file("sub/x", "new"))), filepath.Join(top, "in"), UnpackOptions{})
	if err == nil || !strings.HasPrefix(err.Error(), "Archive includes an invalid entry: sub") {
		t.Errorf("Unpack through a link = %v, want an error", err)
	}
	want := map[string]string{"outside": "o", "folder/": "", "in/": "", "in/x": "new", "in/sub": "-> ../folder"}
	if diff := cmp.Diff(want, filesIn(t, top)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// Entries for folders, their permissions, and names that are usual in archives.
func TestUnpackOrdinaryArchives(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	archive := archiveOf(
		t, made{kind: tar.TypeXGlobalHeader}, folder("./"), made{name: "closed/", kind: tar.TypeDir, mode: 0o500}, file("./closed/x", "1"),
		file("twice", "1"), link("twice", "y"), link("again", "y"), file("again", "2"), file("a//b/./c", "3"),
	)
	if err := Unpack(t.Context(), bytes.NewReader(archive), dir, UnpackOptions{}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"closed/": "", "closed/x": "1", "twice": "-> y", "again": "2", "a/": "", "a/b/": "", "a/b/c": "3"}
	if diff := cmp.Diff(want, filesIn(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
