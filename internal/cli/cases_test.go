package cli

import (
	"cmp"
	"regexp"
	"strings"
	"testing"
)

// remoteCase is a command line and what it does on a server.
type remoteCase struct {
	name    string
	args    string // separated by blanks
	known   answers
	stdin   string
	exit    int
	stdout  string
	stderr  string
	asked   []string // but for the check of versions
	anyText bool     // stdout is not compared
}

// runRemoteCases runs command lines of a program against servers of fixed answers.
func runRemoteCases(t *testing.T, p program, cases []remoteCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server := newAPI(t, tc.known)
			c := newConsoleOf(t, p)
			c.stdin = tc.stdin
			c.write("p.yml", "x: 1\nlist: [1]\n")
			c.write("w.dig", "+a:\n  echo>: a\n")
			args := strings.Fields(tc.args)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "_", " ")
			}
			got := c.run(append(args, "-e", server.url)...)
			got.stdout, got.stderr = strings.ReplaceAll(got.stdout, server.url, "SERVER"), strings.ReplaceAll(got.stderr, server.url, "SERVER")
			if got.exit != tc.exit {
				t.Errorf("exit = %d, want %d", got.exit, tc.exit)
			}
			if diff := cmp.Diff(tc.stdout, got.stdout); diff != "" && !tc.anyText {
				t.Errorf("stdout (-want +got):\n%s", diff)
			}
			if !matches(tc.stderr, got.stderr) {
				t.Errorf("stderr = %q, want %q", got.stderr, tc.stderr)
			}
			if diff := cmp.Diff(tc.asked, server.asked); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// matches compares a text with an expected one, where ... stands for any text.
func matches(want, got string) bool {
	const gap = "\n..."
	parts := strings.Split(want, gap)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile(`(?s)^` + strings.Join(parts, "\n.*") + `$`).MatchString(got)
}
