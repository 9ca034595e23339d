//go:build unix

package command_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
)

// other finds a user that is not root; the test is skipped where this process may not be another one.
func other(t *testing.T) *command.User {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	u, err := command.FindUser("nobody", "")
	if err != nil {
		t.Skipf("no user nobody: %v", err)
	}
	return u
}

// passable is a folder in which that of each command is, as archive.Workspaces makes it.
func passable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, path := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(path, 0o711); err != nil { //nolint:gosec // others pass through
			t.Fatal(err)
		}
	}
	return dir
}

// ownFolder is the folder of one command.
func ownFolder(t *testing.T, below string) string {
	t.Helper()
	dir, err := os.MkdirTemp(below, "try-*") //nolint:usetesting // below a folder that others pass through
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// What belongs to this process is out of the reach of a command of another user, and what belongs to the
// command is its user's.
func TestRunAsOther(t *testing.T) {
	t.Parallel()
	u := other(t)
	below := passable(t)
	private := filepath.Join(below, "private")
	if err := os.WriteFile(private, []byte("the password"), 0o600); err != nil {
		t.Fatal(err)
	}
	inherited, err := syscall.Open(private, syscall.O_RDONLY, 0) // not closed in new processes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(inherited) })
	local := command.NewLocal(command.LocalOptions{
		User: u, Env: append(u.Environment([]string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "AWS_SECRET_ACCESS_KEY=s", "HOME=/root"}), "set=by the settings"),
	})
	self := strconv.Itoa(os.Getpid())
	for _, c := range []struct{ name, text, output string }{
		{"user and groups", "id -u; id -g; id -G", fmt.Sprintf("%d\n%d\n%d\n", u.UID, u.GID, u.GID)},
		{"environment", `echo "$HOME $USER $LOGNAME $LC_ALL $set [$AWS_SECRET_ACCESS_KEY]"`, u.Home + " nobody nobody C by the settings []\n"},
		{"own files", "cat given && echo x >> given && echo new > sub/new && cat sub/new", "text\nnew\n"},
		{"file of the process", "cat " + private + " 2>/dev/null || echo no", "no\n"},
		{"environment of the process", "cat /proc/" + self + "/environ 2>/dev/null || echo no", "no\n"},
		{"open files of the process", "ls /proc/" + self + "/fd >/dev/null 2>&1 || echo no", "no\n"},
		{"inherited file", fmt.Sprintf("test -e /dev/fd/%d && echo inherited || echo no", inherited), "no\n"},
		{"signals", "kill -0 " + self + " 2>/dev/null || echo no", "no\n"},
		{"rights", "grep -E 'Cap(Prm|Eff|Amb)' /proc/self/status 2>/dev/null | grep -v 0000000000000000; echo", "\n"},
		{"folders of others", "ls " + below + " >/dev/null 2>&1 || echo no", "no\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := ownFolder(t, below)
			if err := os.WriteFile(filepath.Join(dir, "given"), []byte("text\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			request := &command.Request{Project: dir, WorkDir: ".", IODir: ".", Args: []string{"sh", "-c", c.text}, Output: &out}
			if _, err := local.Run(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); got != c.output {
				t.Errorf("Run(%s) as %s: output = %q, want %q", c.text, u.Name, got, c.output)
			}
		})
	}
}

// A command may leave anything in the place of the file that is read afterwards.
func TestReadFileOfOther(t *testing.T) {
	t.Parallel()
	u := other(t)
	below := passable(t)
	private := filepath.Join(below, "private")
	if err := os.WriteFile(private, []byte("the password"), 0o600); err != nil {
		t.Fatal(err)
	}
	local := command.NewLocal(command.LocalOptions{User: u, Env: []string{"PATH=/bin:/usr/bin"}})
	for _, c := range []struct{ name, text, want string }{
		{"a file", "echo fine > run/left", "fine\n"},
		{"a link to a file of the process", "ln -s " + private + " run/left", ""},
		{"a link by way of the folder", "rmdir run && ln -s " + below + " run && ln -s private left", ""},
		{"a folder that leads out", "rmdir run && ln -s / run", ""},
		{"a pipe that nobody writes to", "mkfifo run/left", ""},
		{"a folder", "mkdir run/left", ""},
		{"a device", "ln -s /dev/zero run/left", ""},
		{"a large file with nothing in it", "truncate -s 1T run/left", ""},
		{"nothing", "true", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := ownFolder(t, below)
			if err := os.Mkdir(filepath.Join(dir, "run"), 0o700); err != nil {
				t.Fatal(err)
			}
			request := &command.Request{Project: dir, WorkDir: ".", IODir: "run", Args: []string{"sh", "-c", c.text}, Output: &bytes.Buffer{}}
			status, err := local.Run(t.Context(), request)
			if err != nil || status.ExitCode != 0 {
				t.Fatalf("Run(%s) = %+v, %v", c.text, status, err)
			}
			data, err := status.ReadFile(dir, "left")
			if string(data) != c.want && c.want != "" || (err == nil) != (c.want != "") {
				t.Errorf("ReadFile after %s = %.20q, %v, want %q", c.text, data, err, c.want)
			}
		})
	}
	t.Run("a second name of a file of the process", func(t *testing.T) {
		t.Parallel()
		dir := ownFolder(t, below)
		if err := os.Link(private, filepath.Join(dir, "left")); err != nil { // as where the system lets users do so
			t.Fatal(err)
		}
		status := command.Status{IODir: ".", Owner: u}
		if data, err := status.ReadFile(dir, "left"); err == nil {
			t.Errorf("ReadFile of a second name = %q, want an error", data)
		}
	})
}

// Nor does a command of this user hold up who reads its file, which no kill would end.
func TestReadFileDoesNotWait(t *testing.T) {
	t.Parallel()
	local := command.NewLocal(command.LocalOptions{Env: []string{"PATH=/bin:/usr/bin"}})
	for _, c := range []struct{ name, text, want string }{
		{"a file", "echo fine > left", "fine\n"},
		{"a link to a file", "echo fine > file && ln -s file left", "fine\n"},
		{"a pipe that nobody writes to", "mkfifo left", ""},
		{"a link to a pipe", "mkfifo pipe && ln -s pipe left", ""},
		{"a device", "ln -s /dev/zero left", ""},
		{"a folder", "mkdir left", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			request := &command.Request{Project: dir, WorkDir: ".", IODir: ".", Args: []string{"sh", "-c", c.text}, Output: &bytes.Buffer{}}
			status, err := local.Run(t.Context(), request)
			if err != nil || status.ExitCode != 0 {
				t.Fatalf("Run(%s) = %+v, %v", c.text, status, err)
			}
			if data, err := status.ReadFile(dir, "left"); string(data) != c.want || (err == nil) != (c.want != "") {
				t.Errorf("ReadFile after %s = %.20q, %v, want %q", c.text, data, err, c.want)
			}
		})
	}
}

// A folder that others reach, or that was given away before, is not given to a user.
func TestRunAsOtherWantsAFolderOfItsOwn(t *testing.T) {
	t.Parallel()
	u := other(t)
	dir := ownFolder(t, passable(t))
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the mistake
		t.Fatal(err)
	}
	local := command.NewLocal(command.LocalOptions{User: u, Env: []string{"PATH=/bin:/usr/bin"}})
	request := &command.Request{Project: dir, WorkDir: ".", IODir: ".", Args: []string{"true"}, Output: &bytes.Buffer{}}
	if _, err := local.Run(t.Context(), request); err == nil {
		t.Error("Run in a folder that others reach = nil, want an error")
	}
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || stat.Uid != 0 {
		t.Errorf("the folder was given away: %+v", info.Sys())
	}
}

// All processes of a command end, whoever's they are.
func TestStopOther(t *testing.T) {
	t.Parallel()
	u := other(t)
	local := command.NewLocal(command.LocalOptions{User: u, Env: []string{"PATH=/bin:/usr/bin"}, Grace: 10 * time.Second})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	out := &notifying{seen: make(chan struct{})}
	go func() {
		<-out.seen
		cancel(command.ErrKill)
	}()
	request := &command.Request{
		Project: ownFolder(t, passable(t)), WorkDir: ".", IODir: ".", Output: out,
		Args: []string{"sh", "-c", "trap '' TERM; sleep 1000 & echo begun; wait; wait; sleep 1000"},
	}
	begun := time.Now()
	if _, err := local.Run(ctx, request); !errors.Is(err, command.ErrKill) {
		t.Errorf("Run = %v, want that it was killed", err)
	}
	if took := time.Since(begun); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

// notifying closes a channel at the first output.
type notifying struct{ seen chan struct{} }

func (n *notifying) Write(data []byte) (int, error) {
	select {
	case <-n.seen:
	default:
		close(n.seen)
	}
	return len(data), nil
}

func TestTry(t *testing.T) {
	t.Parallel()
	u := other(t)
	below := passable(t)
	open, closed := filepath.Join(below, "open"), filepath.Join(below, "closed")
	if err := errors.Join(os.WriteFile(open, nil, 0o600), os.WriteFile(closed, nil, 0o600), os.Chmod(open, 0o604)); err != nil { //nolint:gosec // the mistake
		t.Fatal(err)
	}
	local := command.NewLocal(command.LocalOptions{User: u, Env: []string{"PATH=/bin:/usr/bin"}})
	reached, err := local.Try(t.Context(), below, []string{open, closed, filepath.Join(below, "missing")})
	if diff := cmp.Diff([]string{open}, reached); err != nil || diff != "" {
		t.Errorf("Try = %v, reached (-want +got):\n%s", err, diff)
	}
	shut := t.TempDir()
	if err := os.Chmod(filepath.Dir(shut), 0o700); err != nil { //nolint:gosec // a folder
		t.Fatal(err)
	}
	if _, err := local.Try(t.Context(), shut, nil); !errors.Is(err, trowel.ErrDenied) || !strings.Contains(hint(err), "tmpdir") {
		t.Errorf("Try below a folder that the user cannot reach = %v (%s), want a hint at tmpdir", err, hint(err))
	}
	left, err := filepath.Glob(filepath.Join(below, "user-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("Try has left %v, %v", left, err)
	}
}

// A process that may not take the user on says so.
func TestTryWithoutTheRight(t *testing.T) {
	t.Parallel()
	if os.Getenv("TROWEL_TRY_AS") != "" {
		dir, err := os.MkdirTemp("", "trowel-try-*") //nolint:usetesting // of another user, who has no part in that of this test
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		local := command.NewLocal(command.LocalOptions{User: &command.User{Name: "daemon", UID: 1, GID: 1, Home: "/"}, Env: []string{"PATH=/bin:/usr/bin"}})
		_, err = local.Try(t.Context(), dir, nil)
		fmt.Printf("%v; %s", err, hint(err))
		return
	}
	u := other(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(passable(t), "test")
	copied, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(program, copied, 0o755) //nolint:gosec // the other user runs it
	}
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), program, "-test.run", "^TestTryWithoutTheRight$")
	child.Env = []string{"TROWEL_TRY_AS=1", "PATH=/bin:/usr/bin"}
	child.Dir = "/"
	child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: u.UID, Gid: u.GID}}
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "operation not permitted") || !strings.Contains(string(out), "CAP_SETUID") {
		t.Errorf("Try without the right: %v\n%s", err, out)
	}
}

func TestFindUser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, user, group, want string }{
		{"unknown", "no-such-user", "", `there is no user "no-such-user" on this machine`},
		{"unknown group", "4000000123", "no-such-group", `there is no group "no-such-group" on this machine`},
		{"number without a group", "4000000123", "", "its group is not known"},
		{"root", "root", "", "commands cannot be parted from the server"},
		{"root by its number", "0", "", "commands cannot be parted from the server"},
		{"this user", strconv.Itoa(os.Geteuid()), "", "commands cannot be parted from the server"},
		{"too large a number", "4294967296", "1", "there is no user"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := command.FindUser(c.user, c.group)
			if err == nil || !strings.Contains(err.Error(), c.want) || hint(err) == "" {
				t.Errorf("FindUser(%q, %q) = %v (%s), want %q and a hint", c.user, c.group, err, hint(err), c.want)
			}
		})
	}
	got, err := command.FindUser("4000000123", "4000000124")
	want := &command.User{Name: "4000000123", Home: "/", UID: 4000000123, GID: 4000000124}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("FindUser by numbers = %v (-want +got):\n%s", err, diff)
	}
}

func hint(err error) string {
	if known, ok := errors.AsType[*trowel.Error](err); ok {
		return known.Hint
	}
	return ""
}
