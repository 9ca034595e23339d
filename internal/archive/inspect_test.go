package archive

import (
	"archive/tar"
	"bytes"
	"crypto/md5" //nolint:gosec // what the API reports
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
)

func closeUpload(t *testing.T, u *Upload) {
	t.Helper()
	if err := u.Close(); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	archive := archiveOf(
		t, folder("x.dig/"), file("./main.dig", "_export:\n  !include : lib/common.dig\n+a:\n  echo>: hi\n"), file("lib/common.dig", "k: v\n"),
		file("b", "old"), file("b", "new"), link("inside", "lib"), file("lib/z/deep.txt", "deep"), file("lib-2", "x"),
	)
	temp := t.TempDir()
	u, err := Inspect(iotest.OneByteReader(bytes.NewReader(archive)), InspectOptions{ContentLength: int64(len(archive)), TempDir: temp})
	if err != nil {
		t.Fatal(err)
	}
	sum := md5.Sum(archive) //nolint:gosec // see above
	if !bytes.Equal(u.MD5, sum[:]) || u.SizeBytes != int64(len(archive)) {
		t.Errorf("md5 %x of %d bytes, want %x of %d", u.MD5, u.SizeBytes, sum, len(archive))
	}
	if got, err := io.ReadAll(u.Open()); err != nil || !bytes.Equal(got, archive) {
		t.Errorf("Open has %d bytes, %v, want the %d that were uploaded", len(got), err, len(archive))
	}
	if err := fstest.TestFS(u.Files, "main.dig", "lib/common.dig", "b", "inside", "lib/z/deep.txt", "lib-2"); err != nil {
		t.Errorf("Files: %v", err)
	}
	p, err := dig.LoadFS(u.Files, "/project")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Workflows) != 1 || p.Workflows[0].Name != "main" {
		t.Errorf("workflows = %v, want main", p.Workflows)
	}
	if err := u.CheckLength(u.SizeBytes); err != nil {
		t.Errorf("CheckLength = %v, want nil", err)
	}
	if err := u.CheckLength(-1); err == nil || err.Error() != "Content-Length header doesn't match with uploaded data size" {
		t.Errorf("CheckLength(-1) = %v, want an error", err)
	}
	closeUpload(t, u)
	closeUpload(t, u)
	if left := filesIn(t, temp); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// server 2.6.2 step 6: a link counts as an empty file, whatever its target, and an empty file is not a
// workflow.
func TestInspectLinkAsWorkflow(t *testing.T) {
	t.Parallel()
	archive := archiveOf(t, link("main.dig", "other.txt"), file("other.txt", "+a:\n  echo>: hi\n"))
	u, err := Inspect(bytes.NewReader(archive), InspectOptions{ContentLength: -1, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer closeUpload(t, u)
	_, err = dig.LoadFS(u.Files, "/p")
	if err == nil || !strings.HasPrefix(err.Error(), "Validating project failed\nworkflow /p/main.dig Expected object to load Config but got null") {
		t.Errorf("LoadFS = %v, want a refusal", err)
	}
}

// server 2.6.2 steps 4 and 5.
func TestInspectRefuses(t *testing.T) {
	t.Parallel()
	const limit = 10_000
	many := func(size int) string { return strings.Repeat("0123456789abcdef", size/16+1)[:size] }
	good := archiveOf(t, file("main.dig", many(100)))
	tests := []struct {
		name string
		data []byte
		want string // empty if it passes
	}{
		{"text", []byte("this is no archive"), "Input is not in the .gz format"},
		{"nothing", nil, "Input is not in the .gz format"},
		{"gzip of nothing", zipped(t, nil), ""},
		{"gzip of a short text", zipped(t, []byte(many(511))), ""},
		{"gzip of a text", zipped(t, []byte(many(512))), "Error detected parsing the header"},
		{"cut off", good[:len(good)-20], "Unexpected end of the archive"},
		{"cut off in the checksum", good[:len(good)-2], "Unexpected end of the archive"},
		{"content cut off", zipped(t, tarOf(t, file("a", many(2000)))[:1500]), "Unexpected end of the archive"},
		{"damaged", append(append([]byte{}, good[:len(good)-6]...), 1, 2, 3, 4, 5, 6), "The archive is damaged"},
		{"bytes behind", append(append([]byte{}, good...), "and more"...), ""},
		{"two members", append(zipped(t, tarOf(t, file("a", "a"))[:1024]), archiveOf(t, file("b", "b"))...), ""},
		{"above", archiveOf(t, file("../x", "")), "Bad zip entry"},
		{"above through itself", archiveOf(t, file("a/../../x", "")), "Bad zip entry"},
		{"the folder above", archiveOf(t, file("..", "")), "Bad zip entry"},
		{"absolute", archiveOf(t, file("/x", "")), "Bad zip entry"},
		{"the root as a file", archiveOf(t, file(".", "")), "Bad zip entry"},
		{"a long name", archiveOf(t, file(strings.Repeat("x", 5000), "")), "Bad zip entry"},
		{"one entry as large as the limit", archiveOf(t, file("big.txt", many(limit))), ""},
		{"one entry too large", archiveOf(t, file("a", "x"), file("big.txt", many(limit+1))), "Size of a file in the archive exceeds limit (10001 > 10000 bytes): big.txt"},
		{"all too large", archiveOf(t, file("main.dig", many(16)), file("one", many(5000)), file("two", many(5000)), file("three", many(1))), "Total size of the archive exceeds limit (10017 > 10000 bytes)"},
		{"link outside", archiveOf(t, link("x", "../y")), "Archive includes an invalid symlink: x -> ../y"},
		{"link outside in a folder", archiveOf(t, link("a/x", "../../y")), "Archive includes an invalid symlink: a/x -> ../../y"},
		{"absolute link", archiveOf(t, link("x", "/etc/passwd")), "Archive includes an invalid symlink: x -> /etc/passwd"},
		{"link inside", archiveOf(t, link("a/x", "../y/..")), ""},
		{"links in a circle", archiveOf(t, link("a", "b"), link("b", "a")), ""},
		{"link out through a link", archiveOf(t, link("a/b/up", "../.."), link("x", "a/b/up/../y")), "Archive includes an invalid symlink: x -> a/b/up/../y"},
		{"link out later replaced", archiveOf(t, link("x", "../y"), file("x", "")), ""},
		{"hard link", archiveOf(t, made{name: "b", link: "a", kind: tar.TypeLink}), "Archive includes an entry that is no file, folder or symbolic link: b"},
		{"file in a file", archiveOf(t, file("a/b", ""), file("a-b", ""), file("a", "")), "Archive includes a file in the place of a folder: a and a/b"},
		{"file in a link", archiveOf(t, link("a", "b"), file("a/b", "")), "Archive includes a file in the place of a folder: a and a/b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			temp := t.TempDir()
			u, err := Inspect(bytes.NewReader(test.data), InspectOptions{ContentLength: int64(len(test.data)), TempDir: temp, Limits: Limits{MaxBytes: limit}})
			message := ""
			if refusal, ok := errors.AsType[*trowel.Error](err); ok {
				message = refusal.Message
			}
			if message != test.want || (err == nil) != (test.want == "") || err != nil && !errors.Is(err, trowel.ErrInvalid) {
				t.Errorf("Inspect = %v, want %q", err, test.want)
			}
			if u != nil {
				closeUpload(t, u)
			}
			if diff := cmp.Diff(map[string]string{}, filesIn(t, temp)); diff != "" {
				t.Errorf("left behind: %s", diff)
			}
		})
	}
}

// An upload is refused before it is read, or as soon as it is too large.
func TestInspectLength(t *testing.T) {
	t.Parallel()
	const want = "Size of the uploaded archive file exceeds limit (10 bytes)"
	for _, length := range []int64{11, -1} {
		_, err := Inspect(bytes.NewReader(archiveOf(t)), InspectOptions{ContentLength: length, TempDir: t.TempDir(), Limits: Limits{MaxBytes: 10}})
		if err == nil || err.Error() != want {
			t.Errorf("Inspect of %d bytes = %v, want %s", length, err, want)
		}
	}
}

// A body that breaks off and a full disk lead to different errors.
func TestInspectFailures(t *testing.T) {
	t.Parallel()
	good := archiveOf(t, file("main.dig", "x"))
	_, err := Inspect(io.MultiReader(bytes.NewReader(good[:30]), iotest.ErrReader(os.ErrDeadlineExceeded)), InspectOptions{ContentLength: -1, TempDir: t.TempDir()})
	if !errors.Is(err, trowel.ErrInvalid) || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Inspect of half a body = %v, want an ErrInvalid with its cause", err)
	}
	_, err = Inspect(bytes.NewReader(good), InspectOptions{ContentLength: -1, TempDir: t.TempDir() + "/missing"})
	if !errors.Is(err, trowel.ErrUnavailable) {
		t.Errorf("Inspect without a folder = %v, want an ErrUnavailable", err)
	}
}
