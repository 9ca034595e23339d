package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// Names that are not possible on agents are refused when they are pushed, with what to do.
func TestInspectRefusesNamesThatCannotBe(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 256)
	deep := strings.Repeat("folder/", 500)
	for _, c := range []struct {
		name  string
		files []made
		want  string
	}{
		{"a long name", []made{file(long, "x")}, "whose name is longer than 255 bytes: nnn"},
		{"a long name of few characters", []made{file(strings.Repeat("é", 128), "x")}, "longer than 255 bytes"},
		{"in a folder", []made{file("lib/"+long, "x")}, "longer than 255 bytes"},
		{"a folder", []made{file(long+"/x", "x")}, "longer than 255 bytes"},
		{"an empty folder", []made{folder(long + "/")}, "longer than 255 bytes"},
		{"a link", []made{link(long, "x")}, "longer than 255 bytes"},
		{"a long path", []made{file(deep+"x", "x")}, "whose path is longer than 3072 bytes"},
		{"a file, then a folder", []made{file("a", "x"), folder("a/")}, "in the place of a folder: a and a/"},
		{"a folder, then a file", []made{folder("a/"), file("a", "x")}, "in the place of a folder: a and a/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			archive := archiveOf(t, c.files...)
			u, err := Inspect(bytes.NewReader(archive), InspectOptions{ContentLength: int64(len(archive)), TempDir: t.TempDir()})
			if err == nil {
				closeUpload(t, u)
			}
			known, _ := errors.AsType[*trowel.Error](err)
			if !errors.Is(err, trowel.ErrInvalid) || !strings.Contains(err.Error(), c.want) || known.Hint == "" || len(known.Message) > 200 {
				t.Errorf("Inspect = %v, want %q and a hint", err, c.want)
			}
		})
	}
	longest := archiveOf(t, file(strings.Repeat("n", 255), "x"))
	u, err := Inspect(bytes.NewReader(longest), InspectOptions{ContentLength: int64(len(longest)), TempDir: t.TempDir()})
	if err != nil {
		t.Fatalf("Inspect with a name of 255 bytes = %v", err)
	}
	closeUpload(t, u)
}

// Errors that another try cannot change are not retried, so that the task fails at once.
func TestLastingErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&os.PathError{Op: "openat", Path: "x", Err: syscall.ENAMETOOLONG}, true},
		{fmt.Errorf("unpack x: %w", &os.PathError{Op: "mkdirat", Path: "x", Err: syscall.EINVAL}), true},
		{&os.LinkError{Op: "symlinkat", Old: "x", New: "y", Err: syscall.EILSEQ}, true},
		{&os.PathError{Op: "mkdirat", Path: "x", Err: syscall.ENOTDIR}, true},
		{fs.ErrPermission, true},
		{trowel.ErrInvalid, true},
		{&os.PathError{Op: "openat", Path: "x", Err: syscall.EIO}, false},
		{syscall.ECONNREFUSED, false},
		{trowel.ErrUnavailable, false},
	} {
		if got := isLasting(c.err); got != c.want {
			t.Errorf("isLasting(%v) = %v, want %v", c.err, got, c.want)
		}
	}
}
