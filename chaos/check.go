package main

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // the checksum that the REST API reports
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/client"
)

// check checks everything that was promised: first over REST, then, when all servers have ended, in the
// database and the files.
func (a *arena) check(ctx context.Context) error {
	for _, step := range []func(context.Context) error{a.checkEnds, a.checkPushes, a.checkLogs} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if a.cluster != nil {
		if err := a.cluster.leave(ctx); err != nil {
			return err
		}
	}
	for _, s := range a.servers {
		if err := s.stop(); err != nil {
			return err
		}
	}
	for _, s := range a.servers {
		if err := s.left(ctx); err != nil {
			return err
		}
		if strings.Contains(s.said(), "panic") {
			a.violation("a server has panicked, see %s", s.logFile())
		}
		if err := a.checkTemporary(ctx, s); err != nil {
			return err
		}
	}
	if err := a.checkRows(ctx); err != nil {
		return err
	}
	if err := a.database.check(ctx); err != nil {
		a.violation("the database is broken: %v", err)
	}
	return a.checkFiles()
}

// checkEnds checks that all attempts have ended as their workflow says, and that ends that were seen
// before have not changed.
func (a *arena) checkEnds(ctx context.Context) error {
	for _, p := range a.all() {
		end, err := a.end(ctx, p.id)
		switch {
		case err != nil:
			a.unexpected(ctx, fmt.Sprintf("accepted attempt %d", p.id), err)
			continue
		case end == nil:
			a.violation("attempt %d of %s has not ended", p.id, p.workflow)
			continue
		case p.seen != nil && cmp.Diff(p.seen, end) != "":
			a.violation("the end of attempt %d of %s has changed: %s", p.id, p.workflow, cmp.Diff(p.seen, end))
		}
		switch {
		case p.killed && end.Status != "killed" && end.Status != "success":
			a.violation("attempt %d of %s was killed, and ended as %s", p.id, p.workflow, end.Status)
		case !p.maybe && end.Status != p.want && a.cluster == nil: // in a cluster the rows say why
			a.violation("attempt %d of %s ended as %s, want %s: %s", p.id, p.workflow, end.Status, p.want, strings.Join(end.Tasks, ", "))
		}
	}
	return context.Cause(ctx)
}

// checkPushes checks that each accepted revision is there with its archive.
func (a *arena) checkPushes(ctx context.Context) error {
	for _, p := range a.projects {
		for name, archive := range p.revisions {
			err := a.ask(ctx, func(ctx context.Context, c *client.Client) error {
				list, err := c.ListRevisions(ctx, p.id, name)
				if err != nil {
					return err
				}
				sum := md5.Sum(archive) //nolint:gosec // as above
				if len(list.Revisions) != 1 || !bytes.Equal(list.Revisions[0].ArchiveMD5, sum[:]) {
					a.violation("revision %s of %s is not as it was accepted: %+v", name, p.name, list.Revisions)
					return nil
				}
				body, err := c.FetchArchive(ctx, p.id, name)
				if err != nil {
					return err
				}
				got, err := io.ReadAll(body)
				if err = errors.Join(err, body.Close()); err == nil && !bytes.Equal(got, archive) {
					a.violation("the archive of revision %s of %s has changed", name, p.name)
				}
				return err
			})
			a.unexpected(ctx, fmt.Sprintf("archive of revision %s of %s", name, p.name), err)
		}
	}
	return context.Cause(ctx)
}

// checkLogs checks that all lines that were read before are still there.
func (a *arena) checkLogs(ctx context.Context) error {
	for key, before := range a.logs {
		texts, err := a.logTexts(ctx, key.attempt, "")
		if err != nil {
			a.unexpected(ctx, fmt.Sprintf("log of attempt %d", key.attempt), err)
			continue
		}
		if !strings.HasPrefix(texts[key.file], before) {
			a.violation("attempt %d: log %s was %q, and is %q in the end", key.attempt, key.file, before, texts[key.file])
		}
	}
	return context.Cause(ctx)
}

// checkTemporary checks what ended servers have left in their folder for temporary files. The files
// of revisions are kept for the next one. A server that starts right after a kill may find the place of
// the killed one still taken and leave it to the next one, so there may be one more.
func (a *arena) checkTemporary(ctx context.Context, s *server) error {
	if len(temporary(s)) == 0 {
		return nil
	}
	if err := errors.Join(s.start(ctx), s.ready(ctx), s.stop(), s.left(ctx)); err != nil {
		return err
	}
	if left := temporary(s); len(left) > 0 {
		a.violation("%d temporary files are left, as %s", len(left), left[0])
	}
	return nil
}

func temporary(s *server) []string {
	var left []string
	for _, pattern := range []string{"tmp/trowel-workspaces*/*/work/*", "tmp/trowel-workspaces*/*/left-*", "tmp/*"} {
		found, _ := filepath.Glob(s.path(pattern)) // the patterns are right
		for _, path := range found {
			if !strings.HasPrefix(filepath.Base(path), "trowel-workspaces") {
				left = append(left, path)
			}
		}
	}
	return left
}

// checkFiles checks that each archive and log file that has its final name is complete.
func (a *arena) checkFiles() error {
	if !a.mode.files {
		return nil
	}
	for _, dir := range []string{"archives", "logs"} {
		err := filepath.WalkDir(filepath.Join(a.dataDir, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".tmp-") {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if _, err := unzip(data); err != nil {
				a.violation("%s is not whole: %v", path, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
