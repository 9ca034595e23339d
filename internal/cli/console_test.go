package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/version"
)

// console is a place to run commands in: an empty folder, and a home that has nothing in it.
type console struct {
	t        *testing.T
	dir      string // working folder
	home     string
	environ  []string
	stdin    string
	program  string // the name by which it was called
	commands program
	answers  map[string]string // to prompts
}

// outcome is what a command did.
type outcome struct {
	exit           int
	stdout, stderr string
}

// newConsoleOf returns a console of a program.
func newConsoleOf(t *testing.T, p program) *console {
	t.Helper()
	root := t.TempDir()
	c := &console{t: t, dir: filepath.Join(root, "work"), home: filepath.Join(root, "home"), program: "trowel", commands: p}
	for _, dir := range []string{c.dir, c.home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c.environ = []string{"HOME=" + c.home, "USERPROFILE=" + c.home}
	return c
}

// env is the Env of one command line, and the buffers it writes to.
func (c *console) env(args ...string) (env Env, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	zone := time.FixedZone("", 9*60*60)
	return Env{
		Args: append([]string{c.program}, args...), Stdin: strings.NewReader(c.stdin), Stdout: stdout, Stderr: stderr,
		Dir: c.dir, Environ: c.environ, Now: func() time.Time { return time.Date(2024, 1, 2, 3, 4, 5, 0, zone) },
		AskSecret: func(prompt string) (string, error) {
			if answer, ok := c.answers[prompt]; ok {
				return answer, nil
			}
			return "", errors.New("there is no terminal to ask on")
		},
	}, stdout, stderr
}

// exec runs a command line in an environment that env returned, and returns its exit code.
func (c *console) exec(env Env) int {
	c.t.Helper()
	return runProgram(c.t.Context(), env, c.commands)
}

// run runs one command line; its banner, which all tests but one do not care for, is cut off.
func (c *console) run(args ...string) outcome {
	c.t.Helper()
	env, stdout, stderr := c.env(args...)
	exit := c.exec(env)
	return outcome{exit, stdout.String(), strings.TrimPrefix(stderr.String(), testBanner)}
}

const testBanner = "2024-01-02 03:04:05 +0900: Trowel v" + version.Number + "\n"

// call reads a command line without running its command.
func (c *console) call(args ...string) *call {
	c.t.Helper()
	env, _, _ := c.env(args...)
	// Commands of later versions can be read too.
	read, err := readCall(env, c.commands)
	if wrong, ok := errors.AsType[*complaint](err); ok && !strings.Contains(wrong.text, "not part of") {
		c.t.Fatalf("read %q: %v", args, err)
	}
	if read.configPath == "" {
		read.configPath = read.args.text("--config")
	}
	return read
}

func (c *console) write(name, content string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func (c *console) read(name string) string {
	c.t.Helper()
	data, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}
