//go:build unix

package command_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
)

// sh is a request to run a text with /bin/sh in a new folder.
func sh(t *testing.T, text string, out io.Writer) *command.Request {
	t.Helper()
	return &command.Request{
		Project: t.TempDir(), WorkDir: ".", IODir: ".digdag/tmp/x",
		Args: []string{"/bin/sh", "-c", text}, Output: out,
	}
}

func newLocal(options command.LocalOptions) *command.Local {
	if options.Env == nil {
		options.Env = os.Environ()
	}
	return command.NewLocal(options)
}

// Operators 3.1, 3.2, 4.2: what a command sees, prints and ends with.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, output string
		exit               int
	}{
		{name: "nothing", text: "", output: ""},
		{name: "merged output", text: "echo out; echo err >&2; echo out again", output: "out\nerr\nout again\n"},
		{name: "no new line", text: "printf 'no newline'", output: "no newline"},
		{name: "bytes that are not UTF-8", text: `printf '\377\376\000x'`, output: "\xff\xfe\x00x"},
		{name: "exit code", text: "exit 7", exit: 7},
		{name: "exit code is cut to a byte", text: "exit 256", exit: 0},
		{name: "killed", text: "kill -9 $$", exit: 137},
		{name: "terminated", text: "kill -15 $$", exit: 143},
		{name: "empty input", text: "cat; echo end", output: "end\n"},
		{name: "variable", text: `echo "$own"`, output: "it's \"own\"\n"},
		{name: "inherited variable", text: `echo "$base"`, output: "from the process\n"},
		{name: "replaced variable", text: `echo "$both"`, output: "of the request\n"},
		{name: "output closed before the end", text: "echo x; exec >&- 2>&-; exit 3", output: "x\n", exit: 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			local := newLocal(command.LocalOptions{Env: []string{
				"PATH=" + os.Getenv("PATH"), "base=first", "base=from the process", "both=of the process",
			}})
			var out bytes.Buffer
			request := sh(t, c.text, &out)
			request.Env = []string{`own=it's "own"`, "both=of the request"}
			status, err := local.Run(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			status.Usage = trowel.Usage{}
			want := command.Status{Finished: true, ExitCode: c.exit, IODir: ".digdag/tmp/x"}
			if diff := cmp.Diff(want, status); diff != "" {
				t.Errorf("Run(%s): status differs (-want +got):\n%s", c.text, diff)
			}
			if got := out.String(); got != c.output {
				t.Errorf("Run(%s): output = %q, want %q", c.text, got, c.output)
			}
		})
	}
}

func TestRunInWorkDir(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	request := sh(t, "pwd", &out)
	request.WorkDir = "a/b"
	dir := filepath.Join(request.Project, "a", "b")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if _, err := newLocal(command.LocalOptions{}).Run(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(out.String()); got != dir {
		t.Errorf("pwd = %q, want %q", got, dir)
	}
}

// A program is found as execvp(3) finds it: in PATH of the process, or relative to the working
// directory; a script without "#!" is run by /bin/sh.
func TestRunFindsPrograms(t *testing.T) {
	t.Parallel()
	write := func(path, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	project := t.TempDir()
	write(filepath.Join(project, "bin", "tool"), "#!/bin/sh\necho \"tool $0 $1\"\n", 0o755)
	write(filepath.Join(project, "bin", "bare"), "echo \"bare $1\"\n", 0o755)
	write(filepath.Join(project, "first", "tool"), "#!/bin/sh\necho first\n", 0o644)
	write(filepath.Join(project, "second", "tool"), "#!/bin/sh\necho second\n", 0o755)
	path := "PATH=" + filepath.Join(project, "first") + ":" + filepath.Join(project, "second") + ":/bin:/usr/bin"
	for _, c := range []struct {
		name, output string
		args         []string
	}{
		{"in PATH, not executable ones skipped", "second\n", []string{"tool"}},
		{"relative", "tool ./bin/tool x\n", []string{"./bin/tool", "x"}},
		{"relative without dot", "tool bin/tool x\n", []string{"bin/tool", "x"}},
		{"without #!", "bare y\n", []string{"bin/bare", "y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			_, err := newLocal(command.LocalOptions{Env: []string{path}}).Run(t.Context(), &command.Request{
				Project: project, WorkDir: ".", Args: c.args, Output: &out,
				Env: []string{"PATH=/nowhere"}, // of no matter for the search
			})
			if err != nil || out.String() != c.output {
				t.Errorf("Run(%q): output = %q, error = %v, want %q", c.args, out.String(), err, c.output)
			}
		})
	}
}

// Operators 3.2: the text about a command that cannot be started.
func TestRunStartErrors(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	if err := os.WriteFile(filepath.Join(project, "plain"), []byte("true"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, program, workDir, want string
	}{
		{"not in PATH", "no-such-program", ".", "error=2, No such file or directory"},
		{"empty", "", ".", "error=2, No such file or directory"},
		{"no such file", "./nope", ".", "error=2, No such file or directory"},
		{"not executable", "./plain", ".", "error=13, Permission denied"},
		{"a folder", "/", ".", "error=13, Permission denied"},
		{"no such folder to run in", "/bin/sh", "nope", "error=2, No such file or directory"},
		{"a file to run in", "/bin/sh", "plain", "error=20, Not a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			request := &command.Request{Project: project, WorkDir: c.workDir, Args: []string{c.program}, Output: io.Discard}
			_, err := newLocal(command.LocalOptions{}).Run(t.Context(), request)
			if _, ok := errors.AsType[*command.StartError](err); !ok {
				t.Fatalf("Run(%q): error = %v, want a StartError", c.program, err)
			}
			want := `java.io.IOException: Cannot run program "` + c.program + `" (in directory "` + request.Dir() + `"): ` + c.want
			if err.Error() != want {
				t.Errorf("Run(%q): error = %q, want %q", c.program, err, want)
			}
		})
	}
}

// The environment may be too large for the system; that is a start error like others.
func TestRunTooLargeEnvironment(t *testing.T) {
	t.Parallel()
	request := sh(t, "true", io.Discard)
	request.Env = []string{"huge=" + strings.Repeat("x", 4<<20)}
	_, err := newLocal(command.LocalOptions{}).Run(t.Context(), request)
	if err == nil || !strings.HasSuffix(err.Error(), "error=7, Argument list too long") {
		t.Errorf("Run with a huge variable: error = %v, want E2BIG", err)
	}
}

// failing is a writer whose disk is full after the first write.
type failing struct{ written int }

var errFull = errors.New("no space left on device")

func (f *failing) Write(p []byte) (int, error) {
	if f.written > 0 {
		return 0, errFull
	}
	f.written += len(p)
	return len(p), nil
}

// Output that cannot be written is an error, but the command runs to its end undisturbed.
func TestRunWriteError(t *testing.T) {
	t.Parallel()
	request := sh(t, `i=0; while [ $i -lt 2000 ]; do echo "a line of some output $i" || exit 9; i=$((i + 1)); done; echo x > done`, &failing{})
	_, err := newLocal(command.LocalOptions{}).Run(t.Context(), request)
	if !errors.Is(err, errFull) {
		t.Errorf("Run: error = %v, want %v", err, errFull)
	}
	if _, err := os.Stat(filepath.Join(request.Project, "done")); err != nil {
		t.Errorf("the command was disturbed: %v", err)
	}
}

// counter counts bytes.
type counter struct{ bytes int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	return len(p), nil
}

// Any amount of output flows through a buffer of fixed size.
//
//nolint:paralleltest // measures what is allocated
func TestRunMuchOutput(t *testing.T) {
	const megabytes = 256
	var out counter
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := newLocal(command.LocalOptions{}).Run(t.Context(), sh(t, "head -c 268435456 /dev/zero", &out)); err != nil {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if out.bytes != megabytes<<20 {
		t.Errorf("got %d bytes, want %d", out.bytes, megabytes<<20)
	}
	if allocated := (after.TotalAlloc - before.TotalAlloc) >> 20; allocated > megabytes/4 { // the looks at processes take some
		t.Errorf("%d MiB allocated for %d of output", allocated, megabytes)
	}
}

func TestPollIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := newLocal(command.LocalOptions{}).Poll(t.Context(), &command.Request{}, nil); err == nil {
		t.Error("Poll: no error, want one: local commands are never left running")
	}
}

// A file that a command leaves may have holes, and say that it is larger than memory.
func TestReadFileHasLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for size, want := range map[int64]string{1 << 10: "", 1 << 40: "result is larger than 32 MiB"} {
		path := filepath.Join(dir, "result")
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, size)); err != nil {
			t.Skip(err)
		}
		status := command.Status{IODir: "."}
		data, err := status.ReadFile(dir, "result")
		if text := fmt.Sprint(err); want == "" && (err != nil || len(data) != int(size)) || want != "" && text != want {
			t.Errorf("a file of %d bytes: %d bytes, error %v; want %q", size, len(data), err, want)
		}
	}
}
