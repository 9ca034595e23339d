package clitest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/version"
)

// Console is a place to run commands in: an empty working folder and an empty home folder.
type Console struct {
	t        *testing.T
	Dir      string            // working folder
	Home     string            // home folder of the user
	Environ  []string          // KEY=VALUE each
	Stdin    string            // what commands read from standard input
	Program  string            // the name by which the program is called
	Commands cmd.Program       // the program
	Answers  map[string]string // what the user types, by prompt
}

// Outcome is what a command did.
type Outcome struct {
	Exit           int // exit code
	Stdout, Stderr string
}

// New returns a console of a program.
func New(t *testing.T, p cmd.Program) *Console {
	t.Helper()
	root := t.TempDir()
	c := &Console{t: t, Dir: filepath.Join(root, "work"), Home: filepath.Join(root, "home"), Program: "trowel", Commands: p}
	for _, dir := range []string{c.Dir, c.Home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c.Environ = []string{"HOME=" + c.Home, "USERPROFILE=" + c.Home}
	return c
}

// Env returns the Env of one command line, and the buffers it writes to.
func (c *Console) Env(args ...string) (env cmd.Env, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	zone := time.FixedZone("", 9*60*60)
	return cmd.Env{
		Args: append([]string{c.Program}, args...), Stdin: strings.NewReader(c.Stdin), Stdout: stdout, Stderr: stderr,
		Dir: c.Dir, Environ: c.Environ, Now: func() time.Time { return time.Date(2024, 1, 2, 3, 4, 5, 0, zone) },
		AskSecret: func(prompt string) (string, error) {
			if answer, ok := c.Answers[prompt]; ok {
				return answer, nil
			}
			return "", errors.New("there is no terminal to ask on")
		},
	}, stdout, stderr
}

// Exec runs a command line in an environment that env returned, and returns its exit code.
func (c *Console) Exec(env cmd.Env) int {
	c.t.Helper()
	return cmd.Run(c.t.Context(), env, c.Commands)
}

// Run runs one command line. It removes the banner, which only one test looks at.
func (c *Console) Run(args ...string) Outcome {
	c.t.Helper()
	env, stdout, stderr := c.Env(args...)
	exit := c.Exec(env)
	return Outcome{exit, stdout.String(), strings.TrimPrefix(stderr.String(), TestBanner)}
}

// TestBanner is the banner of a console.
const TestBanner = "2024-01-02 03:04:05 +0900: Trowel v" + version.Number + "\n"

// Call reads a command line without running its command.
func (c *Console) Call(args ...string) *cmd.Call {
	c.t.Helper()
	env, _, _ := c.Env(args...)
	// Commands without Run can be parsed too.
	read, err := cmd.Read(env, c.Commands)
	if wrong, ok := errors.AsType[*cmd.ComplaintError](err); ok && !strings.Contains(wrong.Text, "not part of") {
		c.t.Fatalf("read %q: %v", args, err)
	}
	if read.ConfigPath == "" {
		read.ConfigPath = read.Args.Text("--config")
	}
	return read
}

func (c *Console) Write(name, content string) {
	c.t.Helper()
	path := filepath.Join(c.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func (c *Console) Read(name string) string {
	c.t.Helper()
	data, err := os.ReadFile(filepath.Join(c.Dir, name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}
