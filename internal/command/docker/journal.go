package docker

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/wait"
)

// Journal is a file by which the containers of a process are found after that was killed. All of them have a label with its
// mark, so that those of other processes on the same engine are spared. Each line has a mark and a client that has started
// containers with it. It is safe for concurrent use. A nil Journal notes nothing.
type Journal struct {
	path string
	mark string
	stop context.CancelFunc
	ends sync.WaitGroup

	mu    sync.Mutex
	file  *os.File
	noted map[string]bool // clients in the file with the own mark
	stay  []Left          // containers that may still run when this process ends
}

// Left are containers that outlived the process which has started them.
type Left struct {
	Mark   string // value of the label trowel.process
	Client string // program that has started them
}

const (
	// endTime is how long EndLeft waits for the engines.
	endTime = 10 * time.Second
	// endPause is the time between two tries to remove containers of an engine that does not answer.
	endPause = 30 * time.Second
)

// OpenJournal creates a journal. What is left of earlier processes is noted in it, too, and removed as soon as the engine
// answers; local runs the clients for that.
func OpenJournal(ctx context.Context, path string, left []Left, local *command.Local, log *slog.Logger) (*Journal, error) {
	file, err := create(path, left)
	if err != nil {
		return nil, err
	}
	j := &Journal{path: path, mark: strings.ToLower(rand.Text()), file: file, noted: map[string]bool{}}
	ctx, j.stop = context.WithCancel(context.WithoutCancel(ctx))
	if len(left) > 0 {
		j.ends.Go(func() {
			for _, l := range keepEnding(ctx, left, local, log) {
				j.mayStay(l)
			}
		})
	}
	return j, nil
}

// create writes a new file.
func create(path string, left []Left) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	for _, l := range left {
		if err := write(file, l); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	return file, nil
}

// Close removes the file, or leaves only those containers in it that could not be removed, for EndLeft of the next process.
// All commands must have ended.
func (j *Journal) Close() error {
	j.stop()
	j.ends.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.file.Close(); err != nil || len(j.stay) == 0 {
		return errors.Join(err, os.Remove(j.path))
	}
	fresh := j.path + ".new"
	file, err := create(fresh, j.stay)
	if err != nil {
		return err // the whole journal stays, which names them too
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(fresh, j.path)
}

// mayStay notes that containers may still run when this process ends.
func (j *Journal) mayStay(left Left) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !slices.Contains(j.stay, left) {
		j.stay = append(j.stay, left)
	}
}

// ownMayStay does the same for a container of this process.
func (j *Journal) ownMayStay(client string) {
	if j != nil {
		j.mayStay(Left{Mark: j.mark, Client: client})
	}
}

// begin notes a client before it starts a container, and returns the mark for the container's label.
func (j *Journal) begin(client string) (mark string, err error) {
	if j == nil {
		return "", nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.noted[client] {
		if err := write(j.file, Left{Mark: j.mark, Client: client}); err != nil {
			return "", err
		}
		j.noted[client] = true
	}
	return j.mark, nil
}

func write(file *os.File, l Left) error {
	_, err := file.WriteString(l.Mark + " " + strconv.Quote(l.Client) + "\n")
	return err
}

// EndLeft removes the containers in the journal of a dead process, whose clients must have ended. It returns those of an
// engine that does not answer. The file need not exist.
func EndLeft(ctx context.Context, path string, local *command.Local, log *slog.Logger) ([]Left, error) {
	all, err := readJournal(path)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	left := endAll(limited, all, local, log)
	return left, ctx.Err()
}

// readJournal reads a file of which the last line may be incomplete.
func readJournal(path string) (all []Left, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read from
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		mark, quoted, _ := strings.Cut(lines.Text(), " ")
		client, err := strconv.Unquote(quoted)
		if one := (Left{Mark: mark, Client: client}); err == nil && isMark(mark) && !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all, lines.Err()
}

// isMark reports whether a text may be a mark, and does nothing else as a part of a filter.
func isMark(text string) bool {
	return len(text) >= 20 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// keepEnding removes containers until the engines have answered, or ctx ends. It returns those that may still run.
func keepEnding(ctx context.Context, left []Left, local *command.Local, log *slog.Logger) []Left {
	for len(left) > 0 && wait.Sleep(ctx, endPause) == nil {
		left = endAll(ctx, left, local, log)
	}
	return left
}

// endAll removes containers, and returns those of engines that have not answered.
func endAll(ctx context.Context, all []Left, local *command.Local, log *slog.Logger) (left []Left) {
	for _, l := range all {
		c := client{local: local, program: l.Client}
		ended, err := c.removeLabelled(ctx, labelProcess+"="+l.Mark)
		if len(ended) > 0 {
			log.WarnContext(ctx, "containers of tasks that outlived an earlier server or agent are removed", slog.Any("containers", ended))
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			log.WarnContext(ctx, "containers of tasks of an earlier server or agent are not looked for: their client is not on this machine any more",
				slog.String("client", l.Client))
		case err != nil:
			log.ErrorContext(ctx, "containers of tasks of an earlier server or agent may still run; this is tried again", slog.Any("error", err),
				slog.String("fix", l.Client+" rm -f $("+l.Client+" ps -aq --filter label="+labelProcess+"="+l.Mark+")"))
			left = append(left, l)
		}
	}
	return left
}

// containerID matches the id of a container. Clients print warnings, too.
func containerID() *regexp.Regexp { return regexp.MustCompile(`(?m)^[0-9a-f]{64}$`) }

// removeLabelled removes all containers with a label, NAME=VALUE, and returns their ids.
func (c *client) removeLabelled(ctx context.Context, label string) (removed []string, err error) {
	for {
		output, exit, err := c.call(ctx, "ps", "-a", "-q", "--no-trunc", "--filter", "label="+label)
		if err != nil {
			return removed, err
		}
		if exit != 0 {
			return removed, errors.New(strings.TrimSpace(output))
		}
		ids := containerID().FindAllString(output, -1)
		if len(ids) == 0 {
			return removed, nil
		}
		if output, exit, err = c.call(ctx, append([]string{"rm", "-f"}, ids...)...); err != nil {
			return removed, err
		}
		removed = append(removed, ids...)
		if exit != 0 && !isNoContainer(output) {
			return removed, errors.New(strings.TrimSpace(output))
		}
		if err := wait.Sleep(ctx, removePause); err != nil {
			return removed, err
		}
	}
}
