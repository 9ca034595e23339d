package docker

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/wait"
)

// idFile is the file in the folder of a command to which the client writes the id of the container.
const idFile = "container.id"

// Pauses between two looks at what a container uses. They grow, so that there are figures of short commands, too.
const (
	firstLook = 20 * time.Millisecond
	lastLook  = 250 * time.Millisecond
)

// watcher measures what a container uses, as long as it runs on this machine: it reads the control groups that the engine
// has made for it, which are gone with the container. Without them it measures nothing.
type watcher struct {
	container *container
	cancel    context.CancelFunc
	done      chan struct{}

	usage     trowel.Usage
	processes bool // the limit of processes was met
}

// watchUsage begins to measure the container, which may not have started yet.
func (c *container) watchUsage(ctx context.Context) *watcher {
	w := &watcher{container: c, done: make(chan struct{})}
	ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(w.done)
		w.run(ctx)
	}()
	return w
}

// end ends the measurement.
func (w *watcher) end() {
	w.cancel()
	<-w.done
	os.Remove(w.container.idPath()) //nolint:errcheck,gosec // it goes with the folder of the command at the latest
}

func (w *watcher) run(ctx context.Context) {
	var group *controlGroup
	for pause := firstLook; wait.Sleep(ctx, pause) == nil; pause = min(2*pause, lastLook) {
		if group == nil {
			if id := w.container.id(); id != "" {
				group = findGroup(id)
			}
		}
		if group != nil {
			group.read(&w.usage, &w.processes)
		}
	}
}

func (c *container) idPath() string {
	return filepath.Join(c.request.Project, filepath.FromSlash(c.request.IODir), idFile)
}

// id returns the id of the container; empty before the engine has made it.
func (c *container) id() string {
	status := command.Status{IODir: c.request.IODir, Foreign: true} // the client may run as another user
	text, err := status.ReadFile(c.request.Project, idFile)
	if id := strings.TrimSpace(string(text)); err == nil && wholeID().MatchString(id) {
		return id
	}
	return ""
}

func wholeID() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) }
