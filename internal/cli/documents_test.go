//go:build unix

package cli_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/command/docker/dockertest"
	"github.com/trowel-project/trowel/internal/store/storetest/pgtest"
)

// Pages of the documentation show workflows and commands. TestDocuments runs them, each page from top to bottom
// in its own folder and shell, and compares the output:
//
//   - A fence `yaml` whose first line is `# FILE.dig` is written to that file. One without a name is a workflow by itself, and
//     `trowel check` must find nothing wrong with it. `yaml wrong` marks one that is shown for its mistake.
//   - A fence of another language whose first line is `# FILE`, `// FILE` or `-- FILE` is written too.
//   - A fence `console` has commands behind `$ `, which may start servers with `&`: of trowel, or on the ports PORT and MAIL_PORT. A PostgreSQL listens on PGPORT if the page names it. What stands below must be printed, line by line in this order; a line `...`
//     stands for any lines, and `...` at the end of a line for its rest. `[exit 1]` is the exit status, without it 0.
//   - Other fences are ignored.
func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"../../docs/tutorial.md", "../../docs/reference/*.md", "../../examples/README.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s: no such page, %v", pattern, err)
		}
		for _, page := range pages {
			t.Run(filepath.Base(filepath.Dir(page))+"/"+filepath.Base(page), func(t *testing.T) {
				t.Parallel()
				playPage(t, page, nil)
			})
		}
	}
}

// The page about containers is played with a Docker engine, which has the images that it names.
func TestContainerDocument(t *testing.T) {
	t.Parallel()
	engine := dockertest.Own(t).WithPython(t)
	for image, name := range map[string]string{dockertest.Busybox: "busybox:1", dockertest.Python: "python:3"} {
		if _, err := engine.Docker(t.Context(), "tag", image, name); err != nil {
			t.Fatal(err)
		}
	}
	playPage(t, "../../docs/containers.md", []string{"DOCKER_HOST=" + engine.Host, "PATH=" + engine.Path()})
}

// Every example is shown on its page, so that it is run.
func TestExamplesAreShown(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../examples/README.md")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "README.md" || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if text := string(page); !strings.Contains(text, "("+e.Name()+")") || !strings.Contains(text, "\n## "+e.Name()+"\n\n") {
			t.Errorf("examples/README.md has no link to %s, or no section that runs it", e.Name())
		}
	}
}

// fence is a block of code of a page.
type fence struct {
	line int // number of its first line of code
	info string
	code []string
}

var fileName = regexp.MustCompile(`^(?:#|//|--) ([\w./-]+\.\w+)$`)

// file returns the name that the first line gives.
func (f fence) file() string {
	if len(f.code) == 0 {
		return ""
	}
	if m := fileName.FindStringSubmatch(f.code[0]); m != nil {
		return m[1]
	}
	return ""
}

func playPage(t *testing.T, page string, environ []string) {
	t.Helper()
	folder := t.TempDir()
	if examples := filepath.Dir(page); filepath.Base(examples) == "examples" {
		copyFolder(t, examples, folder)
	}
	s := newShell(t, folder, environ)
	if text, err := os.ReadFile(page); err != nil || strings.Contains(string(text), "PGPORT") {
		if exit, _ := s.run(fmt.Sprintf("export PGPORT=%d", pgtest.Start(t).Options().Port)); exit != 0 || err != nil {
			t.Fatalf("set PGPORT: exit %d, %v", exit, err)
		}
	}
	snippets := 0
	for _, f := range fences(t, page) {
		where := fmt.Sprintf("%s:%d", page, f.line)
		name := f.file()
		switch {
		case f.info == "console":
			s.play(where, f.code)
		case name != "":
			path := filepath.Join(folder, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(strings.Join(f.code, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		case f.info == "yaml":
			snippets++
			snippet := filepath.Join(t.TempDir(), "snippet.dig")
			if err := os.WriteFile(snippet, []byte(strings.Join(f.code, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			exit, output := s.run("cd " + filepath.Dir(snippet) + " && trowel check 2>&1; code=$?; cd " + folder + "; (exit $code)")
			if exit != 0 || strings.Contains(output, "snippet.dig:") {
				t.Errorf("%s: the workflow is not sound:\n%s", where, output)
			}
		}
	}
}

// copyFolder copies a folder without files that earlier runs have left in it.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{".digdag", "*/.digdag", "*/data"} {
		left, err := filepath.Glob(filepath.Join(to, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range left {
			if err := os.RemoveAll(folder); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// fences reads the blocks of code of a page.
func fences(t *testing.T, page string) []fence {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var all []fence
	var open *fence
	for i, line := range strings.Split(string(text), "\n") {
		info, isMark := strings.CutPrefix(line, "```")
		switch {
		case isMark && open == nil:
			open = &fence{line: i + 2, info: strings.TrimSpace(info)}
		case isMark:
			all = append(all, *open)
			open = nil
		case open != nil:
			open.code = append(open.code, line)
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: the block of code has no end", page, open.line-1)
	}
	return all
}

// shell is a POSIX shell with trowel on its path, an empty home, and a port of its own for a server.
type shell struct {
	t      *testing.T
	stdin  io.Writer
	output *bufio.Reader
	ports  map[string]string // by the variable that commands use; "" for trowel's server
}

func newShell(t *testing.T, folder string, environ []string) *shell {
	t.Helper()
	home := t.TempDir()
	ports := map[string]string{"": freePort(t), "PORT": freePort(t), "MAIL_PORT": freePort(t)}
	settings := "server.port = " + ports[""] + "\nclient.http.endpoint = 127.0.0.1:" + ports[""] + "\n"
	if err := os.MkdirAll(filepath.Join(home, ".config", "trowel"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".config", "trowel", "config"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh")
	cmd.Dir = folder
	cmd.Env = []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TZ=UTC", "TMPDIR=" + t.TempDir(),
		"PORT=" + ports["PORT"], "MAIL_PORT=" + ports["MAIL_PORT"], "GOCOVERDIR=" + os.Getenv("GOCOVERDIR"),
	}
	cmd.Env = append(cmd.Env, environ...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = write, write
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close() // the shell has it now
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) // servers in the background
		_ = stdin.Close()
		_ = cmd.Wait() // its exit status is that of the last command
		_ = read.Close()
	})
	return &shell{t: t, stdin: stdin, output: bufio.NewReader(read), ports: ports}
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // a test
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

const endMark = "@@end@@"

// run runs a command and returns its exit status and all that it printed.
func (s *shell) run(command string) (exit int, output string) {
	s.t.Helper()
	if _, err := fmt.Fprintf(s.stdin, "%s\nprintf '\\n%s %%d\\n' $?\n", command, endMark); err != nil {
		s.t.Fatalf("%s: %v", command, err)
	}
	var text strings.Builder
	for {
		line, err := s.output.ReadString('\n')
		if err != nil {
			s.t.Fatalf("%s: the shell ended: %v\n%s", command, err, text.String())
		}
		if code, ok := strings.CutPrefix(strings.TrimSpace(line), endMark+" "); ok {
			exit, err = strconv.Atoi(code)
			if err != nil {
				s.t.Fatal(err)
			}
			return exit, text.String()
		}
		text.WriteString(line)
	}
}

// play runs the commands of a fence and compares what they print.
func (s *shell) play(where string, lines []string) {
	s.t.Helper()
	for i := 0; i < len(lines); {
		command, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			s.t.Fatalf("%s: a line of output without a command: %s", where, lines[i])
		}
		i++
		for strings.HasSuffix(command, `\`) && i < len(lines) {
			command += "\n" + strings.TrimPrefix(lines[i], "> ")
			i++
		}
		var wanted []string
		wantExit := 0
		for ; i < len(lines) && !strings.HasPrefix(lines[i], "$ "); i++ {
			if n, err := fmt.Sscanf(lines[i], "[exit %d]", &wantExit); n == 1 && err == nil {
				continue
			}
			if strings.TrimSpace(lines[i]) != "" && lines[i] != "..." {
				wanted = append(wanted, lines[i])
			}
		}
		exit, output := s.run(command)
		if strings.HasSuffix(command, "&") {
			s.awaitServer(command)
		}
		if exit != wantExit {
			s.t.Fatalf("%s: $ %s: exit %d, want %d:\n%s", where, command, exit, wantExit, output)
		}
		if missing := missingLine(output, wanted); missing != "" {
			s.t.Fatalf("%s: $ %s does not print, or not in this order: %s\nit prints:\n%s", where, command, missing, output)
		}
	}
}

// missingLine returns the first wanted line that was not printed after those before it; empty if all were.
func missingLine(output string, wanted []string) string {
	printed := strings.Split(output, "\n")
	for _, want := range wanted {
		start, cut := strings.CutSuffix(strings.TrimSpace(want), "...")
		for {
			if len(printed) == 0 {
				return want
			}
			line := strings.TrimSpace(printed[0])
			printed = printed[1:]
			if line == start || cut && strings.HasPrefix(line, start) {
				break
			}
		}
	}
	return ""
}

// awaitServer waits until a server in the background answers.
func (s *shell) awaitServer(command string) {
	s.t.Helper()
	port := s.ports[""]
	for name := range s.ports {
		if name != "" && strings.Contains(command, "${"+name+":") {
			port = s.ports[name]
		}
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), 60*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-ctx.Done():
			s.t.Fatalf("%s: nobody answers on port %s: %v", command, port, err)
		case <-tick.C:
		}
	}
}
