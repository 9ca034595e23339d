package clitest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/cli/cmd"
)

// Case is a command line, the answers of the server, and what is expected.
type Case struct {
	Name    string  // name of the test
	Args    string  // separated by blanks
	Known   Answers // of the server
	Stdin   string
	Exit    int // expected, like Stdout and Stderr
	Stdout  string
	Stderr  string
	Asked   []string // requests, except the check of versions
	AnyText bool     // stdout is not compared
}

// RunCases runs command lines of a program against servers with fixed answers.
func RunCases(t *testing.T, p cmd.Program, cases []Case) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			t.Parallel()
			server := NewAPI(t, tc.Known)
			c := New(t, p)
			c.Stdin = tc.Stdin
			c.Write("p.yml", "x: 1\nlist: [1]\n")
			c.Write("w.dig", "+a:\n  echo>: a\n")
			args := strings.Fields(tc.Args)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "_", " ")
			}
			got := c.Run(append(args, "-e", server.URL)...)
			got.Stdout, got.Stderr = strings.ReplaceAll(got.Stdout, server.URL, "SERVER"), strings.ReplaceAll(got.Stderr, server.URL, "SERVER")
			if got.Exit != tc.Exit {
				t.Errorf("exit = %d, want %d", got.Exit, tc.Exit)
			}
			if diff := cmp.Diff(tc.Stdout, got.Stdout); diff != "" && !tc.AnyText {
				t.Errorf("stdout (-want +got):\n%s", diff)
			}
			if !Matches(tc.Stderr, got.Stderr) {
				t.Errorf("stderr = %q, want %q", got.Stderr, tc.Stderr)
			}
			if diff := cmp.Diff(tc.Asked, server.Asked); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// Matches compares a text with an expected one, where ... stands for any text.
func Matches(want, got string) bool {
	const gap = "\n..."
	parts := strings.Split(want, gap)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile(`(?s)^` + strings.Join(parts, "\n.*") + `$`).MatchString(got)
}
