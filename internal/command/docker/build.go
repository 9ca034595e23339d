package docker

import (
	"context"
	"crypto/sha1" //nolint:gosec // Digdag's name of an image
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

// prepare returns the image to run, after it was pulled or built if that is asked for.
func (c *container) prepare(ctx context.Context) (string, error) {
	if !c.options.buildsOwn && !c.options.pullAlways {
		return c.options.image, nil
	}
	if c.started != nil {
		c.started() // other commands need not wait for that
	}
	if c.options.buildsOwn {
		return c.buildImage(ctx)
	}
	return c.options.image, c.toldCall(ctx, "", "Docker pull failed", "pull", c.options.image)
}

// builds makes the tasks of this process that need the same image wait for the one that builds it. It is safe for concurrent
// use.
type builds struct {
	mu     sync.Mutex
	images map[string]chan struct{} // full while somebody builds the image
}

// lock waits until nobody builds an image, or the context ends.
func (b *builds) lock(ctx context.Context, image string) (unlock func(), err error) {
	b.mu.Lock()
	one := b.images[image]
	if one == nil {
		one = make(chan struct{}, 1)
		if b.images == nil {
			b.images = map[string]chan struct{}{}
		}
		b.images[image] = one
	}
	b.mu.Unlock()
	select {
	case one <- struct{}{}:
		return func() { <-one }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// buildImage returns the image of the project, which it builds unless the engine has it (operators 4.3).
func (c *container) buildImage(ctx context.Context) (string, error) {
	repository, tag := c.imageName()
	name := repository + ":" + tag
	unlock, err := c.executor.builds.lock(ctx, name)
	if err != nil {
		return "", err
	}
	defer unlock()
	images, exit, err := c.client.call(ctx, "images")
	if ctx.Err() != nil {
		return "", err
	}
	if err == nil && exit == 0 && hasImage(images, repository, tag) {
		return name, nil
	}
	file := filepath.Join(c.projectTemp(), "docker", "Dockerfile."+repository+"."+tag)
	if err := writeDockerfile(file, c.options); err != nil {
		return "", fmt.Errorf("write the Dockerfile: %w", err)
	}
	args := append([]string{"build"}, c.options.buildWith...)
	args = append(args, "-f", file, "--force-rm", "-t", name, c.request.Project)
	return name, c.toldCall(ctx, c.request.Project, "Docker build failed", args...)
}

// imageName returns the name of the project's image. It belongs to one revision of one project.
func (c *container) imageName() (repository, tag string) {
	revision := c.request.Try.Revision
	if revision == "" {
		revision = uuid.NewString()
	}
	lines := make(param.List, len(c.options.build))
	for i, line := range c.options.build {
		lines[i] = line
	}
	sum := sha1.Sum([]byte(param.JSON(param.Of("image", c.options.image, "build", lines, "revision", revision)))) //nolint:gosec // as above
	return fmt.Sprintf("digdag-project-%d", c.request.Try.Project), hex.EncodeToString(sum[:])
}

// hasImage looks for an image in what "docker images" printed. Podman puts its host before the names of images that it has
// built, and newer versions of Docker print name and tag as one word.
func hasImage(images, repository, tag string) bool {
	_, rows, _ := strings.Cut(images, "\n") // without the heading
	for row := range strings.Lines(rows) {
		words := strings.Fields(row)
		if len(words) == 0 {
			continue
		}
		name := strings.TrimPrefix(words[0], "localhost/")
		if name == repository+":"+tag || len(words) > 1 && name == repository && words[1] == tag {
			return true
		}
	}
	return false
}

// writeDockerfile writes a file with one RUN for each line of the entries of build.
func writeDockerfile(path string, o *options) error {
	var text strings.Builder
	text.WriteString("FROM " + o.image + "\n")
	for _, entry := range o.build {
		for line := range strings.SplitSeq(entry, "\n") {
			if strings.TrimSpace(line) != "" {
				text.WriteString("RUN " + line + "\n")
			}
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // the client may run as another user
		return err
	}
	return os.WriteFile(path, []byte(text.String()), 0o644) //nolint:gosec // as above
}

// toldCall calls the client to prepare an image, in a directory of the project or outside of it. What it prints goes to the log
// of the task, line by line, not to the task's own output (operators 4.3).
func (c *container) toldCall(ctx context.Context, dir, failed string, args ...string) error {
	lines := &lineLog{log: func(line string) { c.log.InfoContext(ctx, c.options.client+": "+line) }} //nolint:sloglint // a line of a program
	var exit int
	var err error
	if args = append([]string{c.options.client}, args...); dir == "" {
		exit, err = c.client.local.Call(ctx, nil, args, lines)
	} else {
		var status command.Status
		status, err = c.client.local.Run(ctx, &command.Request{Project: dir, WorkDir: ".", Args: args, Output: lines, Log: c.log})
		exit = status.ExitCode
	}
	lines.end()
	switch {
	case err != nil:
		return err
	case exit != 0:
		return &command.Error{Kind: "runtime", Message: failed}
	}
	return nil
}

// lineLog calls log with each line that is written.
type lineLog struct {
	log  func(line string)
	rest []byte
}

// Write implements io.Writer.
func (l *lineLog) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, found := strings.Cut(string(l.rest), "\n")
		if !found {
			return len(p), nil
		}
		l.say(line)
		l.rest = []byte(rest)
	}
}

// end logs an unfinished line.
func (l *lineLog) end() { l.say(string(l.rest)) }

func (l *lineLog) say(line string) {
	if line = strings.TrimRight(line, "\r \t"); line != "" {
		l.log(line)
	}
}
