package docker

import (
	"context"
	"log/slog"
	"regexp"
	"strings"
)

// explain logs what can be done about an exit code that the client itself has given. A command may have ended with the same
// code, so the client must have printed its reason.
func (c *container) explain(ctx context.Context, exit int, output string) {
	if exit < exitEngine || exit > exitNotFound {
		return
	}
	reason := clientError(output)
	if reason == "" {
		return
	}
	text := "the engine could not run the container"
	for _, known := range reasons() {
		if known.match.MatchString(reason) {
			text = known.text
			break
		}
	}
	program := ""
	if len(c.request.Args) > 0 {
		program = c.request.Args[0]
	}
	c.log.ErrorContext(ctx, text, slog.String("image", c.options.image), slog.String("client", c.options.client), slog.String("program", program)) //nolint:sloglint // one of few texts
}

// clientError returns what a client has printed about an error; empty for nothing.
func clientError(output string) (found string) {
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "docker: ") || strings.HasPrefix(line, "Error") {
			found += line
		}
	}
	return found
}

// reason is what a client's error means.
type reason struct {
	match *regexp.Regexp
	text  string
}

func reasons() []reason {
	return []reason{
		{
			regexp.MustCompile(`(?i)get "?https?://[^"]*/v2/|pull access denied|manifest (for .* )?(not found|unknown)|repository .*not (exist|found)|no such image|denied: requested access|name unknown`),
			"the engine has no such image and cannot pull it; check its name and tag, and that the engine may read the registry",
		},
		{
			regexp.MustCompile(`(?i)cannot connect to the docker daemon|error during connect|unable to connect to Podman|connection refused`),
			"the container engine does not answer; check that it runs and, with DOCKER_HOST, where the client looks for it",
		},
		{
			regexp.MustCompile(`(?i)permission denied while trying to connect|dial unix .*permission denied`),
			"the user of commands may not use the container engine; with Docker it must belong to the group docker",
		},
		{
			regexp.MustCompile(`(?i)executable file .*not found|exec: .*no such file or directory|stat .*no such file or directory|not found in \$PATH`),
			"the image has no such program; choose another image, or name a program that it has (sh>: shell, py>: python, rb>: ruby)",
		},
		{regexp.MustCompile(`(?i)name .* is already in use`), "another container has the name that run_options gives"},
		{regexp.MustCompile(`(?i)permission denied`), "the program of the command cannot be run in the container"},
	}
}
