//go:build unix

package docker_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/commandtest"
	"github.com/trowel-project/trowel/internal/command/docker"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/wait"
)

// fake is a client that notes how it is called and answers as it is told.
type fake struct {
	t      *testing.T
	dir    string
	places []string // texts that calls shows as others
	log    bytes.Buffer
	local  *command.Local
	limits command.Limits
	env    []string
}

// fakeScript writes a call to the file calls, a word a line. answer/WORD is run for a call whose first word that is.
const fakeScript = `#!/bin/sh
here=${0%/*}
{ for word; do printf '%s\n' "$word"; case $last in -e) eval "printf '  in the environment: %s\n' \"\$$word\"";; --env-file) sed 's/^/  in the file: /' "$word";; esac; last=$word; done; echo; } >> "$here/calls"
[ ! -f "$here/answer.$1" ] || . "$here/answer.$1"
`

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{t: t, dir: t.TempDir()}
	f.local = command.NewLocal(command.LocalOptions{Env: append(os.Environ(), "PATH="+f.dir+":"+os.Getenv("PATH"))})
	for _, name := range []string{"docker", "podman"} {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(fakeScript), 0o755); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	return f
}

// answers sets what the client does for a command.
func (f *fake) answers(command, script string) *fake {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, "answer."+command), []byte(script), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return f
}

// run runs a command with a block docker.
func (f *fake) run(block *param.Map) (command.Status, error) {
	f.t.Helper()
	subject := &commandtest.Subject{Params: param.Of("docker", block)}
	r := commandtest.NewRequest(f.t, subject, "true")
	r.Try.Task, r.Limits, r.Env = 7, f.limits, append([]string{}, f.env...)
	r.Log = slog.New(slog.NewTextHandler(&f.log, nil))
	f.places = []string{r.Project, "PROJECT"}
	return docker.New(docker.Options{Local: f.local}).Run(f.t.Context(), r)
}

// calls returns the calls so far, each as one line.
func (f *fake) calls() (calls []string) {
	f.t.Helper()
	data, err := os.ReadFile(filepath.Join(f.dir, "calls"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		f.t.Fatal(err)
	}
	for call := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		words := strings.Split(strings.NewReplacer(f.places...).Replace(call), "\n")
		for i := range words {
			if name, ok := strings.CutPrefix(words[i], "trowel-7-1-"); ok && len(name) == 8 {
				words[i] = "trowel-7-1-RANDOM"
			}
		}
		calls = append(calls, randomRun().ReplaceAllString(strings.Join(words, " "), "trowel.run=RANDOM"))
	}
	return calls
}

func randomRun() *regexp.Regexp { return regexp.MustCompile(`trowel\.run=[a-z2-7]{26}\b`) }

// What stands between "docker run" and its end if nothing is asked for.
const (
	marks = "--name trowel-7-1-RANDOM --cidfile PROJECT/.digdag/tmp/digdag-sh-7-1/container.id --label trowel.try=7-1 --label trowel.task=+main+a"
	mount = "-v PROJECT:PROJECT:rw -w PROJECT"
	words = "/bin/sh .digdag/tmp/digdag-sh-7-1/runner.sh"
)

// Operators 4.3: what the client is called with.
func TestCalls(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		block  *param.Map
		env    []string
		limits command.Limits
		want   []string
	}{
		"image": {block: param.Of("image", "busybox:1"), want: []string{"run --rm " + marks + " " + mount + " busybox:1 " + words}},
		"options": {
			block: param.Of("image", "x", "run_options", param.List{"--ulimit", "nofile=1", int64(3)}, "selinux", true, "pull_always", true),
			want:  []string{"pull x", "run --ulimit nofile=1 3 --rm " + marks + " -v PROJECT:PROJECT:rw,Z -w PROJECT x " + words},
		},
		"a name of the task's own": {
			block: param.Of("image", "x", "run_options", param.List{"--name=mine"}),
			want:  []string{"run --name=mine --rm --name mine --cidfile PROJECT/.digdag/tmp/digdag-sh-7-1/container.id --label trowel.try=7-1 --label trowel.task=+main+a --label trowel.run=RANDOM " + mount + " x " + words},
		},
		"variables": {
			block: param.Of("image", "x"), env: []string{"A=b c", "DOCKER_HOST=tcp://evil", "HTTP_PROXY=http://me:secret@proxy", "LINES=a=b"},
			want: []string{"run --rm " + marks + " " + mount + " -e A   in the environment: b c -e LINES   in the environment: a=b" +
				" --env-file PROJECT/.digdag/tmp/digdag-sh-7-1/variables.env   in the file: DOCKER_HOST=tcp://evil   in the file: HTTP_PROXY=http://me:secret@proxy x " + words},
		},
		"limits": {
			block: param.Of("image", "x", "run_options", param.List{"--memory", "9g"}), limits: command.Limits{Memory: 1 << 20, CPU: 1.5, PIDs: 50, Disk: 5},
			want: []string{
				"run --memory 9g " + marks + " --memory 1048576 --memory-swap 1048576 --cpus 1.5 --pids-limit 50 " + mount + " x " + words,
				"rm -f trowel-7-1-RANDOM",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.env, f.limits = c.env, c.limits
			if status, err := f.run(c.block); err != nil || !status.Finished || status.ExitCode != 0 {
				t.Fatalf("Run = %+v, %v", status, err)
			}
			if diff := cmp.Diff(c.want, f.calls()); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

// The values of variables, which may be secrets, are in no argument, and those that the client itself would heed must be one
// line.
func TestVariableOfTheClient(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.env = []string{"PATH=/a\n/b"}
	_, err := f.run(param.Of("image", "x"))
	if wrong, ok := errors.AsType[*param.Error](err); !ok || !strings.HasPrefix(wrong.Message, "The variable PATH cannot be given to a container") || strings.Contains(wrong.Message, "/b") {
		t.Errorf("Run = %v, want an error that names the variable and not its value", err)
	}
}

// Operators 4.3: an image is built unless the engine has it, once for all tasks of a revision.
func TestBuild(t *testing.T) {
	t.Parallel()
	block := param.Of("image", "busybox:1", "build", param.List{"one", "two\nthree\n"}, "build_options", param.List{"--pull"})
	// The tag is the SHA-1 of the JSON text of image, build and revision.
	const name, tag = "digdag-project-1", "4e2d4edb8e07ffa4933dd96696c859f942e7bec9"
	built := newFake(t)
	if _, err := built.run(block); err != nil {
		t.Fatal(err)
	}
	calls := built.calls()
	if len(calls) != 3 || calls[0] != "images" {
		t.Fatalf("calls = %q, want images, build and run", calls)
	}
	fields := strings.Fields(calls[1])
	image := fields[len(fields)-2]
	file := "PROJECT/.digdag/tmp/docker/Dockerfile." + strings.Replace(image, ":", ".", 1)
	if want := "build --pull -f " + file + " --force-rm -t " + image + " PROJECT"; calls[1] != want || image != name+":"+tag {
		t.Errorf("build = %q, want %q", calls[1], want)
	}
	if !strings.Contains(calls[2], " "+image+" /bin/sh ") {
		t.Errorf("run = %q, want the image %s", calls[2], image)
	}
	text, err := os.ReadFile(strings.Replace(file, "PROJECT", built.places[0], 1))
	if want := "FROM busybox:1\nRUN one\nRUN two\nRUN three\n"; err != nil || string(text) != want {
		t.Errorf("Dockerfile = %q, %v, want %q", text, err, want)
	}
	for output, reuses := range map[string]bool{
		"REPOSITORY TAG ID\n" + strings.Replace(image, ":", "   ", 1) + "   abc\n":       true,
		"REPOSITORY TAG ID\nlocalhost/" + strings.Replace(image, ":", " ", 1) + " abc\n": true,
		"IMAGE ID DISK USAGE\n" + image + "  abc 1MB\n":                                  true,
		strings.Replace(image, ":", " ", 1) + " in the heading\n":                        false,
		"REPOSITORY TAG ID\ndigdag-project-2 " + image[len(name)+1:] + " abc\n":          false,
		"REPOSITORY TAG ID\n" + name + " 0000000000000000000000000000000000000000 abc\n": false,
		"REPOSITORY TAG ID\n\n": false,
	} {
		f := newFake(t).answers("images", "printf '%s' '"+output+"'")
		if _, err := f.run(block); err != nil {
			t.Fatal(err)
		}
		if got := len(f.calls()) == 2; got != reuses {
			t.Errorf("with the images %q the image is used again: %v, want %v", output, got, reuses)
		}
	}
}

// A client that builds an image may change the project. The variables are not written through a link that it leaves.
func TestBuildLeavesLink(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	victim := filepath.Join(f.dir, "victim")
	f.answers("build", "ln -sf "+victim+" .digdag/tmp/digdag-sh-7-1/variables.env")
	f.answers("run", "true").env = []string{"HOME=/planted"}
	if err := os.WriteFile(victim, []byte("as it was"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.run(param.Of("image", "x", "build", param.List{"y"})); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(victim); err != nil || string(got) != "as it was" {
		t.Errorf("the file that the link names = %q, %v, want it as it was", got, err)
	}
	if calls := f.calls(); len(calls) != 3 || !strings.HasPrefix(calls[1], "build ") {
		t.Errorf("calls = %q, want images, build and run", calls)
	}
}

// What the client prints while it prepares an image is in the log of the task, and the error has Digdag's text.
func TestPrepareFails(t *testing.T) {
	t.Parallel()
	for command, c := range map[string]struct {
		block *param.Map
		want  string
	}{
		"build": {param.Of("image", "x", "build", param.List{"y"}), "Docker build failed"},
		"pull":  {param.Of("image", "x", "pull_always", true), "Docker pull failed"},
	} {
		f := newFake(t).answers(command, "echo no such package >&2; exit 2")
		if _, err := f.run(c.block); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", command, err, c.want)
		}
		if !strings.Contains(f.log.String(), "docker: no such package") {
			t.Errorf("%s: log = %s, want the client's reason", command, f.log.String())
		}
	}
}

// The block docker, and what is wrong with it.
func TestOptions(t *testing.T) {
	t.Parallel()
	for want, params := range map[string]*param.Map{
		command.ErrNotAsked.Error():                                              param.Of("x", 1),
		"Parameter 'image' is required but not set":                              param.Of("docker", param.Of("build", param.List{"x"})),
		"Parameter 'docker' must be an object":                                   param.Of("docker", "busybox"),
		`Expected array type for key 'build' but got "apt-get" (string)`:         param.Of("docker", param.Of("image", "x", "build", "apt-get")),
		`Expected 'true' or 'false' for key 'selinux' but got "maybe" (string)`:  param.Of("docker", param.Of("image", "x", "selinux", "maybe")),
		"run_options cannot have --detach: the container must end with its task": param.Of("docker", param.Of("image", "x", "run_options", param.List{"-d"})),
	} {
		r := commandtest.NewRequest(t, &commandtest.Subject{Params: params}, "true")
		_, err := docker.New(docker.Options{Local: newFake(t).local}).Run(t.Context(), r)
		if err == nil || err.Error() != want {
			t.Errorf("Run = %v, want %s", err, want)
		}
	}
}

// The log of the task says what can be done about a container that could not run.
func TestExplain(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"docker: Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?.":                                         "the container engine does not answer",
		"docker: Got permission denied while trying to connect to the Docker daemon socket":                                                "must belong to the group docker",
		"docker: Error response from daemon: pull access denied for x, repository does not exist":                                          "the engine has no such image",
		`docker: Error response from daemon: failed to create task: exec: "/bin/sh": stat /bin/sh: no such file or directory: unknown.`:    "the image has no such program",
		`Error: short-name "x" did not resolve: manifest unknown`:                                                                          "the engine has no such image",
		`docker: Error response from daemon: Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host.`: "the engine has no such image",
		"sh: foo: not found": "",
	} {
		f := newFake(t).answers("run", "echo '"+output+"' >&2; exit 125")
		if status, err := f.run(param.Of("image", "x")); err != nil || status.ExitCode != 125 {
			t.Errorf("Run = %+v, %v, want exit code 125", status, err)
		}
		if got := f.log.String(); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: log = %s, want %q", output, got, want)
		}
	}
}

// A client that is killed, or loses its engine, may leave its container, which is removed.
func TestClientIsGone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		exit    int
		removes bool
	}{{0, false}, {1, false}, {124, false}, {125, true}, {126, false}, {127, false}, {137, true}} {
		f := newFake(t).answers("run", "exit "+strconv.Itoa(c.exit))
		if _, err := f.run(param.Of("image", "x", "docker", "podman")); err != nil {
			t.Fatal(err)
		}
		calls := f.calls()
		if got := len(calls) == 2 && calls[1] == "rm -f trowel-7-1-RANDOM"; got != c.removes {
			t.Errorf("exit code %d: calls %q, removes: %v, want %v", c.exit, calls, got, c.removes)
		}
	}
}

// A name that a task gives may be that of another container, which stays.
func TestOwnNameIsTaken(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("cd", 32)
	const look = "ps -a -q --no-trunc --filter label=trowel.run=RANDOM"
	block := param.Of("image", "x", "run_options", param.List{"--name", "x"})
	f := newFake(t).answers("run", "exit 125")
	if _, err := f.run(block); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{look, look, look}, f.calls()[1:]); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	f = newFake(t).answers("run", "exit 137").answers("ps", `[ -e "$here/removed" ] || echo `+id).answers("rm", `: > "$here/removed"`)
	if _, err := f.run(block); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{look, "rm -f " + id, look}, f.calls()[1:]); diff != "" {
		t.Errorf("calls for the own container (-want +got):\n%s", diff)
	}
}

// Options that only look like --detach are the client's.
func TestDetach(t *testing.T) {
	t.Parallel()
	for option, refused := range map[string]bool{
		"-d": true, "-itd": true, "-dit": true, "-Pd": true, "-d=true": true, "--detach": true, "--detach=true": true,
		"-d=false": false, "--detach=false": false, "--detach-keys=a": false, "-it": false, "--dns=1.1.1.1": false, "-ed=1": false,
	} {
		_, err := newFake(t).run(param.Of("image", "x", "run_options", param.List{option}))
		if got := err != nil && strings.HasPrefix(err.Error(), "run_options cannot have --detach"); got != refused || !refused && err != nil {
			t.Errorf("%s: %v, want it refused: %v", option, err, refused)
		}
	}
}

// A killed task does not wait for the image that another task builds.
func TestKilledWaitingForBuild(t *testing.T) {
	t.Parallel()
	f := newFake(t).answers("build", `: > "$here/building"; while [ ! -e "$here/built" ]; do sleep 0.05; done`)
	executor := docker.New(docker.Options{Local: f.local})
	block := param.Of("docker", param.Of("image", "x", "build", param.List{"y"}))
	first := commandtest.NewRequest(t, &commandtest.Subject{Params: block}, "true")
	second := commandtest.NewRequest(t, &commandtest.Subject{Params: block}, "true")
	built := make(chan error, 1)
	go func() {
		_, err := executor.Run(t.Context(), first)
		built <- err
	}()
	limited, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	for begun := false; !begun; {
		if err := wait.Sleep(limited, 10*time.Millisecond); err != nil {
			t.Fatal("the build does not begin")
		}
		_, err := os.Stat(filepath.Join(f.dir, "building"))
		begun = err == nil
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	second.Started = func() { cancel(command.ErrKill) }
	if _, err := executor.Run(ctx, second); !errors.Is(err, command.ErrKill) {
		t.Errorf("Run = %v, want the cause", err)
	}
	if err := os.WriteFile(filepath.Join(f.dir, "built"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-built; err != nil {
		t.Errorf("the task that built the image: %v", err)
	}
}

// A container that is not there yet when its client is killed is looked for again.
func TestRemoveLooksAgain(t *testing.T) {
	t.Parallel()
	f := newFake(t).answers("run", "exit 137").answers("rm", `echo "Error: No such container: x" >&2; exit 1`)
	if _, err := f.run(param.Of("image", "x")); err != nil || len(f.calls()) != 4 || f.log.Len() != 0 {
		t.Errorf("Run = %v, calls %q, log %s; want three tries to remove it, and nothing said", err, f.calls(), f.log.String())
	}
	f = newFake(t).answers("run", "exit 137").answers("rm", `[ -e "$here/second" ] || { : > "$here/second"; echo "removal is already in progress"; exit 1; }`)
	if _, err := f.run(param.Of("image", "x")); err != nil || len(f.calls()) != 3 {
		t.Errorf("Run = %v, calls %q, want two tries to remove it", err, f.calls())
	}
}

// What an engine that does not answer keeps is removed once it answers, in the next process if need be.
func TestJournal(t *testing.T) {
	t.Parallel()
	f := newFake(t).answers("ps", "echo Cannot connect >&2; exit 1")
	path := filepath.Join(t.TempDir(), "containers")
	log := slog.New(slog.NewTextHandler(&f.log, nil))
	open := func(left []docker.Left) {
		journal, err := docker.OpenJournal(t.Context(), path, left, f.local, log)
		if err != nil {
			t.Fatal(err)
		}
		r := commandtest.NewRequest(t, &commandtest.Subject{Params: param.Of("docker", param.Of("image", "x"))}, "true")
		if _, err := docker.New(docker.Options{Local: f.local, Journal: journal}).Run(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = journal.Close() })
	}
	end := func() []docker.Left {
		left, err := docker.EndLeft(t.Context(), path, f.local, log)
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
	if left := end(); len(left) != 0 {
		t.Errorf("left without a journal: %v", left)
	}
	open(nil)
	first := end()
	if len(first) != 1 || first[0].Client != "docker" || !strings.Contains(f.calls()[0], "--label trowel.process="+first[0].Mark) {
		t.Fatalf("left = %v of an engine that does not answer, calls %q", first, f.calls())
	}
	if want := "docker rm -f $(docker ps -aq --filter label=trowel.process=" + first[0].Mark + ")"; !strings.Contains(f.log.String(), want) {
		t.Errorf("log = %s, want %s", f.log.String(), want)
	}
	open(first)
	if second := end(); len(second) != 2 || second[0] != first[0] || second[1].Mark == first[0].Mark {
		t.Errorf("left = %v, want those of both processes", second)
	}
	id := strings.Repeat("ab", 32)
	f.answers("ps", `echo WARNING: no config >&2; [ -e "$here/removed" ] || echo `+id).answers("rm", `: > "$here/removed"; echo "$3"`)
	if left := end(); len(left) != 0 {
		t.Errorf("left = %v, want nothing", left)
	}
	if calls := strings.Join(f.calls(), "\n"); !strings.Contains(calls, "rm -f "+id) {
		t.Errorf("calls:\n%s\nwant that the container is removed", calls)
	}
}

// An orderly end forgets the containers that could not be removed as little as a crash, and nothing else is remembered.
func TestJournalIsKept(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	path := filepath.Join(t.TempDir(), "containers")
	log := slog.New(slog.NewTextHandler(&f.log, nil))
	cycle := func(client string, left []docker.Left) {
		t.Helper()
		journal, err := docker.OpenJournal(t.Context(), path, left, f.local, log)
		if err != nil {
			t.Fatal(err)
		}
		r := commandtest.NewRequest(t, &commandtest.Subject{Params: param.Of("docker", param.Of("image", "x", "docker", client))}, "true")
		_, err = docker.New(docker.Options{Local: f.local, Journal: journal}).Run(t.Context(), r)
		if err != nil && client == "docker" {
			t.Error(err)
		}
		if err := journal.Close(); err != nil {
			t.Fatal(err)
		}
	}
	noJournal := func(when string) {
		t.Helper()
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("journal %s: %v, want none", when, err)
		}
	}
	cycle("docker", nil)
	noJournal("after an end without containers")
	cycle("no-such-client", nil)
	noJournal("after a client that is not there")

	defer func() { // last, as the client breaks itself
		f.answers("run", `echo '#!/none' > "$here/new"; chmod +x "$here/new"; mv "$here/new" "$here/docker"; exit 125`)
		cycle("docker", nil)
		if text, err := os.ReadFile(path); err != nil || !strings.HasSuffix(string(text), " \"docker\"\n") {
			t.Errorf("journal = %q, %v, want the container that could not be removed", text, err)
		}
	}()
	f.answers("ps", "echo Cannot connect >&2; exit 1")
	earlier := docker.Left{Mark: strings.Repeat("a", 26), Client: "docker"}
	left := []docker.Left{earlier, earlier}
	for range 2 {
		cycle("docker", left)
		var err error
		if left, err = docker.EndLeft(t.Context(), path, f.local, log); err != nil || len(left) != 1 || left[0] != earlier {
			t.Errorf("left = %v, %v, want those of the earlier process alone, once", left, err)
		}
	}
	cycle("docker", []docker.Left{{Mark: earlier.Mark, Client: "no-such-client"}})
	if left, err := docker.EndLeft(t.Context(), path, f.local, log); err != nil || len(left) != 0 {
		t.Errorf("left = %v, %v of a client that is not there, want nothing", left, err)
	}
}

// A killed task ends the client and the container.
func TestKilledBeforeTheContainer(t *testing.T) {
	t.Parallel()
	f := newFake(t).answers("pull", "sleep 60")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(command.ErrKill)
	r := commandtest.NewRequest(t, &commandtest.Subject{Params: param.Of("docker", param.Of("image", "x", "pull_always", true))}, "true")
	if _, err := docker.New(docker.Options{Local: f.local}).Run(ctx, r); !errors.Is(err, command.ErrKill) {
		t.Errorf("Run = %v, want the cause", err)
	}
}
